//! A local model in GGUF, held to the template by a grammar (draft-zhou §6.1). Feature `gguf`;
//! off by default, and nothing is loaded unless a [`Gguf`] is made.
//!
//! ```text
//! template ─► prompt ──┐
//! template ─┐          ├─► written token by token ─► checked ─► payload, confidence
//! utterance ┴► grammar ┘
//! ```
//!
//! The grammar gives keys in the template's order, each with `null` for what was not said; text is a
//! piece of the utterance or the value of a mapping example, all else is typed. The likeliest token
//! is always taken: the same utterance gives the same payload. Runs on the CPU, one utterance at a
//! time, and keeps what it computed of a template's prompt for the next. Read next: [`crate::gate`], which lets it speak beside the rules.

mod chat;
mod generation;
mod worker;

use crate::answer::Answer;
use crate::prompt::{spoken, today};
use crate::rules;
use crate::spans::spans;
use crate::weights::{BadWeights, Weights, prove};
use generation::GenerationError;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use schema::render::{gbnf, prompt, with_utterance};
use schema::semantics::{Circumstances, FailureKind, ParseFailure, Parsed, SemanticParser};
use schema::template::{KeyType, Shape, Template};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use worker::ModelThread;

/// The most entries of an array, if the template lets it have more.
const ENTRIES_MOST: usize = 8;

/// The model that runs, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct GgufSettings {
    /// The file and its SHA-256.
    pub weights: Weights,
    /// The number of threads that it computes with. 1 by default: on busy cores more are slower.
    pub threads: u32,
    /// The number of tokens that an answer may have. 512 by default.
    pub tokens_max: usize,
    /// The time that an answer may take, waiting for others included; looked at between steps. 60
    /// seconds by default.
    pub timeout: Duration,
    /// The confidence below which a value goes to `other`. 0.7 by default.
    pub threshold: f64,
    /// Asks for what fits no key as well. True by default; behind a gate, where the rules tell that,
    /// it only costs time.
    pub other: bool,
}

impl GgufSettings {
    /// The defaults for a file of weights.
    pub fn new(weights: Weights) -> Self {
        Self {
            weights,
            threads: 1,
            tokens_max: 512,
            timeout: Duration::from_secs(60),
            threshold: rules::THRESHOLD,
            other: true,
        }
    }
}

/// The reason why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadModel {
    /// The file is not there, or another than was named.
    #[error(transparent)]
    Weights(#[from] BadWeights),
    /// llama.cpp could not be begun.
    #[error("llama.cpp does not begin: {0}")]
    Begin(String),
}

/// A model that was loaded.
pub struct Gguf {
    name: String,
    model: Arc<LlamaModel>,
    desk: ModelThread,
    settings: GgufSettings,
}

impl fmt::Debug for Gguf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gguf").field(&self.settings).finish()
    }
}

impl Gguf {
    /// Loads a model, after its file was proved to be the one that is named.
    ///
    /// # Errors
    /// [`BadModel`]
    pub fn load(settings: GgufSettings) -> Result<Self, BadModel> {
        prove(&settings.weights)?;
        let parameters = LlamaModelParams::default().with_n_gpu_layers(0);
        let path = &settings.weights.path;
        let form = |reason: String| BadWeights::Form {
            path: path.clone(),
            reason,
        };
        let backend = backend()?;
        let model = LlamaModel::load_from_file(backend, path, &parameters);
        let model = Arc::new(model.map_err(|e| form(e.to_string()))?);
        let desk = ModelThread::open(backend, Arc::clone(&model), settings.clone());
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("gguf {file} {:.12}", settings.weights.sha256);
        Ok(Self {
            name,
            model,
            desk: desk.map_err(|e| BadModel::Begin(e.to_string()))?,
            settings,
        })
    }

    fn write(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Result<Answer, Failure> {
        let language = spoken(utterance, circumstances);
        let system = format!("{}\n{}", prompt(template, &language), today(circumstances));
        let user = with_utterance("", utterance, &language);
        let grammar = gbnf(&bounded(template), Some(&spans(utterance)));
        let prompt = chat::tokens(&self.model, &system, &user);
        let written = self.desk.write(prompt, grammar)?;
        Ok(match written.whole {
            true => Answer::whole(&written.content, &written.pieces)?,
            false => Answer::cut(&written.content, &written.pieces)?,
        })
    }
}

impl SemanticParser for Gguf {
    fn name(&self) -> &str {
        &self.name
    }

    fn parse(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Result<Parsed, ParseFailure> {
        let failure = |e: Failure| ParseFailure {
            parser: self.name.clone(),
            kind: FailureKind::Broken,
            reason: e.to_string(),
        };
        let answer = self
            .write(template, utterance, circumstances)
            .map_err(failure)?;
        Ok(answer.checked(template, utterance, self.settings.threshold, 0.0))
    }
}

/// The template with an end to every array: a small model that has begun one finds none.
fn bounded(template: &Template) -> Template {
    let mut template = template.clone();
    for key in &mut template.keys {
        bound(&mut key.shape);
    }
    template
}

fn bound(shape: &mut Shape) {
    let constraint = &mut shape.constraint;
    if shape.key_type == KeyType::Array {
        let most = constraint.max_items.unwrap_or(ENTRIES_MOST);
        constraint.max_items = Some(most.min(ENTRIES_MOST));
    }
    if let Some(items) = &mut constraint.items {
        bound(items);
    }
    for property in &mut constraint.properties {
        bound(&mut property.shape);
    }
}

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Unwritten(#[from] GenerationError),
    #[error(transparent)]
    NoAnswer(#[from] crate::answer::NoAnswer),
}

/// llama.cpp, which a process begins once; what it would print is not printed.
fn backend() -> Result<&'static LlamaBackend, BadModel> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    let begun = BACKEND.get_or_init(|| {
        let mut backend = LlamaBackend::init().map_err(|e| e.to_string())?;
        backend.void_logs();
        Ok(backend)
    });
    begun.as_ref().map_err(|e| BadModel::Begin(e.clone()))
}
