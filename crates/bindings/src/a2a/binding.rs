//! A2A over one engine: what all of its requests share.
//!
//! Refuses to know requests. Read next: [`super::request_context`], which has one of them beside it.

use super::cards::Cards;
use super::settings::BindingSettings;
use crate::background::Background;
use crate::words::WordReader;
use engine::Engine;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A2A over one engine.
pub struct Binding {
    pub(super) engine: Arc<Engine>,
    pub(super) reader: Arc<dyn WordReader>,
    pub(super) background: Arc<dyn Background>,
    pub(super) cards: Cards,
    pub(super) forgetful: Option<String>,
    /// The number of messages that came to the forgetful agent.
    pub(super) forgotten: AtomicU64,
}

impl Binding {
    /// A2A over an engine. What is said in plain words is read by `reader`, on `background`.
    pub fn new(
        engine: Arc<Engine>,
        settings: BindingSettings,
        reader: Arc<dyn WordReader>,
        background: Arc<dyn Background>,
    ) -> Self {
        let forgetful = settings.forgetful.clone();
        let cards = Cards::new(settings);
        Self {
            engine,
            reader,
            background,
            cards,
            forgetful,
            forgotten: AtomicU64::new(0),
        }
    }
}
