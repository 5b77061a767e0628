//! I-Regexp (RFC 9485): patterns that match whole strings and mean the same everywhere.
//!
//! Knows the grammar of RFC 9485 §4. What a pattern matches is the contract's
//! ([`crate::contract::check_pattern`]); how it is written in other dialects, the renderings'. Other
//! dialects' `\d`, `\b` or `(?i)` are refused, for the next reader would take them otherwise.

use std::str::Chars;

/// Groups within groups.
const GROUPS_MAX: usize = 32;

/// A parsed I-Regexp.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// `a|b`; one branch at least.
    Choice(Vec<Node>),
    /// `ab`.
    Sequence(Vec<Node>),
    /// `a{2,3}`; without `max` unbounded.
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// One character out of a set.
    Class(Class),
}

/// A set of characters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Class {
    /// True if it is all that is not listed.
    pub(crate) negated: bool,
    /// The items listed, in its order; no item begins with the character that the one before ends
    /// with, so that nobody reads `&&` or `~~` into it.
    pub(crate) items: Vec<Item>,
}

/// An item of a set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// From one character to another, both included.
    Range(char, char),
    /// `\p{name}`, or `\P{name}` where `negated`.
    Category { name: String, negated: bool },
}

/// The reason why something is no I-Regexp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not written as RFC 9485 §4 says: where, in bytes from the start, and what stands there;
    /// nothing at the end.
    Grammar { at: usize, found: Option<char> },
    /// Groups nest deeper than 32.
    TooDeep,
}

impl Class {
    fn one(c: char) -> Self {
        Self::of(false, [Item::Range(c, c)])
    }

    fn of(negated: bool, listed: impl IntoIterator<Item = Item>) -> Self {
        let mut items: Vec<Item> = Vec::new();
        for item in listed {
            match (items.last_mut(), &item) {
                (Some(Item::Range(_, end)), Item::Range(low, high)) if end == low => *end = *high,
                _ => items.push(item),
            }
        }
        Self { negated, items }
    }

    /// The single character that it stands for, if it is no more than that.
    pub(crate) fn literal(&self) -> Option<char> {
        match (self.negated, self.items.as_slice()) {
            (false, [Item::Range(low, high)]) if low == high => Some(*low),
            _ => None,
        }
    }

    /// The characters that it holds, as sorted, disjoint ranges of code points; none if it names a
    /// category.
    pub(crate) fn ranges(&self) -> Option<Vec<(u32, u32)>> {
        let mut ranges = Vec::new();
        for item in &self.items {
            match item {
                Item::Range(low, high) => ranges.push((u32::from(*low), u32::from(*high))),
                Item::Category { .. } => return None,
            }
        }
        ranges.sort_unstable();
        Some(match self.negated {
            true => complement(&ranges),
            false => merged(&ranges),
        })
    }
}

impl Node {
    /// This text and no other.
    pub(crate) fn text(text: &str) -> Self {
        Self::Sequence(text.chars().map(|c| Self::Class(Class::one(c))).collect())
    }
}

/// Parses an I-Regexp.
///
/// # Errors
/// [`Fault`] if it is none, or nests too deep.
pub(crate) fn parse(pattern: &str) -> Result<Node, Fault> {
    let mut parser = Parser {
        rest: pattern.chars(),
        length: pattern.len(),
        depth: 0,
    };
    let node = parser.choice()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => parser.refuse(),
    }
}

/// The general categories that RFC 9485 §4 names.
const CATEGORIES: [&str; 36] = [
    "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P", "Pc",
    "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Z", "Zl", "Zp", "Zs", "S", "Sc", "Sk", "Sm", "So", "C",
    "Cc", "Cf", "Cn", "Co",
];

