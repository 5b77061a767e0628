//! Pages, pictures and terminal text, in which nothing that anybody wrote breaks out.
//!
//! Pure: text goes in, text comes out.
//! - [`Markup`]: XML that grows, escaped; HTML pages and SVG pictures are written with it;
//! - [`page`]: the head and the style that all pages share;
//! - [`sequence`]: the arrows of sequence diagrams;
//! - [`words`]: text fitted into columns, made legible for a terminal, and numbers as people read them.
#![forbid(unsafe_code)]

mod markup;
pub mod page;
pub mod sequence;
pub mod words;

pub use markup::{Attributes, Markup, Px};
