//! SMT-LIB 2 scripts: printing and parsing preserve the semantics, and other solvers agree.

use std::io::Write;
use std::process::{Command, Stdio};

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

use crate::expressions::{Expressions, width};
use everypath_testkit::programs::installed;
use everypath_testkit::random::Random;

/// Conditions that random terms have their values under the model.
fn conditions(expressions: &mut Expressions<'_>, model: &Model, floats: bool) -> Vec<Term> {
    let mut evaluation = Evaluation::new(model.clone());
    let mut conditions = Vec::new();
    for pair in expressions.pairs.clone() {
        let terms = &mut expressions.terms;
        if terms.is_constant(pair.plain) || terms.inputs(pair.plain).is_empty() && !floats {
            continue;
        }
        let value = evaluation.value(terms, pair.plain);
        let value = terms.constant(&value);
        conditions.push(terms.apply_plain(Op::Eq, Width::W1, &[pair.plain, value]));
    }
    conditions
}

#[test]
fn what_is_written_reads_back_with_the_same_values() {
    let mut random = Random::new(41);
    for _ in 0..150 {
        let mut expressions = Expressions::new(&mut random, false);
        for _ in 0..40 {
            expressions.step();
        }
        let model = expressions.model();
        let written = conditions(&mut expressions, &model, false);
        let models: Vec<Model> = (0..4).map(|_| expressions.model()).chain([model]).collect();
        let terms = &expressions.terms;
        let text = terms.smtlib(&written).expect("no floating point");
        let mut other = Terms::new();
        let script = other.read_smtlib(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(script.assertions.len(), written.len());
        let simple = other.simplify(&script.assertions);
        for model in models {
            let (mut here, mut there) = (Evaluation::new(model.clone()), Evaluation::new(model));
            for (index, &condition) in written.iter().enumerate() {
                let expected = here.holds(terms, condition);
                assert_eq!(
                    expected,
                    there.holds(&other, script.assertions[index]),
                    "{}",
                    terms.text(condition)
                );
                assert_eq!(expected, there.holds(&other, simple[index]), "{}", terms.text(condition));
            }
        }
    }
}

/// Each line is a condition that always holds.
const FUNCTIONS: &str = "
(= (bvnand #b0011 #b0101) #b1110)
(= (bvnor #b0011 #b0101) #b1000)
(= (bvxnor #b0011 #b0101) #b1001)
(= (bvsmod #b1011 #b0011) #b0001)
(= (bvsmod #b0101 #b1101) #b1111)
(= (bvsmod #b0101 #b0000) #b0101)
(= (bvsmod #b1010 #b1110) #b0000)
(= (bvsrem #b1011 #b0011) #b1110)
(= (bvsdiv #b1011 #b0000) #b0001)
(= (bvsdiv #b0011 #b0000) #b1111)
(= (bvudiv #b0011 #b0000) #b1111)
(= (bvurem #b0011 #b0000) #b0011)
(= (bvcomp #xab #xab) #b1)
(= ((_ repeat 3) #b01) #b010101)
(= ((_ rotate_left 1) #b1001) #b0011)
(= ((_ rotate_right 1) #b1001) #b1100)
(= ((_ rotate_left 8) #b1001) #b1001)
(= ((_ zero_extend 4) #xa) #x0a)
(= ((_ sign_extend 4) #xa) #xfa)
(= ((_ extract 6 3) #xa5) #b0100)
(= (concat #xa #xb #xc) #xabc)
(= (_ bv300 16) #x012c)
(= (bvashr #x8 #xf) #xf)
(= (bvadd #x1 #x2 #x3) #x6)
(bvugt #x2 #x1)
(bvuge #x2 #x2)
(bvsgt #x1 #xf)
(bvsge #x1 #xf)
(bvule #x1 #x1)
(bvsle #xf #x1)
(bvuaddo #xf #x1)
(bvsaddo #x7 #x1)
(bvssubo #x8 #x1)
(distinct #x1 #x2 #x3)
(not (distinct #x1 #x2 #x1))
(= #x1 #x1 #x1)
(=> false true false)
(xor true false)
(ite (= a #x1234) (= x #x34) true)
(let ((x #x1) (y #x2)) (let ((x y) (y x)) (= x #x2)))
(! (or false (and true true)) :named foo)
(= (double #x3) #x6)
(let ((g #x0)) (= (plus_g #x1) #x6))
(= (select (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x00) x #x05) x) #x05)
(= (select m #b0) (select m #b0))
(= |quoted name| |quoted name|)
";

#[test]
fn functions_mean_what_the_standard_says() {
    let header = "
        (set-logic QF_ABV) ; a comment
        (set-info :source |several
        lines|)
        (declare-fun a () (_ BitVec 16))
        (declare-const p Bool)
        (declare-const m (Array (_ BitVec 1) (_ BitVec 8)))
        (declare-const |quoted name| (_ BitVec 13))
        (define-fun x () (_ BitVec 8) ((_ extract 7 0) a))
        (define-fun double ((y (_ BitVec 4))) (_ BitVec 4) (bvadd y y))
        (define-const g (_ BitVec 4) #x5)
        (define-fun plus_g ((y (_ BitVec 4))) (_ BitVec 4) (bvadd y g))
    ";
    let mut terms = Terms::new();
    let lines: Vec<&str> = FUNCTIONS.lines().filter(|line| !line.is_empty()).collect();
    let assertions: String = lines.iter().map(|line| format!("(assert {line})\n")).collect();
    let text = format!("{header}{assertions}(check-sat)(exit)");
    let script = terms.read_smtlib(&text).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = script.declared.iter().map(|pair| pair.0.as_str()).collect();
    assert_eq!(names, ["a", "p", "m", "quoted name"]);
    for bytes in [[0; 8], [0x34, 0x12, 0, 0, 0, 0, 0, 0], [0xff; 8]] {
        let mut evaluation = Evaluation::new(Model::from_bytes(&bytes));
        for (line, &assertion) in lines.iter().zip(&script.assertions) {
            assert!(evaluation.holds(&terms, assertion), "{line} under {bytes:?}");
        }
    }
}

#[test]
fn scripts_that_cannot_be_read() {
    let cases = [
        ("(assert true", "1:1: expected a `)` for this"),
        (")", "1:1: expected no `)` without `(`"),
        ("(assert #x1)", "1:9: expected a truth value"),
        ("(assert (bvult #x1 #x11))", "1:9: expected a function that is known"),
        ("(assert (foo true))", "1:9: expected a function that is known"),
        ("(assert x)", "1:9: expected a name"),
        ("(declare-const x (_ BitVec 600))", "1:18: expected Bool"),
        ("(declare-const x Bool)\n(declare-const x Bool)", "2:16: expected a new name"),
        ("(declare-fun f (Bool) Bool)", "1:1: expected a command that is known"),
        ("(push 1)", "1:1: expected a command that is known"),
        ("(assert ((_ extract 9 0) #x1))", "1:9: expected a function that is known"),
        ("(assert ())", "1:9: expected an expression"),
    ];
    for (text, expected) in cases {
        let error = Terms::new().read_smtlib(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    // Each function calls the previous one twice.
    let mut bomb = "(define-fun f0 ((x Bool)) Bool (not x))\n".to_owned();
    for number in 1..60 {
        let inner = number - 1;
        bomb += &format!("(define-fun f{number} ((x Bool)) Bool (and (f{inner} x) (f{inner} x)))\n");
    }
    bomb += "(assert (f59 true))";
    let error = Terms::new().read_smtlib(&bomb).expect_err("too much work").to_string();
    assert!(error.contains("less work"), "{error}");
    let distinct = "(assert (distinct".to_owned() + &" #x00".repeat(50_000) + "))";
    let error = Terms::new().read_smtlib(&distinct).expect_err("quadratic").to_string();
    assert!(error.contains("less work"), "{error}");
    let deep = "(assert ".to_owned() + &"(not ".repeat(200_000) + "true" + &")".repeat(200_001);
    assert_eq!(Terms::new().read_smtlib(&deep).expect("deep, but right").assertions.len(), 1);
}

/// Runs another solver on a script and returns its answer.
fn ask(solver: &str, arguments: &[&str], script: &str) -> String {
    let child = Command::new(solver).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{solver}: {error}"));
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(script.as_bytes()).expect("the solver reads");
    drop(input);
    let output = child.wait_with_output().expect("the solver ends");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The script with the inputs fixed to a model.
fn fixed(script: &str, model: &Model, inputs: u32) -> String {
    let mut text = script.to_owned();
    for number in 0..inputs {
        if script.contains(&format!("(declare-const i{number} ")) {
            text += &format!("(assert (= i{number} #x{:02x}))\n", model.get(Input(number)));
        }
    }
    text
}

/// Random terms of all operators, integer and floating point: other solvers compute the same values.
#[test]
fn other_solvers_agree() {
    let mut solvers = vec![("z3", ["-in", "-smt2"]), ("cvc5", ["--lang=smt2.6", "--fp-exp"])];
    solvers.retain(|(solver, _)| installed(&[solver]));
    let mut random = Random::new(43);
    let mut compared = 0;
    for round in 0..9 {
        let floats = round % 3 == 0;
        let mut expressions = Expressions::new(&mut random, false);
        for _ in 0..30 {
            expressions.step();
        }
        if floats {
            add_floats(&mut expressions);
        }
        let model = expressions.model();
        let written = conditions(&mut expressions, &model, floats);
        let terms = &mut expressions.terms;
        let mut all = terms.truth(true);
        for &condition in &written {
            all = terms.apply_plain(Op::And, Width::W1, &[all, condition]);
        }
        let none = terms.apply_plain(Op::Not, Width::W1, &[all]);
        // Our values must be possible, and no others.
        for (conditions, expected) in [(&written, "sat"), (&vec![none], "unsat")] {
            let text = fixed(&terms.smtlib(conditions).expect("no x87 format"), &model, 8);
            for (solver, arguments) in &solvers {
                let answer = ask(solver, arguments, &format!("{text}(check-sat)\n"));
                assert_eq!(answer, expected, "{solver}: {text}");
                compared += 1;
            }
        }
    }
    println!("{compared} scripts compared");
}

fn add_floats(expressions: &mut Expressions<'_>) {
    let formats = [16, 32, 64];
    for &op in Op::ALL.iter().filter(|op| op.is_float()) {
        let format = width(expressions.random.pick(&formats));
        let other = width(expressions.random.pick(&formats));
        let (result, arguments) = match op {
            Op::Int2float => (format, vec![width(expressions.random.pick(&[8, 32, 64]))]),
            Op::Float2int => (width(expressions.random.pick(&[8, 32, 64])), vec![format]),
            Op::Float2float => (other, vec![format]),
            _ => {
                let arguments = vec![format; op.arity()];
                let compares = op.check(Width::W1, &arguments).is_ok();
                (if compares { Width::W1 } else { format }, arguments)
            }
        };
        expressions.apply_plainly(op, result, &arguments);
    }
}