struct Parser<'a> {
    rest: Chars<'a>,
    length: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest.next();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), Fault> {
        match self.eat(wanted) {
            true => Ok(()),
            false => self.refuse(),
        }
    }

    /// Refuses what comes next: it cannot stand here.
    fn refuse<T>(&self) -> Result<T, Fault> {
        Err(Fault::Grammar {
            at: self.length - self.rest.as_str().len(),
            found: self.peek(),
        })
    }

    fn choice(&mut self) -> Result<Node, Fault> {
        let mut branches = vec![self.branch()?];
        while self.eat('|') {
            branches.push(self.branch()?);
        }
        Ok(match branches.len() {
            1 => branches.swap_remove(0),
            _ => Node::Choice(branches),
        })
    }

    fn branch(&mut self) -> Result<Node, Fault> {
        let mut pieces = Vec::new();
        while self.peek().is_some_and(|c| !matches!(c, '|' | ')')) {
            let atom = self.atom()?;
            pieces.push(self.quantified(atom)?);
        }
        Ok(Node::Sequence(pieces))
    }

    fn atom(&mut self) -> Result<Node, Fault> {
        Ok(match self.peek() {
            Some('(') => self.group()?,
            Some('[') => Node::Class(self.class()?),
            Some('\\') => Node::Class(Class::of(false, [self.escape()?])),
            Some('*' | '+' | '?' | ')' | ']' | '{' | '|' | '}') | None => return self.refuse(),
            Some(c) => {
                self.rest.next();
                Node::Class(match c {
                    '.' => Class::of(true, ['\n', '\r'].map(|c| Item::Range(c, c))),
                    c => Class::one(c),
                })
            }
        })
    }

    fn group(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > GROUPS_MAX {
            return Err(Fault::TooDeep);
        }
        self.expect('(')?;
        let inner = self.choice()?;
        self.expect(')')?;
        self.depth -= 1;
        Ok(inner)
    }

    fn quantified(&mut self, node: Node) -> Result<Node, Fault> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(node),
            _ => return Ok(node),
        };
        self.rest.next();
        Ok(repeat(node, min, max))
    }

    /// `{n}`, `{n,}` or `{n,m}`.
    fn counted(&mut self, node: Node) -> Result<Node, Fault> {
        self.expect('{')?;
        let min = self.count(0)?;
        let max = match self.eat(',') {
            false => Some(min),
            true if self.peek() == Some('}') => None,
            true => Some(self.count(min)?),
        };
        self.expect('}')?;
        Ok(repeat(node, min, max))
    }

    /// A number that is not below another.
    fn count(&mut self, least: u32) -> Result<u32, Fault> {
        let text = self.rest.as_str();
        let end = text.find(|c: char| !c.is_ascii_digit());
        let digits = &text[..end.unwrap_or(text.len())];
        match digits.parse().ok().filter(|count| *count >= least) {
            Some(count) => {
                self.rest = text[digits.len()..].chars();
                Ok(count)
            }
            None => self.refuse(),
        }
    }

    /// Reads what a backslash begins, in a class or outside.
    fn escape(&mut self) -> Result<Item, Fault> {
        let mut ahead = self.rest.clone();
        ahead.next();
        let c = match ahead.next() {
            Some(kind @ ('p' | 'P')) => {
                self.rest = ahead;
                return self.category(kind == 'P');
            }
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(
                c @ ('(' | ')' | '*' | '+' | '-' | '.' | '?' | '[' | '\\' | ']' | '^' | '{' | '|'
                | '}'),
            ) => c,
            _ => return self.refuse(),
        };
        self.rest = ahead;
        Ok(Item::Range(c, c))
    }

    fn category(&mut self, negated: bool) -> Result<Item, Fault> {
        self.expect('{')?;
        let text = self.rest.as_str();
        let named = text.split_once('}');
        match named.filter(|(name, _)| CATEGORIES.contains(name)) {
            Some((name, rest)) => {
                self.rest = rest.chars();
                let name = name.to_owned();
                Ok(Item::Category { name, negated })
            }
            None => self.refuse(),
        }
    }

    /// `[…]`: a hyphen stands for itself first and last.
    fn class(&mut self) -> Result<Class, Fault> {
        self.expect('[')?;
        let negated = self.eat('^');
        let mut items = Vec::new();
        if self.eat('-') {
            items.push(Item::Range('-', '-'));
        }
        while items.is_empty() || self.peek() != Some(']') {
            if !items.is_empty() && self.eat('-') {
                items.push(Item::Range('-', '-'));
                break;
            }
            items.push(self.class_item()?);
        }
        self.expect(']')?;
        Ok(Class::of(negated, items))
    }

    fn class_item(&mut self) -> Result<Item, Fault> {
        let low = match self.class_char()? {
            Item::Range(low, _) => low,
            category => return Ok(category),
        };
        let ends = self.rest.as_str().starts_with("-]");
        if self.peek() != Some('-') || ends {
            return Ok(Item::Range(low, low));
        }
        self.expect('-')?;
        let before = self.rest.clone();
        match self.class_char()? {
            Item::Range(high, _) if low <= high => Ok(Item::Range(low, high)),
            _ => {
                self.rest = before;
                self.refuse()
            }
        }
    }

    fn class_char(&mut self) -> Result<Item, Fault> {
        match self.peek() {
            Some('\\') => self.escape(),
            None | Some('[' | ']' | '-') => self.refuse(),
            Some(c) => {
                self.rest.next();
                Ok(Item::Range(c, c))
            }
        }
    }
}

fn repeat(node: Node, min: u32, max: Option<u32>) -> Node {
    Node::Repeat {
        node: Box::new(node),
        min,
        max,
    }
}

fn merged(sorted: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for &(low, high) in sorted {
        match merged.last_mut() {
            Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
            _ => merged.push((low, high)),
        }
    }
    merged
}

fn complement(sorted: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut gaps = Vec::new();
    let mut next = 0;
    for (low, high) in merged(sorted) {
        if next < low {
            gaps.push((next, low - 1));
        }
        next = high + 1;
    }
    if next <= 0x10_FFFF {
        gaps.push((next, 0x10_FFFF));
    }
    gaps
}
