//! The text form parses back to the same blocks, and no text makes the parser panic.

use everypath_ir::{Listing, Printer, verify, verify_layout};

use crate::random_block::{layout, random_block};
use everypath_testkit::random::Random;

fn random_listing(random: &mut Random) -> Listing {
    let blocks = (0..3)
        .map(|_| {
            let statements = random.below(25);
            random_block(random, statements)
        })
        .collect();
    Listing { layout: layout(), blocks }
}

#[test]
fn random_blocks_are_read_back_as_they_were() {
    let mut random = Random::new(6);
    assert_eq!(verify_layout(&layout()), Ok(()));
    for _ in 0..2000 {
        let listing = random_listing(&mut random);
        for block in &listing.blocks {
            assert_eq!(
                verify(&listing.layout, block),
                Ok(()),
                "{}",
                Printer::new(&listing.layout).block(block)
            );
        }
        let text = listing.to_string();
        match text.parse::<Listing>() {
            Ok(again) => assert_eq!(again, listing, "{text}"),
            Err(error) => panic!("{error}\n{text}"),
        }
    }
}

/// A listing that parses is printed as text that parses to the same listing.
fn check_reading(text: &str) -> bool {
    let Ok(listing) = text.parse::<Listing>() else { return false };
    let printed = listing.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&listing), "{printed}");
    for block in &listing.blocks {
        let _ = verify(&listing.layout, block);
    }
    true
}

#[test]
fn damaged_texts_do_no_harm() {
    let mut random = Random::new(7);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..4000 {
        let mut text = random_listing(&mut random).to_string().into_bytes();
        for _ in 0..random.below(3) + 1 {
            let at = random.below(text.len());
            let until = (at + random.below(12)).min(text.len());
            match random.below(5) {
                0 => text[at] = random.number() as u8,
                1 => text[at] = random.pick(b"0123456789:t.{}[]()@+#, \nx"),
                2 => drop(text.drain(at..until)),
                3 => {
                    let copy = text[at..until].to_vec();
                    let to = random.below(text.len());
                    text.splice(to..to, copy);
                }
                _ => text.truncate(at.max(1)),
            }
        }
        if check_reading(&String::from_utf8_lossy(&text)) {
            read += 1;
        } else {
            refused += 1;
        }
    }
    assert!(read > 100 && refused > 1000, "{read} texts were read, {refused} refused");
}

#[test]
fn soups_of_words_do_no_harm() {
    let words = "space user block ram register memory little big 64 8 unit 2 end context 0x5 0x401000 0x1.3 \
                 { } [ ] ( ) , : = @ + # \n t0 t1 t2 t4294967295 t99999999999 : 1 512 513 0x1:8 0x100:8 \
                 get put load store if exit fall jump call return add extract extract.8 select cpuid \u{e9} 0x -1";
    let words: Vec<&str> = words.split(' ').collect();
    let mut random = Random::new(8);
    for _ in 0..20_000 {
        let start = random.pick(&["", "space ram memory little 64 user cpuid block ram 0x1 end 0x2 {"]);
        let soup: Vec<&str> = (0..random.below(20)).map(|_| random.pick(&words)).collect();
        check_reading(&format!("{start} {}", soup.join(" ")));
    }
}

#[test]
fn errors_say_where_and_what() {
    let head = "space ram memory little 64\nspace register register little 32\nuser cpuid\n";
    for (text, expected) in [
        ("x", "1:1: expected `space`, `user`, `watch` or `block`"),
        ("space 1 memory little 8", "1:7: expected a new name of a space"),
        ("space a memory little 8 space a", "1:31: expected a new name of a space"),
        ("space a disk", "1:9: expected `memory`, `register` or `temporary`"),
        ("space a memory middle", "1:16: expected `little` or `big`"),
        ("space a memory little 65", "1:23: expected the width of an address, 1 to 64"),
        ("space a memory little 8 unit 0", "1:30: expected a number of bytes, 1 to 255"),
        ("user a user a", "1:13: expected a new name of a user operation"),
        ("HEADblock rom", "4:7: expected the name of a space"),
        ("HEADblock ram 12", "4:11: expected a place such as 0x401000 or 0x401000.2"),
        ("HEADblock ram 0x1.65536", "4:11: expected a place such as 0x401000 or 0x401000.2"),
        ("HEADblock ram 0x10000000000000000", "4:11: expected a place such as 0x401000 or 0x401000.2"),
        ("HEADblock ram 0x1 context 5", "4:23: expected a context such as 0x5"),
        ("HEADblock ram 0x1 {", "4:15: expected `end`"),
        ("HEADblock ram 0x1 end 0x2 {", "4:24: expected a statement, `exit` or `}`"),
        ("BODY@0x1+256", "5:6: expected a length in bytes, at most 255"),
        ("BODYt1:8 = get", "5:1: expected t0, the next temporary"),
        ("BODYt0:0 = get", "5:4: expected a width, 1 to 512"),
        ("BODYt0:8 = plus", "5:8: expected `get`, `load`, `user` or an operator"),
        ("BODYt0:8 = get register 0x1", "5:21: expected `[`"),
        ("BODYt0:8 = not t0", "5:12: expected a temporary that is defined above, unlike t0"),
        ("BODYt0:8 = not 1", "5:12: expected a temporary such as t0 or a constant such as 0x1f:8"),
        ("BODYt0:8 = not 0x100:8", "5:12: expected a hexadecimal constant of 8 bits"),
        ("BODYt0:8 = user halt()", "5:13: expected the name of a user operation"),
        ("BODYuser cpuid(0x1:8 0x2:8)", "5:18: expected `,`"),
        ("BODYexit go", "5:6: expected `fall`, `jump`, `call` or `return`"),
        ("BODYexit fall 0x1 put", "5:15: expected `exit` or `}`"),
        ("BODY# \u{e9}\n  \u{e9}", "6:3: expected a statement, `exit` or `}`"),
    ] {
        let text = text.replace("BODY", "HEADblock ram 0x1 end 0x2 {\n").replace("HEAD", head);
        let error = text.parse::<Listing>().expect_err("a text that is wrong");
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn names_of_registers_are_for_people() {
    let text = "space ram memory little 64\nspace register register little 32\n\
        block ram 0x1 end 0x2 {\n    t0:64 = get register[0x0]\n    put register[0x8] t0\n    exit fall 0x2\n}\n";
    let listing: Listing = text.parse().expect("a listing");
    let namer = |location: everypath_ir::Location, width: everypath_ir::Width| {
        (location.offset == 0 && width.bits() == 64).then(|| "rax".to_owned())
    };
    let printer = Printer::new(&listing.layout).with_names(&namer);
    let expected =
        "block ram 0x1 end 0x2 {\n    t0:64 = get rax\n    put register[0x8] t0\n    exit fall 0x2\n}\n";
    assert_eq!(printer.block(&listing.blocks[0]).to_string(), expected);
}
