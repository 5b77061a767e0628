//! From text to payload and from text to vector: what draft-zhou §3.2 (steps 1 and 2), §6.1 and
//! §6.2.1 leave to those who understand language.
//!
//! The contracts are in [`schema::semantics`]; here is who fulfils them.
//!
//! - [`rules`]: the parser without a model, for English and Chinese;
//! - [`gate`]: the rules and a model together; `type_gate` holds either to the template;
//! - [`ngrams`]: the embedder without a model, and the guard that keeps opposites apart;
//! - [`choose`]: which agent and which scenario an utterance is for;
//! - `endpoint` (feature): a model behind an OpenAI-compatible endpoint;
//! - `gguf` (feature): a local model, held to the template by its grammar;
//! - `static_embedder` (feature `static`) and `minilm` (feature): embedders from a directory;
//! - [`backend`]: which of them run, chosen by name in any build;
//! - [`eval`]: how good any of them is on a labelled set.
//!
//! Pure: time is an argument, there is no chance, no IO, unless a feature says otherwise.
#![forbid(unsafe_code)]

#[cfg(any(feature = "endpoint", feature = "gguf"))]
mod answer;
mod lexicon;
mod moment;
#[cfg(any(feature = "endpoint", feature = "gguf"))]
mod prompt;
#[cfg(feature = "gguf")]
mod spans;
mod type_gate;

pub mod backend;
pub mod choose;
#[cfg(feature = "endpoint")]
pub mod endpoint;
pub mod eval;
pub mod gate;
#[cfg(feature = "gguf")]
pub mod gguf;
#[cfg(feature = "minilm")]
pub mod minilm;
pub mod ngrams;
pub mod rules;
#[cfg(feature = "static")]
pub mod static_embedder;
pub mod weights;
