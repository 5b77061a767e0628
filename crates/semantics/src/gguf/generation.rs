//! Token by token: the likeliest that the grammar takes, and how likely it was among those.
//!
//! The probability of a token is that among the tokens that the grammar takes there, so that what
//! has no alternative counts as certain, and what is chosen as chosen.
// The clock is looked at to stop in time.
#![allow(clippy::disallowed_methods)]

use super::GgufSettings;
use crate::answer::Piece;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::{BatchAddError, LlamaBatch};
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;
use llama_cpp_2::{DecodeError, GrammarError, LlamaContextLoadError};
use schema::template::OTHER;
use std::num::NonZeroU32;
use std::time::Instant;

/// The number of tokens of a prompt that are computed at once, between two looks at the clock.
const BATCH: usize = 64;
/// Contexts hold a multiple of this many tokens, so that one does for several utterances.
const CONTEXT: usize = 1_024;
/// The number of the likeliest tokens that the grammar is asked of first.
const LIKELIEST: usize = 64;

/// The reason why nothing was written.
#[derive(Debug, thiserror::Error)]
pub(super) enum GenerationError {
    #[error("the prompt has {tokens} tokens, and the model takes {most}")]
    Long { tokens: usize, most: usize },
    #[error("there was no answer within {ms} ms")]
    Late { ms: u128 },
    #[error("the grammar is not taken: {0}")]
    Grammar(#[from] GrammarError),
    #[error("no context can be had: {0}")]
    Context(#[from] LlamaContextLoadError),
    #[error("the model does not compute: {0}")]
    Decode(#[from] DecodeError),
    #[error("the model does not compute: {0}")]
    Batch(#[from] BatchAddError),
    #[error("no token of the model keeps to the grammar")]
    Stuck,
    #[error("the model has stopped")]
    Gone,
}

/// The text written, and how sure the model was of each piece.
pub(super) struct Generated {
    pub(super) content: String,
    pub(super) pieces: Vec<Piece>,
    /// False if it was cut off: by the limit of tokens, or before `other`.
    pub(super) whole: bool,
}

/// A model that writes, and remembers the prompt it wrote behind last.
pub(super) struct Generator<'m> {
    backend: &'m LlamaBackend,
    model: &'m LlamaModel,
    settings: &'m GgufSettings,
    kept: Option<PromptCache<'m>>,
}

/// The state computed, and of which tokens.
struct PromptCache<'m> {
    context: LlamaContext<'m>,
    tokens: Vec<LlamaToken>,
}

impl<'m> Generator<'m> {
    /// A writer that has computed nothing.
    pub(super) fn new(
        backend: &'m LlamaBackend,
        model: &'m LlamaModel,
        settings: &'m GgufSettings,
    ) -> Self {
        Self {
            backend,
            model,
            settings,
            kept: None,
        }
    }

    /// Writes an object behind a prompt that was asked for at an instant.
    pub(super) fn write(
        &mut self,
        prompt: &[LlamaToken],
        grammar: &str,
        asked: Instant,
    ) -> Result<Generated, GenerationError> {
        let most = self.fits(prompt.len())?;
        let grammar = LlamaSampler::grammar(self.model, grammar, "root")?;
        let mut kept = self.begun(prompt, most)?;
        while kept.tokens.len() < prompt.len() {
            self.in_time(asked)?;
            let from = kept.tokens.len();
            kept.compute(&prompt[from..prompt.len().min(from + BATCH)])?;
        }
        let written = self.behind(&mut kept, grammar, most, asked);
        self.kept = Some(kept);
        written
    }

    fn behind(
        &self,
        kept: &mut PromptCache<'m>,
        mut grammar: LlamaSampler,
        most: usize,
        asked: Instant,
    ) -> Result<Generated, GenerationError> {
        let (mut bytes, mut pieces, mut whole) = (Vec::new(), Vec::new(), false);
        for _ in 0..most {
            self.in_time(asked)?;
            let (token, log) =
                likeliest(&kept.context, &mut grammar).ok_or(GenerationError::Stuck)?;
            let piece = self.spelled(token);
            bytes.extend_from_slice(&piece);
            pieces.push((piece, log));
            whole = is_whole(&bytes);
            if whole || self.is_enough(&bytes) {
                break;
            }
            grammar.accept(token);
            kept.compute(&[token])?;
        }
        Ok(Generated {
            content: text(bytes),
            pieces,
            whole,
        })
    }

    /// Returns what was computed of a prompt's beginning, in whole batches, so that a prompt is
    /// computed in the same steps whatever was asked before it. Never the last token: what follows
    /// is read there.
    fn begun(
        &mut self,
        prompt: &[LlamaToken],
        most: usize,
    ) -> Result<PromptCache<'m>, GenerationError> {
        if let Some(mut kept) = self.kept.take()
            && kept.context.n_ctx() as usize >= prompt.len() + most
        {
            let alike = kept.tokens.iter().zip(prompt).take_while(|(a, b)| a == b);
            let alike = alike.count().min(prompt.len().saturating_sub(1));
            if kept.forget(alike / BATCH * BATCH) {
                return Ok(kept);
            }
        }
        Ok(PromptCache {
            context: self.context(prompt.len() + most)?,
            tokens: Vec::new(),
        })
    }

    /// The number of tokens that there is room for behind a prompt.
    fn fits(&self, tokens: usize) -> Result<usize, GenerationError> {
        let most = self.model.n_ctx_train() as usize;
        match most.saturating_sub(tokens).min(self.settings.tokens_max) {
            0 => Err(GenerationError::Long { tokens, most }),
            room => Ok(room),
        }
    }

    fn context(&self, tokens: usize) -> Result<LlamaContext<'m>, GenerationError> {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let threads = i32::try_from(self.settings.threads.max(1)).unwrap_or(1);
        let parameters = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(count(tokens.next_multiple_of(CONTEXT))))
            .with_n_batch(count(BATCH))
            .with_n_ubatch(count(BATCH))
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        Ok(self.model.new_context(self.backend, parameters)?)
    }

    fn in_time(&self, asked: Instant) -> Result<(), GenerationError> {
        let most = self.settings.timeout;
        match asked.elapsed() > most {
            true => Err(GenerationError::Late {
                ms: most.as_millis(),
            }),
            false => Ok(()),
        }
    }

    /// The bytes of a token; a control token has none.
    fn spelled(&self, token: LlamaToken) -> Vec<u8> {
        self.model.vocab().token_to_piece(token, false, None)
    }

    /// True where `other` begins and nobody asks for it.
    fn is_enough(&self, bytes: &[u8]) -> bool {
        !self.settings.other && begins_other(bytes)
    }
}

