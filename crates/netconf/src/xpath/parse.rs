//! The parser from tokens to an [`Expression`] (XPath 1.0 §3), by recursive descent of bounded
//! depth; location paths (§2) are in [`path`].
//!
//! Names are resolved and kinds are checked here, so that a wrong expression is refused before any
//! data are read. Read next: [`super::evaluate`].

mod path;

use super::expression::{
    Arithmetic, Derived, Expression, Facts, Id, Operation, Relation, Start, Step,
};
use super::function::Function;
use super::kind::Kind;
use super::lexer::{Placed, Token, syntax, tokens};
use super::{EXPRESSION_DEPTH, EXPRESSION_NODES, ExpressionError};
use crate::names::namespace;

type Parsed<T> = Result<T, ExpressionError>;

/// The operators of two operands that bind alike (§3.4, §3.5), the loosest first.
const EQUALITY: &[(&str, Relation)] = &[("=", Relation::Equal), ("!=", Relation::Unequal)];
const ORDER: &[(&str, Relation)] = &[
    ("<", Relation::Less),
    ("<=", Relation::LessOrEqual),
    (">", Relation::Greater),
    (">=", Relation::GreaterOrEqual),
];
const SUM: &[(&str, Arithmetic)] = &[("+", Arithmetic::Add), ("-", Arithmetic::Subtract)];
const PRODUCT: &[(&str, Arithmetic)] = &[
    ("*", Arithmetic::Multiply),
    ("div", Arithmetic::Divide),
    ("mod", Arithmetic::Remainder),
];

impl Expression {
    /// Reads an expression in one pass. `prefixes` are those in scope where it stands
    /// ([`Element::prefixes`](crate::xml::XmlElement::prefixes)); as everywhere in XPath 1.0 the
    /// default namespace does not count.
    ///
    /// # Errors
    /// [`ExpressionError`]; what passes a limit of length, size or depth is
    /// [`ExpressionError::TooBig`].
    pub fn parse(text: &str, prefixes: &[(&str, &str)]) -> Result<Self, ExpressionError> {
        let mut parser = Parser {
            text,
            tokens: tokens(text)?,
            next: 0,
            prefixes,
            nested: 0,
            steps: 0,
            made: Expression {
                nodes: Vec::new(),
                facts: Vec::new(),
                root: 0,
                namespaces: Vec::new(),
            },
        };
        let root = parser.expression()?;
        if parser.next < parser.tokens.len() {
            return Err(parser.unexpected("an operator or the end"));
        }
        parser.made.root = root;
        Ok(parser.made)
    }
}

struct Parser<'x> {
    text: &'x str,
    tokens: Vec<Placed<'x>>,
    next: usize,
    prefixes: &'x [(&'x str, &'x str)],
    nested: usize,
    steps: usize,
    made: Expression,
}

impl<'x> Parser<'x> {
    fn expression(&mut self) -> Parsed<Id> {
        self.nested += 1;
        if self.nested > EXPRESSION_DEPTH {
            return Err(too_deep());
        }
        let made = self.list("or", Self::conjunction, Operation::Or)?;
        self.nested -= 1;
        Ok(made)
    }

    fn conjunction(&mut self) -> Parsed<Id> {
        self.list("and", Self::equality, Operation::And)
    }

    /// `part (sign part)*`, as one operation however many there are.
    fn list(
        &mut self,
        sign: &'static str,
        part: fn(&mut Self) -> Parsed<Id>,
        operation: fn(Vec<Id>) -> Operation,
    ) -> Parsed<Id> {
        let mut parts = vec![part(self)?];
        while self.take(sign) {
            parts.push(part(self)?);
        }
        match parts[..] {
            [only] => Ok(only),
            _ => self.add(operation(parts)),
        }
    }

    fn equality(&mut self) -> Parsed<Id> {
        self.chain(Self::order, EQUALITY, Operation::Compare)
    }

    fn order(&mut self) -> Parsed<Id> {
        self.chain(Self::sum, ORDER, Operation::Compare)
    }

    fn sum(&mut self) -> Parsed<Id> {
        self.chain(Self::product, SUM, Operation::Calculate)
    }

    fn product(&mut self) -> Parsed<Id> {
        self.chain(Self::negation, PRODUCT, Operation::Calculate)
    }

