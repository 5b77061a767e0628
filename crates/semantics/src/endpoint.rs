//! A model behind any OpenAI-compatible chat endpoint, held to the template by its response format
//! (draft-zhou §6.1). Feature `endpoint`; off by default, and no packet leaves unless an
//! [`ModelEndpoint`] is made.
//!
//! Asks once, follows no redirect, retries nothing. What comes back is checked as if nobody had
//! constrained it: values stand in the utterance, in a mapping example or among the acceptable
//! values, and keep to the template. Read next: [`crate::gate`], which lets it speak beside the
//! rules.

mod completion;
mod http;

pub use http::{BadEndpoint, EndpointError};

use crate::prompt::{spoken, today};
use crate::rules;
use http::Client;
use schema::render::{prompt, response_format, with_utterance};
use schema::semantics::{Circumstances, FailureKind, ParseFailure, Parsed, SemanticParser};
use schema::template::Template;
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The confidence that an answer without probabilities counts with: enough beside the rules, not
/// enough against them ([`crate::gate::Thresholds::model_alone`]).
pub const WITHOUT_PROBABILITIES: f64 = 0.75;

/// The way to reach a model. Holds no secret: the key is named, not told.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointSettings {
    /// The base of the API, e.g. `http://127.0.0.1:8080/v1`; `/chat/completions` is added. `https`,
    /// or `http` to the host itself; to others only `in_the_clear`.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The environment variable that holds the key. It is read once, sent as a bearer token, over
    /// `https` or to the host itself alone, and never told.
    pub key_variable: Option<String>,
    /// Lets utterances and templates travel by `http` to another host. False by default.
    pub in_the_clear: bool,
    /// The time that an answer may take, connecting included. 30 seconds by default.
    pub timeout: Duration,
    /// Authorities to trust, PEM; those of the system without it.
    pub authorities: Option<PathBuf>,
    /// The length that an answer may have, in bytes. 4 MiB by default.
    pub answer_bytes_max: usize,
    /// The number of tokens that an answer may have. 1,024 by default.
    pub tokens_max: u32,
    /// The confidence below which a value goes to `other`. 0.7 by default.
    pub threshold: f64,
}

impl EndpointSettings {
    /// The defaults for a model at a URL.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            key_variable: None,
            in_the_clear: false,
            timeout: Duration::from_secs(30),
            authorities: None,
            answer_bytes_max: 4 * 1_024 * 1_024,
            tokens_max: 1_024,
            threshold: rules::THRESHOLD,
        }
    }
}

/// A model behind an endpoint.
pub struct ModelEndpoint {
    name: String,
    settings: EndpointSettings,
    client: Client,
}

impl ModelEndpoint {
    /// A parser that asks there. Connects to nothing yet.
    ///
    /// # Errors
    /// [`BadEndpoint`] if the URL is none, if something would travel in the clear, if the key is not
    /// in its variable, or if no authority is trusted.
    pub fn new(settings: EndpointSettings) -> Result<Self, BadEndpoint> {
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
            kind: FailureKind::Broken,
            reason: reason.to_string(),
        }
    }
}

impl SemanticParser for ModelEndpoint {
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
        let answer = completion::read(&body).map_err(|e| self.failure(e))?;
        Ok(answer.checked(
            template,
            utterance,
            self.settings.threshold,
            WITHOUT_PROBABILITIES,
        ))
    }
}
