//! A2A-T, the telecom extensions of A2A (TM Forum IG1453), without a language model.
//!
//! - [`extension`]: the URIs in both generations; [`envelope`]: where texts stand in a message;
//! - [`markdown`]: the sections of a prompt; [`labels`]: the fields in its lines; [`form`]: how
//!   values are said; [`text_language`]: in which languages; [`phrases`]: in which words;
//! - [`template`], [`shipped`]: which section says which key of which schema, as data;
//!   [`translator`]: from a prompt to a payload and back (Task-T);
//! - [`negotiation`]: offers, acceptances and refusals in rounds (Negotiation-T);
//! - [`subscription`]: conditions that are held against notifications (Notification-T);
//!   [`authorization`]: what is not granted by messages (Authorization-T);
//! - [`repertoire`]: which template a text is of; [`declaration`]: what cards say of it;
//!   [`peer`]: an agent elsewhere that is spoken to.
//!
//! Pure: texts and JSON go in and come out; who sends them is the bindings' business.

pub mod authorization;
pub mod declaration;
pub mod envelope;
pub mod extension;
pub mod form;
pub mod labels;
pub mod markdown;
pub mod negotiation;
pub mod peer;
pub mod phrases;
pub mod repertoire;
pub mod shipped;
pub mod subscription;
pub mod template;
pub mod text_language;
pub mod translator;
