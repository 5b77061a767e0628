//! The grammar of location paths: steps, node tests and predicates (XPath 1.0 §2).
//!
//! Knows nothing of operators and calls; a predicate is an expression of [`super`].

use super::super::ExpressionError;
use super::super::expression::{Axis, Id, Operation, Start, Step, Test};
use super::super::kind::Kind;
use super::super::lexer::Token;
use super::{Parsed, Parser};

impl<'x> Parser<'x> {
    /// The steps of a path whose next token is a slash.
    pub(super) fn steps(&mut self, start: Start) -> Parsed<Id> {
        // The root alone: `/`, with nothing that could be a step.
        if matches!(start, Start::Root) && self.peek() == Some(Token::Sign("/")) {
            let after = self.tokens.get(self.next + 1).map(|placed| placed.token);
            if !after.is_some_and(begins_step) {
                self.next += 1;
                return self.add(Operation::Path(start, Vec::new()));
            }
        }
        self.more_steps(start, Vec::new())
    }

    /// The steps of a path that begins with one.
    pub(super) fn relative(&mut self) -> Parsed<Id> {
        let mut steps = Vec::new();
        self.step(false, &mut steps)?;
        self.more_steps(Start::Context, steps)
    }

    fn more_steps(&mut self, start: Start, mut steps: Vec<Step>) -> Parsed<Id> {
        loop {
            let deep = match self.peek() {
                Some(Token::Sign("/")) => false,
                Some(Token::Sign("//")) => true,
                _ => return self.add(Operation::Path(start, steps)),
            };
            self.next += 1;
            self.step(deep, &mut steps)?;
        }
    }

    /// One step; `deep` if it stands behind `//`.
    fn step(&mut self, deep: bool, steps: &mut Vec<Step>) -> Parsed<()> {
        let mut step = self.plain_step()?;
        step.predicates = self.predicates()?;
        step.positional = step.predicates.iter().any(|&id| {
            let fact = self.made.fact(id);
            fact.positional || fact.kind == Kind::Number
        });
        self.steps += 1 + usize::from(deep);
        self.check_size()?;
        if deep && step.axis == Axis::Child && !step.positional {
            // The same nodes in one walk.
            step.axis = Axis::Descendant;
        } else if deep {
            steps.push(step_of(Axis::DescendantOrSelf, Test::Node));
        }
        let changes =
            step.axis != Axis::ThisNode || step.test != Test::Node || !step.predicates.is_empty();
        if changes {
            steps.push(step);
        }
        Ok(())
    }

    fn plain_step(&mut self) -> Parsed<Step> {
        if self.take(".") {
            return Ok(step_of(Axis::ThisNode, Test::Node));
        }
        if self.take("..") {
            return Ok(step_of(Axis::Parent, Test::Node));
        }
        let axis = if self.take("@") {
            Axis::Attribute
        } else if let (Some(Token::Name("", name)), Some(Token::Sign("::"))) =
            (self.peek(), self.peek_at(1))
        {
            if name == "namespace" {
                return Err(ExpressionError::NotOffered("the namespace axis"));
            }
            let axis = Axis::of(name).ok_or_else(|| self.unexpected("an axis"))?;
            self.next += 2;
            axis
        } else {
            Axis::Child
        };
        let test = self.test(axis)?;
        Ok(step_of(axis, test))
    }

    fn test(&mut self, axis: Axis) -> Parsed<Test> {
        match (self.peek(), self.peek_at(1)) {
            (Some(Token::Any("")), _) => {
                self.next += 1;
                Ok(Test::Name {
                    namespace: None,
                    name: None,
                })
            }
            (Some(Token::Any(prefix)), _) => {
                let namespace = Some(self.namespace(prefix)?);
                self.next += 1;
                Ok(Test::Name {
                    namespace,
                    name: None,
                })
            }
            (Some(Token::Name("", kind)), Some(Token::Sign("("))) => self.kind_test(kind),
            (Some(Token::Name(prefix, name)), _) => {
                let namespace = match (prefix, axis) {
                    // §2.3: an attribute without prefix is in no namespace.
                    ("", Axis::Attribute) => "".into(),
                    ("", _) => return Err(ExpressionError::Unqualified(name.to_owned())),
                    (prefix, _) => self.namespace(prefix)?,
                };
                self.next += 1;
                Ok(Test::Name {
                    namespace: Some(namespace),
                    name: Some(name.into()),
                })
            }
            _ => Err(self.unexpected("a step")),
        }
    }

    fn kind_test(&mut self, kind: &'x str) -> Parsed<Test> {
        let test = match kind {
            "node" => Test::Node,
            "text" => Test::Text,
            "comment" | "processing-instruction" => Test::Nothing,
            other => return Err(ExpressionError::UnknownFunction(other.to_owned())),
        };
        self.next += 2;
        if kind == "processing-instruction" && matches!(self.peek(), Some(Token::Literal(_))) {
            self.next += 1;
        }
        self.expect(")", "\")\"")?;
        Ok(test)
    }

    pub(super) fn predicates(&mut self) -> Parsed<Vec<Id>> {
        let mut predicates = Vec::new();
        while self.take("[") {
            predicates.push(self.expression()?);
            self.expect("]", "\"]\"")?;
        }
        Ok(predicates)
    }
}

fn step_of(axis: Axis, test: Test) -> Step {
    Step {
        axis,
        test,
        predicates: Vec::new(),
        positional: false,
    }
}

fn begins_step(token: Token<'_>) -> bool {
    matches!(
        token,
        Token::Sign("." | ".." | "@") | Token::Name(..) | Token::Any(_)
    )
}