    /// `part (operator part)*`, each operation the left operand of the next.
    fn chain<Operator: Copy>(
        &mut self,
        part: fn(&mut Self) -> Parsed<Id>,
        operators: &[(&'static str, Operator)],
        operation: fn(Operator, Id, Id) -> Operation,
    ) -> Parsed<Id> {
        let mut left = part(self)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| self.take(sign)) {
            let right = part(self)?;
            left = self.add(operation(*operator, left, right))?;
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Id> {
        let mut signs = 0;
        while self.take("-") {
            signs += 1;
        }
        let mut made = self.union()?;
        // Two signs make the number what it was, but they make it a number.
        let negations = match signs {
            0 => 0,
            signs => 2 - signs % 2,
        };
        for _ in 0..negations {
            made = self.add(Operation::Negate(made))?;
        }
        Ok(made)
    }

    fn union(&mut self) -> Parsed<Id> {
        let mut parts = vec![self.path()?];
        while self.take("|") {
            parts.push(self.path()?);
        }
        if let [only] = parts[..] {
            return Ok(only);
        }
        for &part in &parts {
            self.demand_nodes(part, "a part of a union")?;
        }
        self.add(Operation::Union(parts))
    }

    /// A location path, or a primary expression with what follows it (§3.3).
    fn path(&mut self) -> Parsed<Id> {
        if self.at_primary() {
            let mut primary = self.primary()?;
            let predicates = self.predicates()?;
            if !predicates.is_empty() {
                self.demand_nodes(primary, "what a predicate follows")?;
                primary = self.add(Operation::Filter(primary, predicates))?;
            }
            if !matches!(self.peek(), Some(Token::Sign("/" | "//"))) {
                return Ok(primary);
            }
            self.demand_nodes(primary, "what a path begins with")?;
            return self.steps(Start::Nodes(primary));
        }
        match self.peek() {
            Some(Token::Sign("/" | "//")) => self.steps(Start::Root),
            _ => self.relative(),
        }
    }

    fn at_primary(&self) -> bool {
        match self.peek() {
            Some(Token::Sign("(" | "$") | Token::Literal(_) | Token::Number(_)) => true,
            Some(Token::Name(prefix, name)) => {
                let kinds = ["node", "text", "comment", "processing-instruction"];
                self.peek_at(1) == Some(Token::Sign("("))
                    && !(prefix.is_empty() && kinds.contains(&name))
            }
            _ => false,
        }
    }

    fn primary(&mut self) -> Parsed<Id> {
        match self.peek() {
            Some(Token::Sign("(")) => {
                self.next += 1;
                let made = self.expression()?;
                self.expect(")", "\")\"")?;
                Ok(made)
            }
            Some(Token::Literal(text)) => {
                self.next += 1;
                let identity = text.split_once(':').and_then(|(prefix, name)| {
                    let namespace = self.bound(prefix)?;
                    Some((namespace.into(), name.into()))
                });
                self.add(Operation::Literal {
                    text: text.into(),
                    identity,
                })
            }
            Some(Token::Number(number)) => {
                self.next += 1;
                self.add(Operation::Number(number))
            }
            Some(Token::Name(prefix, name)) => self.call(prefix, name),
            _ => Err(ExpressionError::NotOffered("a variable")),
        }
    }

    fn call(&mut self, prefix: &str, name: &str) -> Parsed<Id> {
        match (prefix, name) {
            ("", "derived-from") => return self.derived("derived-from", false),
            ("", "derived-from-or-self") => return self.derived("derived-from-or-self", true),
            _ => {}
        }
        let function = Function::of(name).filter(|_| prefix.is_empty());
        let function = function.ok_or_else(|| ExpressionError::UnknownFunction(name.to_owned()))?;
        let arguments = self.arguments()?;
        let kinds: Vec<_> = arguments
            .iter()
            .map(|&id| self.made.fact(id).kind)
            .collect();
        if !function.takes(&kinds) {
            return Err(ExpressionError::Arguments {
                function: function.name(),
                expected: function.signature(),
            });
        }
        self.add(Operation::Call(function, arguments))
    }

    fn arguments(&mut self) -> Parsed<Vec<Id>> {
        self.next += 2;
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", "\",\" or \")\"")?;
        Ok(arguments)
    }

    /// RFC 7950 §10.4: the name of the identity is resolved with the prefixes of the expression, so
    /// it must be a literal.
    fn derived(&mut self, function: &'static str, or_self: bool) -> Parsed<Id> {
        let arguments = self.arguments()?;
        let wrong = ExpressionError::Arguments {
            function,
            expected: "a node-set and the qualified name of an identity as a literal",
        };
        let [nodes, identity] = arguments[..] else {
            return Err(wrong);
        };
        if self.made.fact(nodes).kind != Kind::Nodes {
            return Err(wrong);
        }
        let base = match self.made.node(identity) {
            Operation::Literal {
                identity: Some(base),
                ..
            } => base.clone(),
            Operation::Literal { text, .. } if text.contains(':') => {
                let prefix = text.split(':').next().unwrap_or_default();
                return Err(ExpressionError::UnboundPrefix(prefix.to_owned()));
            }
            _ => return Err(wrong),
        };
        self.add(Operation::Derived(Derived {
            nodes,
            base,
            or_self,
        }))
    }

    /// Puts an operation into the table, with its static facts.
    fn add(&mut self, operation: Operation) -> Parsed<Id> {
        let fact = self.facts_of(&operation);
        if usize::from(fact.depth) > EXPRESSION_DEPTH {
            return Err(too_deep());
        }
        let id = Id::try_from(self.made.nodes.len()).expect("the size is limited");
        self.made.nodes.push(operation);
        self.made.facts.push(fact);
        self.check_size()?;
        Ok(id)
    }

    fn check_size(&self) -> Parsed<()> {
        match self.made.nodes.len() + self.steps > EXPRESSION_NODES {
            true => Err(ExpressionError::TooBig {
                what: "operators, steps and calls",
                limit: EXPRESSION_NODES,
            }),
            false => Ok(()),
        }
    }

    fn facts_of(&self, operation: &Operation) -> Facts {
        let (kind, operands, own): (_, &[Id], _) = match operation {
            Operation::Or(parts) | Operation::And(parts) => (Kind::Boolean, parts, true),
            Operation::Compare(_, left, right) => (Kind::Boolean, &[*left, *right], true),
            Operation::Calculate(_, left, right) => (Kind::Number, &[*left, *right], true),
            Operation::Negate(part) => (Kind::Number, &[*part], true),
            Operation::Union(parts) => (Kind::Nodes, parts, true),
            Operation::Path(Start::Root, _) => (Kind::Nodes, &[], true),
            Operation::Path(Start::Context, _) => (Kind::Nodes, &[], false),
            Operation::Path(Start::Nodes(start), _) => (Kind::Nodes, &[*start], true),
            Operation::Filter(primary, _) => (Kind::Nodes, &[*primary], true),
            Operation::Literal { .. } => (Kind::Text, &[], true),
            Operation::Number(_) => (Kind::Number, &[], true),
            Operation::Call(function, arguments) => (
                function.yields(),
                arguments,
                !function.reads_context(arguments.len()),
            ),
            Operation::Derived(wanted) => {
                (Kind::Boolean, std::slice::from_ref(&wanted.nodes), true)
            }
        };
        let facts = || operands.iter().map(|&id| self.made.fact(id));
        let asks = matches!(operation, Operation::Call(function, _) if function.is_positional());
        // Predicates have a context of their own, but they are walked inside this one.
        let inside = self.predicates_of(operation).map(|id| self.made.fact(id));
        let deepest = facts().chain(inside).map(|fact| fact.depth).max();
        Facts {
            kind,
            constant: own && facts().all(|fact| fact.constant),
            positional: asks || facts().any(|fact| fact.positional),
            depth: deepest.unwrap_or(0) + 1,
        }
    }

    fn predicates_of<'o>(&self, operation: &'o Operation) -> impl Iterator<Item = Id> + use<'o> {
        let (steps, predicates): (&[Step], &[Id]) = match operation {
            Operation::Path(_, steps) => (steps, &[]),
            Operation::Filter(_, predicates) => (&[], predicates),
            _ => (&[], &[]),
        };
        let of_steps = steps.iter().flat_map(|step| step.predicates.iter());
        of_steps.chain(predicates).copied()
    }

