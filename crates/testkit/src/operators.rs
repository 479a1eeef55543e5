//! The integer operators, with widths that exercise them.

use everypath_ir::{Op, Width};

/// Every integer operator.
pub fn integer_operators() -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied().filter(|op| !op.is_float())
}

/// Results and arguments of an operator whose main argument has this many bits.
///
/// # Panics
/// If there is no width of so many bits.
pub fn signatures(op: Op, bits: u32) -> Vec<(Op, Width, Vec<Width>)> {
    let width = |bits: u32| Width::new(bits).expect("a width");
    let main = width(bits);
    let limit = |bits: u32| width(bits.min(512));
    match op {
        Op::Not | Op::Neg => vec![(op, main, vec![main])],
        Op::Shl | Op::Lshr | Op::Ashr => {
            let amounts = [width(1), width(3), main, limit(bits + 2)];
            amounts.map(|amount| (op, main, vec![main, amount])).to_vec()
        }
        Op::Zext | Op::Sext => {
            [bits, bits + 1, bits + 5, 2 * bits].map(|result| (op, limit(result), vec![main])).to_vec()
        }
        Op::Extract(_) => {
            let lows = [0, 1.min(bits - 1), bits / 2, bits - 1];
            let cases = lows.into_iter().flat_map(|low| [(low, 1), (low, bits - low)]);
            cases.map(|(low, result)| (Op::Extract(low as u16), width(result), vec![main])).collect()
        }
        Op::Concat if bits > 509 => vec![(op, main, vec![width(bits - 12), width(12)])],
        Op::Concat => [1, 3].map(|low| (op, width(bits + low), vec![main, width(low)])).to_vec(),
        Op::Select => vec![(op, main, vec![Width::W1, main, main])],
        Op::Popcount | Op::Lzcount => [1, 2, 8, 16].map(|result| (op, width(result), vec![main])).to_vec(),
        _ => {
            let result = if op.check(Width::W1, &[Width::W8; 2]).is_ok() { Width::W1 } else { main };
            vec![(op, result, vec![main, main])]
        }
    }
}