/// True for an object that is open behind the name of its own `other`, not of one within it.
fn begins_other(bytes: &[u8]) -> bool {
    let mark = format!("\"{OTHER}\":");
    let tail = &bytes[bytes.len().saturating_sub(mark.len() + 24)..];
    let Some(at) = tail.windows(mark.len()).position(|w| w == mark.as_bytes()) else {
        return false;
    };
    let before = &bytes[..bytes.len() - tail.len() + at];
    let closed = [before.strip_suffix(b", ").unwrap_or(before), b"}"].concat();
    is_whole(&closed)
}

impl PromptCache<'_> {
    /// Computes tokens behind those that were, and the logits behind the last of them.
    fn compute(&mut self, tokens: &[LlamaToken]) -> Result<(), GenerationError> {
        let mut batch = LlamaBatch::new(tokens.len(), 1);
        for (n, token) in tokens.iter().enumerate() {
            let place = i32::try_from(self.tokens.len() + n);
            let place = place.expect("a context has fewer than 2^31 tokens");
            batch.add(*token, place, &[0], n + 1 == tokens.len())?;
        }
        self.context.decode(&mut batch)?;
        self.tokens.extend_from_slice(tokens);
        Ok(())
    }

    /// Forgets all but the first tokens; false for a model that cannot.
    fn forget(&mut self, from: usize) -> bool {
        self.tokens.truncate(from);
        let place = u32::try_from(from).ok();
        let forgotten = self.context.clear_kv_cache_seq(Some(0), place, None);
        forgotten.unwrap_or(false)
    }
}

/// The likeliest token that the grammar takes, and the logarithm of its probability among those
/// that it takes; none if it takes none.
fn likeliest(context: &LlamaContext<'_>, grammar: &mut LlamaSampler) -> Option<(LlamaToken, f64)> {
    let mut all: Vec<LlamaTokenData> = context.candidates().collect();
    if all.len() > LIKELIEST {
        all.select_nth_unstable_by(LIKELIEST, |a, b| b.logit().total_cmp(&a.logit()));
    }
    let few = all[..LIKELIEST.min(all.len())].to_vec();
    chosen(few, grammar).or_else(|| chosen(all, grammar))
}

fn chosen(
    candidates: Vec<LlamaTokenData>,
    grammar: &mut LlamaSampler,
) -> Option<(LlamaToken, f64)> {
    let mut taken = LlamaTokenDataArray::new(candidates, false);
    taken.apply_sampler(grammar);
    let taken: Vec<_> = taken
        .data
        .iter()
        .filter(|t| t.logit().is_finite())
        .collect();
    let best = taken.iter().max_by(|a, b| {
        let order = a.logit().total_cmp(&b.logit());
        order.then(b.id().0.cmp(&a.id().0))
    })?;
    let odds = |t: &&LlamaTokenData| f64::from(t.logit() - best.logit()).exp();
    let sum: f64 = taken.iter().map(odds).sum();
    Some((best.id(), -sum.ln()))
}

/// True for a JSON object that is closed.
fn is_whole(bytes: &[u8]) -> bool {
    bytes.ends_with(b"}") && serde_json::from_slice::<serde_json::Value>(bytes).is_ok()
}

/// The text that bytes spell, as far as whole characters go.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let whole = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        bytes.truncate(whole);
        String::from_utf8(bytes).expect("so far they are valid")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_begins_in_the_object_itself() {
        for (text, begins) in [
            ("{\"a\": 1, \"other\":", true),
            ("{\"a\": 1, \"other\": \"", true),
            ("{\"other\": n", true),
            ("{\"a\": {\"b\": 1, \"other\":", false),
            ("{\"a\": \"other\",", false),
            ("{\"a\": \"\\\"other\\\": ", false),
            ("{\"a\": 1, \"another\":", false),
            ("", false),
        ] {
            assert_eq!(begins_other(text.as_bytes()), begins, "{text}");
        }
    }

    #[test]
    fn half_a_character_is_left_out() {
        assert_eq!(text(vec![b'a', 0xe5, 0x8c]), "a");
        assert_eq!(text("北".into()), "北");
    }
}