    fn demand_nodes(&self, id: Id, what: &'static str) -> Parsed<()> {
        match self.made.fact(id).kind {
            Kind::Nodes => Ok(()),
            _ => Err(ExpressionError::NoNodeSet(what)),
        }
    }

    fn bound(&self, prefix: &str) -> Option<&'x str> {
        if prefix == "xml" {
            return Some(namespace::XML);
        }
        let mut known = self.prefixes.iter().filter(|_| !prefix.is_empty());
        known.find(|(p, _)| *p == prefix).map(|&(_, uri)| uri)
    }

    fn namespace(&mut self, prefix: &str) -> Parsed<Box<str>> {
        let found = self.bound(prefix);
        let namespace = found.ok_or_else(|| ExpressionError::UnboundPrefix(prefix.to_owned()))?;
        let used = &mut self.made.namespaces;
        if !used.iter().any(|(known, _)| **known == *prefix) {
            used.push((prefix.into(), namespace.into()));
        }
        Ok(namespace.into())
    }

    fn peek(&self) -> Option<Token<'x>> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<Token<'x>> {
        let placed = self.tokens.get(self.next + ahead);
        placed.map(|placed| placed.token)
    }

    fn take(&mut self, sign: &'static str) -> bool {
        let found = self.peek() == Some(Token::Sign(sign));
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &'static str, told: &'static str) -> Parsed<()> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.unexpected(told)),
        }
    }

    fn unexpected(&self, expected: &'static str) -> ExpressionError {
        let here = self.tokens.get(self.next).map(|placed| placed.at);
        let from = here.unwrap_or(self.text.len());
        let until = self.tokens.get(self.next + 1).map(|placed| placed.at);
        let found = self.text[from..until.unwrap_or(self.text.len())].trim_end();
        // A literal may be long; its beginning tells which it is.
        let found = found.chars().take(32).collect();
        syntax(self.text, from, expected, found)
    }
}

fn too_deep() -> ExpressionError {
    ExpressionError::TooBig {
        what: "levels",
        limit: EXPRESSION_DEPTH,
    }
}
