//! Protocols as translators to the engine's operations.
//!
//! - [`netconf`]: RFC 6241 with the modules that `yang` announces.
//!
//! A binding decodes a request into one `engine::Operation` and encodes the outcome; it holds no
//! rule of the domain and sees neither store nor agents. It opens no socket: `server` does.
#![forbid(unsafe_code)]

pub mod netconf;
