//! The subset of XPath that needs no engine: absolute paths of child steps.
//!
//! ```text
//! expression := path ('|' path)*
//! path       := '/' | ('/' step)+
//! step       := (prefix ':' (name | '*') | '*') predicate*
//! predicate  := '[' equality ('and' equality)* ']'
//! equality   := (prefix ':' name | '.') '=' literal
//! ```
//!
//! Everything else, right or wrong, is [`Compiled::TooComplex`] and belongs to
//! an engine. Names without prefix are left to it as well: XPath 1.0 puts them
//! in no namespace, engines for YANG in that of the context.

use super::{Condition, FILTER_NODES, FilterError, Literal, Pattern, Selection};

/// The outcome of compiling an expression.
#[derive(Debug, Clone)]
pub enum Compiled {
    /// It selects the same nodes as this selection, each with its subtree, its
    /// ancestors and their keys.
    Selection(Selection),
    /// It needs an engine.
    TooComplex,
}

/// The reason for which a piece of an expression cannot be compiled here.
enum Stop {
    TooComplex,
    Error(FilterError),
}

impl Selection {
    /// Compiles a `select` expression; `prefixes` are those in scope where it
    /// stands ([`Element::prefixes`](crate::xml::XmlElement::prefixes)).
    ///
    /// # Errors
    /// [`FilterError::UnboundPrefix`] and [`FilterError::TooBig`].
    pub fn xpath(expression: &str, prefixes: &[(&str, &str)]) -> Result<Compiled, FilterError> {
        let mut parser = Parser {
            rest: expression,
            prefixes,
            nodes: 0,
        };
        match parser.expression() {
            Ok(selection) => Ok(Compiled::Selection(selection)),
            Err(Stop::TooComplex) => Ok(Compiled::TooComplex),
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

struct Parser<'x> {
    rest: &'x str,
    prefixes: &'x [(&'x str, &'x str)],
    nodes: usize,
}

impl<'x> Parser<'x> {
    fn expression(&mut self) -> Result<Selection, Stop> {
        let mut root = Pattern::default();
        loop {
            match self.path()? {
                Some(pattern) => root.children.push(pattern),
                None => root.whole = true,
            }
            if !self.take("|") {
                break;
            }
        }
        self.skip_space();
        if !self.rest.is_empty() {
            return Err(Stop::TooComplex);
        }
        Ok(Selection::of(root))
    }

    /// One path; `None` for the root itself.
    fn path(&mut self) -> Result<Option<Pattern>, Stop> {
        if !self.take("/") {
            return Err(Stop::TooComplex);
        }
        self.skip_space();
        if self.rest.is_empty() || self.rest.starts_with('|') {
            return Ok(None);
        }
        let mut steps = vec![self.step()?];
        while self.take("/") {
            // A value ends the path: a leaf has no children.
            if steps.iter().any(|step| step.value.is_some()) {
                return Err(Stop::TooComplex);
            }
            steps.push(self.step()?);
        }
        // 64 levels are as deep as any data here; drops recurse.
        if steps.len() > 64 {
            return Err(Stop::TooComplex);
        }
        let mut below: Option<Pattern> = None;
        while let Some(mut step) = steps.pop() {
            match below.take() {
                None => step.whole = step.value.is_none(),
                Some(child) => step.children.push(child),
            }
            below = Some(step);
        }
        Ok(below)
    }

    fn step(&mut self) -> Result<Pattern, Stop> {
        self.nodes += 1;
        if self.nodes > FILTER_NODES {
            return Err(Stop::Error(FilterError::TooBig));
        }
        let mut pattern = self.name_test()?;
        while self.take("[") {
            loop {
                self.equality(&mut pattern)?;
                if !self.take_word("and") {
                    break;
                }
            }
            if !self.take("]") {
                return Err(Stop::TooComplex);
            }
        }
        // `[.='v']` beside conditions on children contradicts itself, or is not for us.
        if pattern.value.is_some() && !pattern.conditions.is_empty() {
            return Err(Stop::TooComplex);
        }
        Ok(pattern)
    }

    fn name_test(&mut self) -> Result<Pattern, Stop> {
        if self.take("*") {
            return Ok(Pattern::default());
        }
        let prefix = self.name().ok_or(Stop::TooComplex)?;
        let Some(after) = self
            .rest
            .strip_prefix(':')
            .filter(|after| !after.starts_with(':'))
        else {
            return Err(Stop::TooComplex);
        };
        self.rest = after;
        let name = if let Some(after) = self.rest.strip_prefix('*') {
            self.rest = after;
            None
        } else {
            Some(self.name().ok_or(Stop::TooComplex)?)
        };
        // A function call, not a name.
        if self.peek().is_some_and(|next| next == '(') {
            return Err(Stop::TooComplex);
        }
        let namespace = self
            .namespace_of(prefix)
            .ok_or_else(|| Stop::Error(FilterError::UnboundPrefix(prefix.to_owned())))?;
        Ok(Pattern {
            namespace: Some(namespace.into()),
            name: name.map(Into::into),
            ..Pattern::default()
        })
    }

    fn equality(&mut self, pattern: &mut Pattern) -> Result<(), Stop> {
        self.nodes += 1;
        if self.nodes > FILTER_NODES {
            return Err(Stop::Error(FilterError::TooBig));
        }
        let operand = if self.take(".") {
            None
        } else {
            Some(self.name_test()?)
        };
        if !self.take("=") {
            return Err(Stop::TooComplex);
        }
        let value = Some(Literal::new(self.literal()?, |prefix| {
            self.namespace_of(prefix)
        }));
        match operand {
            Some(operand) if operand.name.is_some() => pattern.conditions.push(Condition {
                pattern: Pattern { value, ..operand },
                shown: false,
            }),
            None if pattern.value.is_none() => pattern.value = value,
            _ => return Err(Stop::TooComplex),
        }
        Ok(())
    }

    fn literal(&mut self) -> Result<&'x str, Stop> {
        self.skip_space();
        let quote = self
            .rest
            .chars()
            .next()
            .filter(|quote| matches!(quote, '\'' | '"'))
            .ok_or(Stop::TooComplex)?;
        let (literal, after) = self.rest[1..].split_once(quote).ok_or(Stop::TooComplex)?;
        self.rest = after;
        Ok(literal)
    }

    fn namespace_of(&self, prefix: &str) -> Option<&'x str> {
        self.prefixes
            .iter()
            .find(|(known, _)| *known == prefix)
            .map(|&(_, namespace)| namespace)
    }

    fn name(&mut self) -> Option<&'x str> {
        self.skip_space();
        let is_part = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.');
        let first = self.rest.chars().next()?;
        if !(first.is_alphabetic() || first == '_') {
            return None;
        }
        let end = self
            .rest
            .find(|one| !is_part(one))
            .unwrap_or(self.rest.len());
        let (name, after) = self.rest.split_at(end);
        self.rest = after;
        Some(name)
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest.chars().next()
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(token) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let after = self.rest.strip_prefix(word);
        match after.filter(|after| after.starts_with([' ', '\t', '\n', '\r'])) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }
}
