//! Pages, pictures and terminal text, safe for content of any origin.
//!
//! Pure: text goes in, text comes out.
//! - [`Markup`]: XML that grows, escaped; HTML pages and SVG pictures are written with it;
//! - [`page`]: the head and the style that all pages share;
//! - [`sequence`]: the arrows of sequence diagrams;
//! - [`words`]: text fitted into columns, made safe for a terminal, and numbers formatted for
//!   people.
#![forbid(unsafe_code)]

mod markup;
pub mod page;
pub mod sequence;
pub mod words;

pub use markup::{Attributes, Markup, Px};
