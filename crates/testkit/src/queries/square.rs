//! Magic squares: many sums that share operands, and all numbers different.

use everypath_ir::Op;
use everypath_term::Term;

use super::Question;

pub(super) fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for side in [3, 4] {
        for bytes in [1, 4] {
            for ranged in [false, true] {
                questions.push(square(side, bytes, ranged));
            }
        }
    }
    for bytes in [1, 4] {
        questions.push(impossible(bytes));
    }
    questions
}

/// A 3x3 magic square always has five in its centre; this one requires another number there (unsatisfiable).
fn impossible(bytes: u32) -> Question {
    let mut question = square(3, bytes, true);
    question.name = format!("magic square 3x3 of {} bits, impossible", bytes * 8);
    question.has_model = false;
    let (centre, five) = (question.number(4 * bytes, bytes), question.constant(5, bytes * 8));
    let other = question.terms.ne(centre, five);
    question.require(other);
    question
}

fn square(side: u32, bytes: u32, ranged: bool) -> Question {
    let range = if ranged { ", in range" } else { "" };
    let mut question =
        Question::new(format!("magic square {side}x{side} of {} bits{range}", bytes * 8), true);
    let cells: Vec<Term> = (0..side * side).map(|cell| question.number(cell * bytes, bytes)).collect();
    let cell = |row: u32, column: u32| cells[(row * side + column) as usize];
    let mut lines: Vec<Vec<Term>> = Vec::new();
    for line in 0..side {
        lines.push((0..side).map(|place| cell(line, place)).collect());
        lines.push((0..side).map(|place| cell(place, line)).collect());
    }
    lines.push((0..side).map(|place| cell(place, place)).collect());
    lines.push((0..side).map(|place| cell(place, side - 1 - place)).collect());
    let magic = question.constant(u64::from(side * (side * side + 1) / 2), bytes * 8);
    for line in lines {
        let sum =
            line.into_iter().reduce(|sum, cell| question.same(Op::Add, sum, cell)).expect("a line has cells");
        let right = question.terms.eq(sum, magic);
        question.require(right);
    }
    for (place, &cell) in cells.iter().enumerate() {
        for &other in &cells[..place] {
            let differ = question.terms.ne(cell, other);
            question.require(differ);
        }
    }
    if ranged {
        let (least, greatest) =
            (question.constant(1, bytes * 8), question.constant(u64::from(side * side), bytes * 8));
        for &cell in &cells {
            let above = question.compare(Op::Ule, least, cell);
            let below = question.compare(Op::Ule, cell, greatest);
            question.require(above);
            question.require(below);
        }
    }
    question
}
