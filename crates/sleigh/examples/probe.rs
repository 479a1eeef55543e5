//! probe
use everypath_sleigh::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = std::time::Instant::now();
    let spec = Specification::from_sla(&std::fs::read(&args[1]).unwrap()).unwrap();
    println!("load {:?} spaces {:?}", t.elapsed(), spec.spaces().iter().map(|s| &s.name).collect::<Vec<_>>());
    let mut ctx = spec.default_context();
    for kv in &args[3..] {
        let (k, v) = kv.split_once('=').unwrap();
        spec.set_context_field(&mut ctx, k, v.parse().unwrap()).unwrap();
    }
    let bytes: Vec<u8> =
        (0..args[2].len() / 2).map(|i| u8::from_str_radix(&args[2][2 * i..2 * i + 2], 16).unwrap()).collect();
    let mut d = spec.decoder();
    let mut at = 0usize;
    while at < bytes.len() {
        match d.decode(&bytes[at..], 0x1000 + at as u64, ctx) {
            Ok(i) => {
                println!("{:x} {} {}", i.address(), i.full_length(), i.text());
                for o in i.operations() {
                    println!("   {}", o.display(&spec));
                }
                at += i.full_length() as usize;
            }
            Err(e) => {
                println!("bad {e}");
                at += 1;
            }
        }
    }
}
