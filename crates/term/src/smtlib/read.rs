//! Parser of SMT-LIB 2 scripts.

use everypath_ir::{Op, ParseError, Width};
use rustc_hash::FxHashMap;

use super::function;
use super::sort::{Sort, Value, constant, sort};
use super::tree::{Tree, Trees};
use crate::{Array, Input, Term, Terms};

/// The maximum index width of a declared array: each of its bytes becomes an input byte.
const ARRAY_BITS: u32 = 10;

/// The content of a script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The asserted conditions, of one bit each, without simplification.
    pub assertions: Vec<Term>,
    /// The declared names, in order.
    pub declared: Vec<(String, Declared)>,
}

/// The value of a declared name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// A term over input bytes; if its width is not a multiple of eight, the top bits of the last byte are unused.
    Term(Term),
    /// An array of input bytes.
    Array(Array),
}

impl Terms {
    /// Parses a script of bit vectors, Booleans and byte arrays. A byte named `i5` is input byte 5; other constants
    /// become the input bytes after the highest one so named, least significant first. Commands that neither declare,
    /// define nor assert are ignored.
    ///
    /// # Errors
    /// The position at which the text is not such a script.
    pub fn read_smtlib(&mut self, text: &str) -> Result<Script, ParseError> {
        let trees = Trees::read(text)?;
        let mut reader = Reader {
            // Nested function definitions can multiply the work exponentially; this limit suffices for scripts that are
            // not adversarial.
            steps: 1_000_000 + 64 * text.len() as u64,
            next_input: first_free_input(&trees),
            trees: &trees,
            terms: self,
            names: FxHashMap::default(),
            scopes: vec![FxHashMap::default()],
            functions: FxHashMap::default(),
            script: Script::default(),
        };
        for &command in &trees.commands {
            reader.command(command)?;
        }
        Ok(reader.script)
    }
}

/// The number of the input byte that a name denotes.
fn named_input(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('i')?;
    let plain = digits == "0" || !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

fn first_free_input(trees: &Trees<'_>) -> u32 {
    let declared = trees.commands.iter().filter_map(|&command| {
        let list = trees.list(command)?;
        let declares = matches!(trees.word(*list.first()?)?, "declare-const" | "declare-fun");
        declares.then(|| named_input(trees.word(*list.get(1)?)?))?
    });
    declared.max().map_or(0, |highest| highest.saturating_add(1))
}

/// A function definition.
struct Function<'a> {
    parameters: Vec<&'a str>,
    body: Tree,
}

