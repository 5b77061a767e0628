//! The types of values (XPath 1.0 §1): what an expression selects or makes, before it is evaluated.
//!
//! Read next: [`super::function`], whose table says which function takes and yields what;
//! [`super::value`] has the values themselves.

/// The type of an expression's value; in XPath 1.0 without variables it is known before evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Nodes,
    Text,
    Number,
    Boolean,
}
