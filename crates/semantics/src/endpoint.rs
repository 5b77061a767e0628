//! A model behind any OpenAI-compatible chat endpoint, held to the template by its response format
//! (draft-zhou §6.1, D60, D61). Feature `endpoint`; off by default, and no packet leaves unless an
//! [`Endpoint`] is made.
//!
//! Asks once, follows no redirect, retries nothing. What comes back is checked as if nobody had
//! constrained it: values stand in the utterance, in a mapping example or among the acceptable
//! values, and keep to the template. Read next: [`crate::gate`], which lets it speak beside the
//! rules.

mod answer;
mod http;

pub use http::{BadEndpoint, Unanswered};

use crate::gate::{grounded, leave, type_gate};
use crate::moment::Calendar;
use crate::rules;
use http::Client;
use schema::language::Language;
use schema::render::{prompt, response_format, with_utterance};
use schema::semantics::{Circumstances, ParseFailure, Parsed, SemanticParser};
use schema::template::{OTHER, Template};
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How sure an answer without probabilities counts: enough beside the rules, not enough against
/// them ([`crate::gate::Thresholds::model_alone`]).
pub const WITHOUT_PROBABILITIES: f64 = 0.75;

/// How to reach a model.
#[derive(Clone)]
pub struct Settings {
    /// The base of the API, e.g. `http://127.0.0.1:8080/v1`; `/chat/completions` is added.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// Sent as a bearer token; over `https` or to the host itself alone.
    pub key: Option<String>,
    /// How long an answer may take, connecting included. 30 seconds by default.
    pub timeout: Duration,
    /// Authorities to trust, PEM; those of the system without it.
    pub authorities: Option<PathBuf>,
    /// How many tokens an answer may have. 1,024 by default.
    pub tokens_max: u32,
    /// The confidence below which a value goes to `other`. 0.7 by default (Q52).
    pub threshold: f64,
}

impl Settings {
    /// The defaults for a model at a URL.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            key: None,
            timeout: Duration::from_secs(30),
            authorities: None,
            tokens_max: 1_024,
            threshold: rules::THRESHOLD,
        }
    }
}

impl fmt::Debug for Settings {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("url", &self.url)
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// A model behind an endpoint.
pub struct Endpoint {
    name: String,
    settings: Settings,
    client: Client,
}

impl Endpoint {
    /// A parser that asks there. Connects to nothing yet.
    ///
    /// # Errors
    /// [`BadEndpoint`] if the URL is none, if a key would travel in the clear, or if no authority is
    /// trusted.
    pub fn new(settings: Settings) -> Result<Self, BadEndpoint> {
        let client = Client::new(&settings)?;
        let name = format!("endpoint {} at {}", settings.model, client.authority());
        Ok(Self {
            name,
            settings,
            client,
        })
    }

    fn request(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Value {
        let language = spoken(utterance, circumstances);
        let today = today(circumstances);
        json!({
            "model": self.settings.model,
            "messages": [
                {"role": "system", "content": format!("{}\n{today}", prompt(template, &language))},
                {"role": "user", "content": with_utterance("", utterance, &language)},
            ],
            "response_format": response_format(template, &language),
            "temperature": 0,
            "seed": 0,
            "max_tokens": self.settings.tokens_max,
            "logprobs": true,
        })
    }

    fn failure(&self, reason: impl fmt::Display) -> ParseFailure {
        ParseFailure {
            parser: self.name.clone(),
            reason: reason.to_string(),
        }
    }
}

impl SemanticParser for Endpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn parse(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Result<Parsed, ParseFailure> {
        let request = self.request(template, utterance, circumstances);
        let body = self
            .client
            .post(request.to_string())
            .map_err(|e| self.failure(e))?;
        let answer = answer::read(&body).map_err(|e| self.failure(e))?;
        Ok(checked(
            template,
            utterance,
            &answer,
            self.settings.threshold,
        ))
    }
}

/// What stands of an answer: what comes from somewhere, is sure enough and keeps to the template.
fn checked(
    template: &Template,
    utterance: &str,
    answer: &answer::Answer,
    threshold: f64,
) -> Parsed {
    let mut parsed = Parsed::default();
    for key in template.own_keys() {
        let Some(value) = answer.values.get(&key.key_name).filter(|v| !v.is_null()) else {
            continue;
        };
        if !grounded(key, value, utterance) {
            continue;
        }
        let confidence = answer
            .confidence(&key.key_name)
            .unwrap_or(WITHOUT_PROBABILITIES);
        parsed.confidence.insert(key.key_name.clone(), confidence);
        if confidence >= threshold {
            parsed.payload.insert(key.key_name.clone(), value.clone());
        } else {
            leave(&mut parsed.other, utterance, value);
        }
    }
    for fragment in said(answer.values.get(OTHER)) {
        leave(&mut parsed.other, utterance, &fragment.into());
    }
    type_gate(template, utterance, &mut parsed);
    parsed
}

fn said(other: Option<&Value>) -> Vec<&str> {
    match other {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The language of an utterance: as told, else Chinese if it holds Chinese characters.
fn spoken(utterance: &str, circumstances: &Circumstances) -> Language {
    let chinese = utterance.chars().any(crate::text::is_cjk);
    let found = || {
        if chinese {
            Language::chinese()
        } else {
            Language::english()
        }
    };
    circumstances.language.clone().unwrap_or_else(found)
}

/// What "tomorrow" is counted from, as the model is told it.
fn today(circumstances: &Circumstances) -> String {
    let calendar = Calendar::of(circumstances);
    let (hours, minutes) = (calendar.minute / 60, calendar.minute % 60);
    format!(
        "Now: {} {}, {hours:02}:{minutes:02}{}",
        calendar.today.weekday(),
        calendar.today,
        calendar.zone()
    )
}
