//! XPath 1.0 with the functions of YANG (RFC 7950 §10), at a cost that is bounded.
//!
//! [`Expression::parse`] reads an expression in one pass, within limits of length, size and depth;
//! [`Expression::select`] evaluates it over a [`Document`](crate::xml::XmlDocument) and counts what it
//! does against a [`Budget`]: a node that is looked at, a node that is kept and a byte of text that
//! is compared or made are a step each. When the budget is spent the evaluation ends, at the same
//! step on every machine, and holds no more memory than in proportion to it. [`Keys::write`] then
//! writes the selected elements.
//!
//! Parts that do not depend on the context are evaluated once, predicates without a position look
//! at each node once, and comparisons of node-sets sort instead of trying all pairs. So the cost is
//! the size of the data to the power of the nesting depth of predicates that depend on their
//! context.
//!
//! Access is not checked here: the document must hold only what the reader may see. The facts on
//! YANG modules that the functions of YANG need come from a [`Modules`]. A tour: `lexer` and
//! `parse` make an `expression`, each with the `kind` of its value; `evaluate` walks it with `axis`, `value`, `compare` and `call`;
//! `retain` writes the selected elements.

mod axis;
mod call;
mod compare;
mod evaluate;
mod expression;
mod function;
mod kind;
mod lexer;
mod parse;
mod retain;
#[cfg(test)]
mod tests;
mod value;

pub use expression::Expression;
pub use retain::Keys;

use crate::xml::XmlElement;

/// The most bytes of an expression.
pub const EXPRESSION_BYTES: usize = 64 << 10;
/// The most operators, steps, calls and literals of an expression.
pub const EXPRESSION_NODES: usize = 4_096;
/// The deepest nesting of parentheses, predicates, calls and operators.
pub const EXPRESSION_DEPTH: usize = 64;

/// The error for a text that is not an expression which can be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It is not written as XPath 1.0 says.
    #[error("{expected} is expected at character {at}{}", instead(found))]
    Syntax {
        /// The position in characters from the start, the first being 1.
        at: usize,
        /// The token expected there.
        expected: &'static str,
        /// The text found there; empty at the end.
        found: String,
    },
    /// A limit is passed.
    #[error("it has more than {limit} {what}")]
    TooBig {
        /// The thing limited.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A prefix that is not declared where the expression stands.
    #[error("prefix \"{0}\" is not bound to a namespace")]
    UnboundPrefix(String),
    /// A name without prefix, which XPath 1.0 puts in no namespace.
    #[error("the name \"{0}\" needs a prefix")]
    Unqualified(String),
    /// The name is no function of XPath 1.0 or RFC 7950 §10, or one that is not offered.
    #[error("there is no function \"{0}\"")]
    UnknownFunction(String),
    /// A function with too few or too many arguments, or one that is no node-set.
    #[error("{function}() takes {expected}")]
    Arguments {
        /// The function.
        function: &'static str,
        /// The arguments that it takes.
        expected: &'static str,
    },
    /// Something else than a node-set where only that can stand.
    #[error("{0} is no node-set")]
    NoNodeSet(&'static str),
    /// The namespace axis, or a variable, of which there are none.
    #[error("{0} is not offered")]
    NotOffered(&'static str),
}

/// The reason for which an evaluation ended without a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// The budget is spent.
    #[error("evaluating it takes more than {limit} steps")]
    Spent {
        /// The budget, in steps.
        limit: u64,
    },
    /// The evaluation was cancelled, as nobody waits for it any longer.
    #[error("it was cancelled")]
    Cancelled,
    /// A pattern of `re-match` that is invalid.
    #[error("the pattern of re-match() is not usable: {0}")]
    Pattern(String),
}

/// The steps that an evaluation may take.
pub struct Budget<'b> {
    limit: u64,
    left: u64,
    /// The number of steps left at which `stopped` is asked next.
    look: u64,
    stopped: Option<&'b dyn Fn() -> bool>,
}

/// The number of steps between two calls of `stopped`.
const STEPS_A_LOOK: u64 = 4_096;

impl<'b> Budget<'b> {
    /// A budget of `limit` steps.
    pub fn steps(limit: u64) -> Self {
        Self {
            limit,
            left: limit,
            look: limit.saturating_sub(STEPS_A_LOOK),
            stopped: None,
        }
    }

    /// Ends the evaluation early when `stopped` says so; it is asked every 4,096 steps.
    #[must_use]
    pub fn until(mut self, stopped: &'b dyn Fn() -> bool) -> Self {
        self.stopped = Some(stopped);
        self
    }

    /// The number of steps taken.
    pub fn spent(&self) -> u64 {
        self.limit - self.left
    }

    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), EvaluationError> {
        let Some(left) = self.left.checked_sub(steps as u64) else {
            self.left = 0;
            return Err(EvaluationError::Spent { limit: self.limit });
        };
        self.left = left;
        if left < self.look {
            self.look = left.saturating_sub(STEPS_A_LOOK);
            if self.stopped.is_some_and(|stopped| stopped()) {
                return Err(EvaluationError::Cancelled);
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("limit", &self.limit)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

/// An expanded name: namespace and local name.
pub type Name<'n> = (&'n str, &'n str);

/// The facts on YANG modules that the functions of RFC 7950 §10 need.
pub trait Modules {
    /// True if an identity is derived from another, which it is not itself (§10.4.1).
    fn is_derived(&self, identity: Name<'_>, base: Name<'_>) -> bool;

    /// The number of the value of an enumeration leaf; `None` for any other node (§10.5.1).
    fn enum_value(&self, leaf: XmlElement<'_>) -> Option<i64>;

    /// Matches a pattern against the whole of a text (§10.2.1), in time linear in the text. A byte
    /// of either counts as 64 steps.
    ///
    /// # Errors
    /// The pattern is invalid, or of a kind that cannot be matched in linear time.
    fn re_match(&self, text: &str, pattern: &str) -> Result<bool, String>;
}

fn instead(found: &str) -> String {
    match found {
        "" => ", where it ends".to_owned(),
        found => format!(", not \"{found}\""),
    }
}
