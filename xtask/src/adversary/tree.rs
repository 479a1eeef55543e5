//! The syntax tree of a generated program, which delta debugging reduces.

use std::fmt::Write as _;

/// A piece of a program.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// Text that stays as long as the node around it stays.
    Text(String),
    /// A part that reduction may remove or simplify.
    Node(Node),
}

/// The role of a node, which determines its possible replacements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A statement, declaration or function: it may be removed, or replaced by the statements inside.
    Statement,
    /// An expression of a type, by its C name: it may become a constant, or one of its operands.
    Expression(&'static str),
}

/// A statement or an expression.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) role: Role,
    pub(super) items: Vec<Item>,
}

impl From<String> for Item {
    fn from(text: String) -> Item {
        Item::Text(text)
    }
}

impl From<&str> for Item {
    fn from(text: &str) -> Item {
        Item::Text(text.to_owned())
    }
}

impl From<Node> for Item {
    fn from(node: Node) -> Item {
        Item::Node(node)
    }
}

/// A list of items from text and nodes.
macro_rules! items {
    ($($item:expr),* $(,)?) => { vec![$($crate::adversary::tree::Item::from($item)),*] };
}
pub(super) use items;

impl Node {
    pub(super) fn statement(items: Vec<Item>) -> Node {
        Node { role: Role::Statement, items }
    }

    pub(super) fn expression(kind: &'static str, items: Vec<Item>) -> Node {
        Node { role: Role::Expression(kind), items }
    }

    /// The program as text.
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        for item in &self.items {
            match item {
                Item::Text(part) => text.push_str(part),
                Item::Node(node) => node.write(text),
            }
        }
        if self.role == Role::Statement {
            let _ = writeln!(text);
        }
    }

    pub(super) fn is_statement(&self) -> bool {
        self.role == Role::Statement
    }

    /// The number of nodes, including this one.
    pub(super) fn count(&self) -> usize {
        1 + self.children().map(Node::count).sum::<usize>()
    }

    fn children(&self) -> impl Iterator<Item = &Node> {
        self.items.iter().filter_map(|item| match item {
            Item::Node(node) => Some(node),
            Item::Text(_) => None,
        })
    }

    /// The node with this number in preorder.
    pub(super) fn find(&self, mut number: usize) -> Option<&Node> {
        if number == 0 {
            return Some(self);
        }
        number -= 1;
        for child in self.children() {
            let count = child.count();
            if number < count {
                return child.find(number);
            }
            number -= count;
        }
        None
    }

    /// The tree with the node of this number replaced; it is not the root.
    pub(super) fn replaced(&self, number: usize, by: &Node) -> Node {
        let mut tree = self.clone();
        if let Some(place) = tree.find_mutable(number) {
            *place = by.clone();
        }
        tree
    }

    fn find_mutable(&mut self, mut number: usize) -> Option<&mut Node> {
        if number == 0 {
            return Some(self);
        }
        number -= 1;
        for item in &mut self.items {
            let Item::Node(child) = item else { continue };
            let count = child.count();
            if number < count {
                return child.find_mutable(number);
            }
            number -= count;
        }
        None
    }

    /// Simpler replacements of this node, the smallest first.
    pub(super) fn simpler(&self) -> Vec<Node> {
        let same_role =
            |child: &&Node| matches!(child.role, Role::Statement) == (self.role == Role::Statement);
        let inner: Vec<&Node> = self.children().filter(same_role).collect();
        match &self.role {
            Role::Statement => {
                let nothing = Node::statement(Vec::new());
                let is_empty = self.items.is_empty();
                let hoisted = (!inner.is_empty())
                    .then(|| Node::statement(inner.iter().map(|node| Item::Node((*node).clone())).collect()));
                let is_hoisted = self.children().count() == self.items.len();
                let removed = (!is_empty).then_some(nothing);
                removed.into_iter().chain(hoisted.filter(|_| !is_hoisted)).collect()
            }
            Role::Expression(kind) => {
                if inner.is_empty() && self.items.len() <= 1 && self.render().len() < 10 {
                    return Vec::new();
                }
                let constant = |value: u32| Node::expression(kind, items![format!("(({kind}){value})")]);
                let operand =
                    |node: &Node| Node::expression(kind, items![format!("(({kind})"), node.clone(), ")"]);
                let closes = matches!(self.items.last(), Some(Item::Text(text)) if text == ")");
                let is_cast =
                    closes && inner.len() == 1 && self.items.len() == 3 && inner[0].role == self.role;
                let operands = inner.iter().filter(|_| !is_cast).map(|node| operand(node));
                [constant(0), constant(1)].into_iter().chain(operands).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Node {
        let condition = Node::expression("u8", items!["(", Node::expression("u8", items!["a"]), " + 1)"]);
        let inner = Node::statement(items!["x = 1;"]);
        Node::statement(items!["if (", condition, ") {\n", inner, "}"])
    }

    #[test]
    fn nodes_are_numbered_in_the_order_of_the_text() {
        let root = Node::statement(items![sample()]);
        assert_eq!(root.count(), 5);
        assert_eq!(root.find(3).map(Node::render).as_deref(), Some("a"));
        assert!(root.find(5).is_none());
    }

    #[test]
    fn a_statement_is_removed_or_replaced_by_what_is_inside() {
        let texts: Vec<String> = sample().simpler().iter().map(Node::render).collect();
        assert_eq!(texts, ["\n", "x = 1;\n\n"]);
        let root = Node::statement(items![sample()]);
        assert_eq!(root.replaced(1, &Node::statement(Vec::new())).render(), "\n\n");
    }

    #[test]
    fn an_expression_becomes_a_constant_or_an_operand() {
        let root = sample();
        let condition = root.find(1).expect("the condition");
        let texts: Vec<String> = condition.simpler().iter().map(Node::render).collect();
        assert_eq!(texts, ["((u8)0)", "((u8)1)", "((u8)a)"]);
    }
}
