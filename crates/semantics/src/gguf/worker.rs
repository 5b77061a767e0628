//! The thread that a model writes on: one utterance after the other.
//!
//! llama.cpp's contexts stay on their thread, and so keep what was computed of a prompt that the
//! next utterance begins with too: the same template costs its prompt once.
// A model computes for seconds: that is what threads are for.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use super::GgufSettings;
use super::generation::{Generated, GenerationError, Generator};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// A text to be written, and whom it is told to.
struct GenerationRequest {
    prompt: Vec<LlamaToken>,
    grammar: String,
    asked: Instant,
    told: Sender<Result<Generated, GenerationError>>,
}

/// The thread that takes requests. It ends when it is dropped, after the request it is at.
pub(super) struct ModelThread {
    orders: Sender<GenerationRequest>,
}

impl ModelThread {
    /// Begins the thread.
    ///
    /// # Errors
    /// If there is none to be had.
    pub(super) fn open(
        backend: &'static LlamaBackend,
        model: Arc<LlamaModel>,
        settings: GgufSettings,
    ) -> std::io::Result<Self> {
        let (orders, taken) = channel();
        std::thread::Builder::new()
            .name("gguf".to_owned())
            .spawn(move || serve(backend, &model, &settings, &taken))?;
        Ok(Self { orders })
    }

    /// Has an object written behind a prompt, after whatever was ordered before.
    pub(super) fn write(
        &self,
        prompt: Vec<LlamaToken>,
        grammar: String,
    ) -> Result<Generated, GenerationError> {
        let (told, written) = channel();
        let order = GenerationRequest {
            prompt,
            grammar,
            asked: Instant::now(),
            told,
        };
        self.orders.send(order).map_err(|_| GenerationError::Gone)?;
        written.recv().map_err(|_| GenerationError::Gone)?
    }
}

fn serve(
    backend: &LlamaBackend,
    model: &LlamaModel,
    settings: &GgufSettings,
    orders: &Receiver<GenerationRequest>,
) {
    let mut writer = Generator::new(backend, model, settings);
    for order in orders {
        let written = writer.write(&order.prompt, &order.grammar, order.asked);
        // Nobody waits for it if whoever ordered is gone.
        let _ = order.told.send(written);
    }
}
