//! The choice of parser and embedder by flags, and the circumstances of an utterance.
//!
//! Read next: `semantics::rules`, the parser that is always available.

use crate::cli::{Embedding, Reader};
use crate::output::Failure;
use schema::semantics::{Circumstances, Embedder, SemanticParser};
use schema::time::Timestamp;
use semantics::backend::{BackendOptions, EmbedderChoice, ParserChoice, Unavailable};
use std::time::{SystemTime, UNIX_EPOCH};

const MS_PER_S: u64 = 1_000;

/// The parser selected by the flags.
pub(crate) fn parser(reader: &Reader) -> Result<Box<dyn SemanticParser>, Failure> {
    let given = BackendOptions {
        weights: reader.model.clone(),
        sha256: reader.sha256.clone(),
        threads: reader.threads,
        url: reader.endpoint.clone(),
        model: reader.endpoint_model.clone(),
        key_variable: reader.key_variable.clone(),
        authorities: reader.authorities.clone(),
        in_the_clear: reader.in_the_clear,
        timeout_ms: reader.timeout.map(|s| s.saturating_mul(MS_PER_S)),
        bears_failures: reader.bear_failures,
        threshold: Some(reader.threshold),
        model_alone: reader.model_alone,
    };
    let choice = ParserChoice::named(&reader.parser, &given);
    choice
        .and_then(|choice| choice.begin())
        .map_err(unavailable)
}

/// The embedder selected by the flags.
pub(crate) fn embedder(embedding: &Embedding) -> Result<Box<dyn Embedder>, Failure> {
    let given = BackendOptions {
        weights: embedding.weights.clone(),
        sha256: embedding.sha256.clone(),
        ..BackendOptions::default()
    };
    let choice = EmbedderChoice::named(&embedding.embedder, &given);
    choice
        .and_then(|choice| choice.begin())
        .map_err(unavailable)
}

/// Classifies an error: unusable is a failure, anything else a usage error.
fn unavailable(error: Unavailable) -> Failure {
    match error {
        Unavailable::Unusable { .. } => Failure::failed(error.to_string()),
        _ => Failure::usage(error.to_string()),
    }
}

/// The circumstances of an utterance: the given instant with its zone, or now in UTC.
pub(crate) fn circumstances(at: Option<&str>) -> Result<Circumstances, Failure> {
    let (now, zone_minutes) = match at {
        Some(text) => {
            Timestamp::parse_zoned(text).map_err(|cause| Failure::usage(cause.to_string()))?
        }
        None => (now(), 0),
    };
    Ok(Circumstances {
        now,
        zone_minutes,
        language: None,
    })
}

/// The present time of the system clock.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The language of an utterance, a BCP 47 tag: Chinese if any of it is, else English.
pub(crate) fn language_of(words: &str) -> &'static str {
    match words.chars().any(language::script::is_cjk) {
        true => "zh",
        false => "en",
    }
}
