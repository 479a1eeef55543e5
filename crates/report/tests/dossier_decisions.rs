//! Decisions in the dossier: when branch coverage of a line implies MC/DC, on control-flow graphs that are written down here.

mod samples;

use everypath_record::{
    Address, Direction, Judged, ListedBlock, ListedFunction, ListedInstruction, ListedLine, SourceFile,
    Verdict,
};
use samples::Sample;

/// A block of a graph: its source line, and its successors by their numbers. One with two successors ends in a branch.
type Block<'b> = (u32, &'b [usize]);

/// A program of one function with these blocks and source lines, all of whose directions are covered.
fn program(lines: &[&str], blocks: &[Block<'_>]) -> Sample {
    let mut sample = samples::generated(1, 1, 1);
    let start = |block: usize| Address(0x1000 + 8 * block as u64);
    let listed = blocks.iter().enumerate().map(|(number, (line, successors))| {
        let instruction = |offset, text: &str| ListedInstruction {
            address: Address(start(number).0 + offset),
            length: 4,
            text: text.to_owned(),
            source: Some(ListedLine { file: 0, line: *line }),
        };
        let last = if successors.len() == 2 { "branch" } else { "other" };
        ListedBlock {
            instructions: vec![instruction(0, "load"), instruction(4, last)],
            successors: successors.iter().map(|successor| start(*successor)).collect(),
        }
    });
    let blocks_listed: Vec<ListedBlock> = listed.collect();
    let directions = blocks_listed.iter().filter(|block| block.successors.len() == 2).flat_map(|block| {
        let direction = |target: &Address| Direction { branch: block.last(), target: *target };
        block.successors.iter().map(direction).collect::<Vec<_>>()
    });
    let judged = directions.map(|direction| Judged { direction, verdict: Verdict::covered_by_test("0001") });
    sample.suite.summary.directions = judged.collect();
    sample.suite.summary.locations.clear();
    sample.suite.summary.indirect_exits.clear();
    sample.listing.functions =
        vec![ListedFunction { name: "f".to_owned(), address: start(0), blocks: blocks_listed }];
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    sample.listing.sources = vec![SourceFile { path: "f.c".to_owned(), lines, hash: None }];
    sample
}

/// The last column of the row of the line `f.c:1`.
fn claim(sample: &Sample) -> String {
    let text = sample.text("dossier");
    let row = text.lines().find(|line| line.starts_with("| LINE-") && line.contains("`f.c:1`"));
    let row = row.unwrap_or_else(|| panic!("no row in {text}"));
    let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
    cells[cells.len() - 1].to_owned()
}

#[test]
fn conditions_in_a_tree_imply_mcdc() {
    // a: both outcomes go on; b: to the body or behind it.
    let blocks: &[Block<'_>] = &[(1, &[1, 3]), (1, &[2, 3]), (2, &[3]), (3, &[])];
    let lines = ["if (a && b)", "x();", "}"];
    assert_eq!(claim(&program(&lines, blocks)), "implied (a tree of conditions): shown");
    // In a loop, in which each iteration evaluates the decision again.
    let looped: &[Block<'_>] = &[(3, &[1]), (1, &[2, 4]), (1, &[3, 4]), (2, &[1]), (2, &[1])];
    assert_eq!(claim(&program(&lines, looped)), "implied (a tree of conditions): shown");
    let polling: &[Block<'_>] = &[(1, &[1, 2]), (1, &[0, 2]), (3, &[])];
    assert_eq!(
        claim(&program(&["while (a && b) ;", "", "}"], polling)),
        "implied (a tree of conditions): shown"
    );
    // Code of another line between the conditions, as of an inlined function with a branch of its own.
    let inlined: &[Block<'_>] =
        &[(1, &[1, 5]), (3, &[2, 3]), (3, &[4]), (3, &[4]), (1, &[6, 5]), (2, &[]), (2, &[])];
    assert_eq!(claim(&program(&lines, inlined)), "implied (a tree of conditions): shown");
}

#[test]
fn a_condition_that_is_reached_by_two_paths_does_not() {
    // (a || b) && c: c is reached from a and from b.
    let blocks: &[Block<'_>] = &[(1, &[1, 2]), (1, &[2, 4]), (1, &[3, 4]), (2, &[4]), (3, &[])];
    let lines = ["if ((a || b) && c)", "x();", "}"];
    let not = |address: &str| format!("not implied: the condition at `{address}` is reached on two paths");
    assert_eq!(claim(&program(&lines, blocks)), not("0x1014"));
    // The same over blocks of other lines.
    let over: &[Block<'_>] =
        &[(1, &[1, 2]), (1, &[3, 5]), (2, &[4]), (3, &[4]), (1, &[5, 6]), (3, &[]), (3, &[])];
    assert_eq!(claim(&program(&lines, over)), not("0x1024"));
    // A path around the first condition: a compiler has threaded jumps.
    let around: &[Block<'_>] = &[(3, &[1, 2]), (1, &[2, 3]), (1, &[3, 4]), (2, &[]), (2, &[])];
    assert_eq!(claim(&program(&["if (a && b)", "", ""], around)), not("0x1014"));
    // The loop is entered at the last condition: (a || b) && c, rotated.
    let rotated: &[Block<'_>] = &[(3, &[3]), (1, &[3, 2]), (1, &[3, 4]), (1, &[5, 4]), (2, &[1]), (3, &[])];
    assert_eq!(claim(&program(&["while ((a || b) && c)", "", ""], rotated)), not("0x101c"));
}

#[test]
fn conditions_without_a_branch_leave_it_unknown() {
    let one: &[Block<'_>] = &[(1, &[1, 2]), (2, &[2]), (3, &[])];
    let of = |line: &str| claim(&program(&[line, "", ""], one));
    assert!(
        of("if (a && b)").starts_with("unknown: the text shows 2 conditions and the number of branches is 1")
    );
    assert!(of("x();").starts_with("unknown: the text shows no decision"));
    assert!(of("if ((a == 1) & (b == 2))").starts_with("unknown: a bitwise operator"));
    assert!(of("if (a &&").starts_with("unknown: the decision spans several lines"));
    assert_eq!(of("if (a)"), "implied (one condition): shown");
    let mut sample = program(&["if (a)", "", ""], one);
    sample.listing.sources[0].lines.clear();
    assert_eq!(claim(&sample), "unknown: the source text was not found");
    // A condition may have been copied, or another one may have been inlined.
    let two: &[Block<'_>] = &[(1, &[1, 2]), (1, &[1, 2]), (3, &[])];
    for line in ["while (a)", "while (f(a))"] {
        let claim = claim(&program(&[line, "", ""], two));
        assert!(claim.starts_with("unknown: the text shows 1 condition and the number of branches is 2"));
    }
}

#[test]
fn a_part_of_a_decision_leaves_it_unknown() {
    let one: &[Block<'_>] = &[(1, &[1, 2]), (2, &[2]), (3, &[])];
    for lines in [["if A < B", "  and then C", "then"], ["if a < b", "    && c", "{"]] {
        assert_eq!(claim(&program(&lines, one)), "unknown: the decision spans several lines");
    }
}

#[test]
fn mcdc_is_shown_only_if_all_directions_are_covered() {
    let mut sample = program(&["if (a)", "", ""], &[(1, &[1, 2]), (2, &[2]), (3, &[])]);
    sample.suite.summary.directions[0].verdict = Verdict::infeasible("x".to_owned());
    assert_eq!(claim(&sample), "implied (one condition), but not all directions are covered");
    assert!(sample.text("dossier").contains("one is covered, the other is infeasible"));
}

#[test]
fn mcdc_by_a_trace_is_shown_only_if_the_trace_is_right() {
    let mut sample = program(&["if (a)", "", ""], &[(1, &[1, 2]), (2, &[2]), (3, &[])]);
    sample.suite.summary.directions[0].verdict = Verdict::covered_by_trace("bench");
    assert_eq!(claim(&sample), "implied (one condition): shown if the traces are right");
}

#[test]
fn decisions_without_a_branch_are_listed() {
    let sample = program(&["if (a)", "y = b && c;", "z = d;"], &[(1, &[1, 2]), (2, &[2]), (3, &[])]);
    let text = sample.text("dossier");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| BRL-")).collect();
    assert_eq!(rows, ["| BRL-0001 | `f.c:2`<br>`y = b && c;`<br>in `f` | `load; other` |"]);
}

#[test]
fn an_indirect_jump_is_no_condition() {
    let mut sample = program(&["switch (a) {", "", ""], &[(1, &[1, 2]), (2, &[2]), (3, &[])]);
    sample.suite.summary.indirect_exits.push(everypath_record::IndirectExitRecord {
        branch: Address(0x1004),
        kind: "jump".to_owned(),
        targets: vec![Address(0x1010), Address(0x1018)],
        resolved: true,
        reason: "a jump table".to_owned(),
    });
    assert_eq!(claim(&sample), "unknown: a branch is conditional and indirect, such as a conditional return");
    sample.suite.summary.directions[0].direction.target = Address(0x1018);
    assert_eq!(claim(&sample), "not applicable: an indirect branch is no condition");
}
