//! The verifier finds each kind of violation, and reports its position.

use everypath_ir::{
    ArgumentRange, Block, Endian, Layout, Listing, Op, Operand, Space, SpaceId, SpaceKind, Statement, Temp,
    Width, verify, verify_layout,
};

const HEAD: &str =
    "space ram memory little 16\nspace code memory little 12 unit 2\nspace r register little 4\nuser u\n";

fn listing(body: &str) -> Listing {
    format!("{HEAD}block ram 0x0 end 0x1 {{ {} }}", body.replace(';', "\n")).parse().expect("a listing")
}

fn faults(listing: &Listing) -> Vec<String> {
    match verify(&listing.layout, &listing.blocks[0]) {
        Ok(()) => Vec::new(),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn faults_of_texts() {
    let add = "add takes 2 argument(s), and result and arguments have the same width; here a result of 8 from 8, 16";
    for (body, expected) in [
        ("exit fall 0x0", None),
        ("put r[0xf] 0x0:8; exit fall 0x0", None),
        ("put ram[0xffff] 0x0:16; exit fall 0x0", None),
        ("store code 0x1fff:16 0x0:8; exit jump [0x0:8]", None),
        ("t0:8 = add 0x0:8 0x0:16; exit fall 0x0", Some(format!("statement 0: {add}"))),
        ("exit if 0x1:8 fall 0x1; exit fall 0x0", Some("exit 0: a guard has 1 bit, not 8".into())),
        (
            "@0x0+1; store ram 0x0:8 0x0:8 if 0x0:2; exit fall 0x0",
            Some("statement 1: a guard has 1 bit, not 2".into()),
        ),
        ("user u() if 0x0:2; exit fall 0x0", Some("statement 0: a guard has 1 bit, not 2".into())),
        ("t0:7 = get r[0x0]; exit fall 0x0", Some("statement 0: 7 bits are not whole bytes".into())),
        ("put r[0x0] 0x0:1; exit fall 0x0", Some("statement 0: 1 bits are not whole bytes".into())),
        ("t0:9 = load ram 0x0:8; exit fall 0x0", Some("statement 0: 9 bits are not whole bytes".into())),
        ("store ram 0x0:8 0x0:1; exit fall 0x0", Some("statement 0: 1 bits are not whole bytes".into())),
        (
            "put r[0xf] 0x0:16; exit fall 0x0",
            Some("statement 0: the place at 0xf is not inside the space of 0x10 bytes".into()),
        ),
        (
            "put ram[0x10000] 0x0:8; exit fall 0x0",
            Some("statement 0: the place at 0x10000 is not inside the space of 0x10000 bytes".into()),
        ),
        (
            "store code 0x0:17 0x0:8; exit fall 0x0",
            Some("statement 0: an address has at most 16 bits in this space, not 17".into()),
        ),
        ("exit jump [0x0:32]", Some("exit 0: an address has at most 16 bits in this space, not 32".into())),
        ("@0x0+1", Some("block: there is no exit".into())),
        ("exit if 0x1:1 fall 0x1", Some("exit 0: the last exit has no guard".into())),
        ("exit fall 0x0; exit fall 0x0", Some("exit 0: every exit but the last has a guard".into())),
        ("exit fall [0x0:8]", Some("exit 0: the target of a fall is not computed".into())),
    ] {
        assert_eq!(faults(&listing(body)), Vec::from_iter(expected), "{body}");
    }
}

#[test]
fn faults_that_no_text_has() {
    type Damage = fn(&mut Block);
    let damages: [(Damage, &str); 11] = [
        (|block| block.space = SpaceId(9), "block: there is no space 9"),
        (|block| block.temps.push(Width::W8), "block: t2 is never defined"),
        (|block| block.temps.truncate(1), "statement 1: t1 is defined where t1 is due"),
        (|block| block.constants.clear(), "statement 1: c0 is not known here"),
        (|block| block.argument_pool.clear(), "statement 2: the arguments are not in the pool"),
        (|block| block.argument_pool[0] = Operand::FILLER, "statement 2: - is not known here"),
        (|block| block.statements.swap(0, 1), "statement 0: t0 is not known here"),
        (
            |block| {
                block.statements[1] =
                    Statement::compute(Temp::new(0), Op::Neg, &[Operand::temp(Temp::new(0))]);
            },
            "statement 1: t0 is defined where t1 is due",
        ),
        (
            |block| {
                let first = Operand::temp(Temp::new(0));
                let arguments = [first, first, Operand::FILLER];
                block.statements[1] = Statement::Compute { result: Temp::new(1), op: Op::Neg, arguments };
            },
            "statement 1: t0 is an argument too many",
        ),
        (
            |block| {
                let arguments = [Operand::temp(Temp::new(0)), Operand::FILLER, Operand::FILLER];
                block.statements[1] = Statement::Compute { result: Temp::new(1), op: Op::Add, arguments };
            },
            "statement 1: - is not known here",
        ),
        (
            |block| {
                let arguments = ArgumentRange { start: u32::MAX, count: u32::MAX };
                block.statements[2] = Statement::User { result: None, operation: 7, arguments, guard: None };
            },
            "statement 2: there is no user operation 7",
        ),
    ];
    let good = listing("t0:8 = get r[0x0]; t1:8 = add t0 0x1:8; user u(t1); exit fall 0x0");
    assert_eq!(faults(&good), Vec::<String>::new());
    for (damage, expected) in damages {
        let mut bad = good.clone();
        damage(&mut bad.blocks[0]);
        assert!(faults(&bad).iter().any(|fault| fault == expected), "{expected}: {:?}", faults(&bad));
        // Blocks with violations can be printed, too.
        assert!(bad.to_string().starts_with(HEAD));
    }
}

#[test]
fn faults_of_layouts() {
    let space = |name: &str| Space {
        name: name.to_owned(),
        kind: SpaceKind::Memory,
        endian: Endian::Little,
        address: Width::W16,
        unit: 1,
    };
    let layout = |spaces: Vec<Space>, user: &[&str]| Layout {
        spaces,
        user_operations: user.iter().map(|name| (*name).to_owned()).collect(),
        watched: Vec::new(),
    };
    for good in [layout(Vec::new(), &[]), layout(vec![space("a"), space("b")], &["a", "b.c"])] {
        assert_eq!(verify_layout(&good), Ok(()));
    }
    for (bad, expected) in [
        (layout(vec![space("a"), space("a")], &[]), "space 1: the name \"a\""),
        (layout(vec![space("1")], &[]), "space 0: the name \"1\""),
        (layout(vec![space("")], &[]), "space 0: the name \"\""),
        (layout(vec![Space { unit: 0, ..space("a") }], &[]), "space 0: an address has"),
        (layout(vec![Space { address: Width::W128, ..space("a") }], &[]), "space 0: an address has"),
        (
            layout((0..257).map(|number| space(&format!("s{number}"))).collect(), &[]),
            "space 256: a layout has",
        ),
        (layout(Vec::new(), &["a b"]), "user operation 0: the name \"a b\""),
        (layout(Vec::new(), &["a", "a"]), "user operation 1: the name \"a\""),
    ] {
        let faults = verify_layout(&bad).expect_err("a bad layout");
        assert_eq!(faults.len(), 1);
        assert!(faults[0].to_string().starts_with(expected), "{}", faults[0]);
    }
}