/// A task of expression evaluation, which is iterative so that expressions may be deep.
enum Task<'a> {
    Evaluate(Tree),
    /// Apply the head of this list to the last values.
    Apply(Tree, usize),
    /// Bind these names to the last values.
    Bind(Vec<&'a str>),
    Unbind(Vec<&'a str>),
    /// The end of a function's body.
    Return,
}

struct Reader<'a, 'b> {
    trees: &'b Trees<'a>,
    terms: &'b mut Terms,
    names: FxHashMap<&'a str, Value>,
    /// The bindings of `let` and of parameters; a function call has its own scope, which hides the caller's.
    scopes: Vec<FxHashMap<&'a str, Vec<Value>>>,
    functions: FxHashMap<&'a str, Function<'a>>,
    next_input: u32,
    steps: u64,
    script: Script,
}

impl<'a> Reader<'a, '_> {
    fn command(&mut self, command: Tree) -> Result<(), ParseError> {
        let trees = self.trees;
        let list = trees.list(command).unwrap_or(&[]);
        let name = list.first().and_then(|&head| trees.word(head)).unwrap_or("");
        match (name, &list[list.len().min(1)..]) {
            ("declare-const", &[name, of]) => self.declare(name, of),
            ("declare-fun", &[name, parameters, of]) if trees.list(parameters) == Some(&[]) => {
                self.declare(name, of)
            }
            ("define-const", &[name, _, body]) => self.define(name, body),
            ("define-fun", &[name, parameters, of, body]) => {
                if sort(trees, of).is_none() {
                    return trees.error(of, "Bool, a bit vector of 1 to 512 bits or an array of bytes");
                }
                match trees.list(parameters) {
                    Some([]) => self.define(name, body),
                    Some(parameters) => self.define_function(name, parameters, body),
                    None => trees.error(parameters, "a list of parameters"),
                }
            }
            ("assert", &[condition]) => match self.evaluate(condition)? {
                Value::Truth(term) => {
                    self.script.assertions.push(term);
                    Ok(())
                }
                _ => trees.error(condition, "a truth value"),
            },
            (
                "set-logic" | "set-info" | "set-option" | "check-sat" | "get-model" | "get-value"
                | "get-info" | "get-unsat-core" | "echo" | "exit",
                _,
            ) => Ok(()),
            _ => trees.error(command, "a command that is known: declare, define or assert"),
        }
    }

    /// Charges work against the limit.
    fn charge(&mut self, cost: u64, tree: Tree) -> Result<(), ParseError> {
        self.steps = self.steps.saturating_sub(cost);
        if self.steps == 0 { self.trees.error(tree, "a script that takes less work") } else { Ok(()) }
    }

    fn new_name(&self, name: Tree) -> Result<&'a str, ParseError> {
        match self.trees.word(name) {
            Some(word) if !self.names.contains_key(word) && !self.functions.contains_key(word) => Ok(word),
            _ => self.trees.error(name, "a new name"),
        }
    }

    fn fresh_input(&mut self, at: Tree) -> Result<Term, ParseError> {
        let number = self.next_input;
        let Some(next) = number.checked_add(1) else { return self.trees.error(at, "fewer inputs") };
        self.next_input = next;
        Ok(self.terms.input(Input(number)))
    }

    fn declare(&mut self, name: Tree, of: Tree) -> Result<(), ParseError> {
        let word = self.new_name(name)?;
        let value = match sort(self.trees, of) {
            Some(Sort::Truth) => {
                let byte = self.fresh_input(name)?;
                Value::Truth(self.terms.extract(byte, 0, Width::W1))
            }
            Some(Sort::Bits(Width::W8)) if named_input(word).is_some() => {
                Value::Bits(self.terms.input(Input(named_input(word).unwrap_or(0))))
            }
            Some(Sort::Bits(width)) => Value::Bits(self.declared_bits(name, width)?),
            Some(Sort::Array(index)) if index.bits() <= ARRAY_BITS => {
                self.charge(1 << index.bits(), name)?;
                let mut array = self.terms.table(&[], index);
                for place in 0..1 << index.bits() {
                    let byte = self.fresh_input(name)?;
                    let place = self.terms.constant_u64(place, index);
                    array = self.terms.store(array, place, byte);
                }
                Value::Array(array)
            }
            _ => {
                let expected = "Bool, a bit vector of 1 to 512 bits or an array of bytes with indices of at most 10 bits";
                return self.trees.error(of, expected);
            }
        };
        let declared = match value {
            Value::Truth(term) | Value::Bits(term) => Declared::Term(term),
            Value::Array(array) => Declared::Array(array),
        };
        self.script.declared.push((word.to_owned(), declared));
        self.names.insert(word, value);
        Ok(())
    }

    fn declared_bits(&mut self, name: Tree, width: Width) -> Result<Term, ParseError> {
        let mut value = self.fresh_input(name)?;
        for _ in 1..width.bytes() {
            let byte = self.fresh_input(name)?;
            let Some(both) = Width::new(self.terms.width(value).bits() + 8) else {
                return self.trees.error(name, "a bit vector of at most 512 bits");
            };
            value = self.terms.apply_plain(Op::Concat, both, &[byte, value]);
        }
        if self.terms.width(value) == width {
            return Ok(value);
        }
        Ok(self.terms.apply_plain(Op::Extract(0), width, &[value]))
    }

    fn define(&mut self, name: Tree, body: Tree) -> Result<(), ParseError> {
        let word = self.new_name(name)?;
        let value = self.evaluate(body)?;
        self.names.insert(word, value);
        Ok(())
    }

    fn define_function(&mut self, name: Tree, parameters: &[Tree], body: Tree) -> Result<(), ParseError> {
        let word = self.new_name(name)?;
        let mut names = Vec::new();
        for &parameter in parameters {
            match self.trees.list(parameter) {
                Some(&[name, of]) if sort(self.trees, of).is_some() => {
                    names.extend(self.trees.word(name));
                }
                _ => return self.trees.error(parameter, "a parameter with its sort"),
            }
        }
        self.functions.insert(word, Function { parameters: names, body });
        Ok(())
    }

    fn evaluate(&mut self, expression: Tree) -> Result<Value, ParseError> {
        let mut tasks = vec![Task::Evaluate(expression)];
        let mut values = Vec::new();
        while let Some(task) = tasks.pop() {
            self.charge(1, expression)?;
            match task {
                Task::Evaluate(tree) => {
                    if let Some(value) = self.start(tree, &mut tasks)? {
                        values.push(value);
                    }
                }
                Task::Apply(tree, count) => {
                    let arguments = values.split_off(values.len() - count);
                    if let Some(value) = self.apply(tree, &arguments, &mut tasks)? {
                        values.push(value);
                    }
                }
                Task::Bind(names) => {
                    let bound = values.split_off(values.len() - names.len());
                    self.bind(&names, &bound);
                }
                Task::Unbind(names) => self.unbind(&names),
                Task::Return => {
                    self.scopes.pop();
                }
            }
        }
        match values.pop() {
            Some(value) => Ok(value),
            None => self.trees.error(expression, "an expression"),
        }
    }

    fn bind(&mut self, names: &[&'a str], values: &[Value]) {
        let Some(scope) = self.scopes.last_mut() else { return };
        for (name, value) in names.iter().zip(values) {
            scope.entry(name).or_default().push(*value);
        }
    }

    fn unbind(&mut self, names: &[&'a str]) {
        let Some(scope) = self.scopes.last_mut() else { return };
        for name in names {
            if let Some(values) = scope.get_mut(name) {
                values.pop();
            }
        }
    }

    fn look_up(&self, name: &str) -> Option<Value> {
        let local = self.scopes.last().and_then(|scope| scope.get(name)).and_then(|values| values.last());
        local.or_else(|| self.names.get(name)).copied()
    }

    /// The value of a symbol or constant; for a list, pushes its tasks.
    fn start(&mut self, tree: Tree, tasks: &mut Vec<Task<'a>>) -> Result<Option<Value>, ParseError> {
        let trees = self.trees;
        if let Some(bits) = constant(trees, tree) {
            return Ok(Some(Value::Bits(self.terms.constant(&bits))));
        }
        let list = match (trees.word(tree), trees.list(tree)) {
            (Some(word), _) => {
                return match (self.look_up(word), word) {
                    (Some(value), _) => Ok(Some(value)),
                    (None, "true" | "false") => Ok(Some(Value::Truth(self.terms.truth(word == "true")))),
                    (None, _) => trees.error(tree, "a name that is declared or defined, or a constant"),
                };
            }
            (None, Some(list)) if !list.is_empty() => list,
            _ => return trees.error(tree, "an expression"),
        };
        match (trees.word(list[0]), &list[1..]) {
            (Some("let"), &[bindings, body]) => {
                let (mut names, mut expressions) = (Vec::new(), Vec::new());
                for &binding in trees.list(bindings).unwrap_or(&[]) {
                    match trees.list(binding) {
                        Some(&[name, expression]) if trees.word(name).is_some() => {
                            names.extend(trees.word(name));
                            expressions.push(expression);
                        }
                        _ => return trees.error(binding, "a name and an expression"),
                    }
                }
                tasks.push(Task::Unbind(names.clone()));
                tasks.push(Task::Evaluate(body));
                tasks.push(Task::Bind(names));
                tasks.extend(expressions.into_iter().rev().map(Task::Evaluate));
            }
            (Some("!"), [annotated, ..]) => tasks.push(Task::Evaluate(*annotated)),
            (_, arguments) => {
                tasks.push(Task::Apply(tree, arguments.len()));
                tasks.extend(arguments.iter().rev().map(|&argument| Task::Evaluate(argument)));
            }
        }
        Ok(None)
    }

    /// Applies the head of a list to the values of its arguments.
    fn apply(
        &mut self,
        tree: Tree,
        arguments: &[Value],
        tasks: &mut Vec<Task<'a>>,
    ) -> Result<Option<Value>, ParseError> {
        let trees = self.trees;
        let head = trees.list(tree).unwrap_or(&[])[0];
        if let Some(function) = trees.word(head).and_then(|word| self.functions.get(word)) {
            if function.parameters.len() != arguments.len() {
                return trees.error(tree, "as many arguments as there are parameters");
            }
            let (parameters, body) = (function.parameters.clone(), function.body);
            self.scopes.push(FxHashMap::default());
            self.bind(&parameters, arguments);
            tasks.push(Task::Return);
            tasks.push(Task::Evaluate(body));
            return Ok(None);
        }
        if let Some(&[keyword, what, of]) = trees.list(head)
            && trees.word(keyword) == Some("as")
            && trees.word(what) == Some("const")
        {
            return match (sort(trees, of), arguments) {
                (Some(Sort::Array(index)), &[Value::Bits(value)]) if self.terms.as_u64(value) == Some(0) => {
                    Ok(Some(Value::Array(self.terms.table(&[], index))))
                }
                _ => trees.error(head, "an array of bytes that are zero"),
            };
        }
        let (name, numbers) = match trees.word(head) {
            Some(word) => (word, vec![]),
            None => match trees.indexed(head) {
                Some(indexed) => indexed,
                None => return trees.error(head, "a function"),
            },
        };
        let cost = match name {
            "distinct" => (arguments.len() as u64).pow(2),
            "repeat" => numbers.first().copied().unwrap_or(0).into(),
            _ => arguments.len() as u64,
        };
        self.charge(cost, tree)?;
        match function::apply(self.terms, name, &numbers, arguments) {
            Ok(value) => Ok(Some(value)),
            Err(expected) => trees.error(tree, expected),
        }
    }
}
