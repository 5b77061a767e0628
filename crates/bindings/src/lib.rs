//! Protocols as translators to the engine's operations.
//!
//! - [`a2a`]: A2A v1.0 and v0.3 over JSON-RPC and HTTP+JSON, with its extensions;
//! - [`netconf`]: RFC 6241 with the modules that `yang` announces;
//! - [`restconf`]: RFC 8040 over the same data, rpcs and events;
//! - [`background`]: where work goes that may take long; [`words`]: who reads plain words, which is such work.
//!
//! A binding decodes a request into one `engine::Operation` and encodes the outcome; it holds no
//! rule of the domain and sees neither store nor agents. It opens no socket: `server` does.
#![forbid(unsafe_code)]

pub mod a2a;
pub mod background;
pub mod netconf;
pub mod restconf;
pub mod words;
