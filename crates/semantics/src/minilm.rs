//! The embedder MiniLM, a BERT with mean pooling, from a directory. Feature `minilm`.
//!
//! A directory holds `model.safetensors`, `config.json` and `tokenizer.json`, as
//! `sentence-transformers/all-MiniLM-L6-v2` comes; any BERT of that form will do. Not padded, cut at
//! 256 tokens, the mean over all tokens, of length 1. Ten milliseconds a text on one core. For
//! English: it tells Chinese texts apart badly. Read next: [`schema::semantics::Embedder`].

use crate::ngrams::{normalised, opposes};
use crate::weights::{BadWeights, Directory, Weights};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use schema::semantics::Embedder;
use std::fmt;
use tokenizers::Tokenizer;

/// The cosine from which two texts mean the same, as measured.
const THRESHOLD: f32 = 0.55;
/// The number of tokens of a text that are looked at, marks included.
const TOKENS_MOST: usize = 256;
/// Tokens to prove a model with.
const PROOF: [u32; 2] = [0, 1];

/// MiniLM.
pub struct MiniLm {
    id: String,
    dimensions: usize,
    tokenizer: Tokenizer,
    model: BertModel,
}

impl fmt::Debug for MiniLm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MiniLm").field(&self.id).finish()
    }
}

impl MiniLm {
    /// Loads the weights in a directory, after they were proved to be those that are named, and lets
    /// them compute.
    ///
    /// # Errors
    /// [`BadWeights`]
    pub fn load(weights: &Weights) -> Result<Self, BadWeights> {
        let (mut directory, bytes) = Directory::open(weights)?;
        let config: Config = serde_json::from_slice(&directory.bytes("config.json")?)
            .map_err(|e| directory.form("config.json", e.to_string()))?;
        let most = TOKENS_MOST.min(config.max_position_embeddings);
        let (tokenizer, _) = directory.tokenizer(most)?;
        if tokenizer.get_vocab_size(true) > config.vocab_size {
            return Err(directory.form("tokenizer.json", "more tokens than the model knows"));
        }
        let broken = |reason: String| directory.form("model.safetensors", reason);
        let model = model(bytes, &config).map_err(|e| broken(e.to_string()))?;
        let embedder = Self {
            id: directory.id("minilm-1", config.hidden_size),
            dimensions: config.hidden_size,
            tokenizer,
            model,
        };
        let proof = embedder.mean(&PROOF).map_err(|e| broken(e.to_string()))?;
        match proof.iter().all(|x| x.is_finite()) {
            true => Ok(embedder),
            false => Err(broken("not every number is finite".to_owned())),
        }
    }

    /// The tokens of a text between their marks; none if it says nothing, or nothing that the
    /// tokenizer can read.
    fn tokens(&self, text: &str) -> Option<Vec<u32>> {
        let encoding = self.tokenizer.encode(text, true).ok()?;
        let marks = encoding.get_special_tokens_mask();
        marks.contains(&0).then(|| encoding.get_ids().to_vec())
    }

    /// The mean of the last layer.
    fn mean(&self, ids: &[u32]) -> candle_core::Result<Vec<f32>> {
        let ids = Tensor::new(ids, &Device::Cpu)?.unsqueeze(0)?;
        let kinds = ids.zeros_like()?;
        let states = self.model.forward(&ids, &kinds, None)?;
        states.mean(1)?.squeeze(0)?.to_vec1()
    }
}

fn model(bytes: Vec<u8>, config: &Config) -> candle_core::Result<BertModel> {
    let weights = VarBuilder::from_buffered_safetensors(bytes, DType::F32, &Device::Cpu)?;
    BertModel::load(weights, config)
}

impl Embedder for MiniLm {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn threshold(&self) -> f32 {
        THRESHOLD
    }

    /// All zero for a text that says nothing, or nothing that the tokenizer can read.
    fn embed(&self, text: &str) -> Vec<f32> {
        let Some(tokens) = self.tokens(text) else {
            return vec![0.0; self.dimensions];
        };
        let mean = self.mean(&tokens);
        normalised(mean.expect("the model computed when it was loaded, and knows every token"))
    }

    fn opposes(&self, one: &str, other: &str) -> bool {
        opposes(one, other)
    }
}
