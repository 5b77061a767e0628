//! One vector per token, from a directory: the form of model2vec, which wordllama's weights share.
//! Feature `static`.
//!
//! A directory holds `model.safetensors` with a matrix `embeddings` or `embedding.weight` (f32, f16
//! or bf16; a row per token), beside it, if the matrix is packed, `mapping` (the row of each token)
//! and `weights` (how much each token counts); and `tokenizer.json`. The vector of a text is the mean
//! of its tokens' vectors, of length 1. Microseconds a text. Read next:
//! [`schema::semantics::Embedder`].

use crate::ngrams::{normalised, opposes};
use crate::weights::{BadWeights, Directory, Weights};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use schema::semantics::Embedder;
use serde_json::Value;
use std::fmt;
use tokenizers::Tokenizer;

/// The cosine from which two texts mean the same, as measured with wordllama.
const THRESHOLD: f32 = 0.40;
/// The number of tokens of a text that are looked at.
const TOKENS_MOST: usize = 512;
/// The names of the matrix: by model2vec, by wordllama.
const MATRICES: [&str; 2] = ["embeddings", "embedding.weight"];

/// An embedder of one vector per token.
pub struct StaticEmbedder {
    id: String,
    tokenizer: Tokenizer,
    unknown: Option<u32>,
    table: Table,
}

impl fmt::Debug for StaticEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StaticEmbedder").field(&self.id).finish()
    }
}

impl StaticEmbedder {
    /// Loads the weights in a directory, after they were proved to be those that are named.
    ///
    /// # Errors
    /// [`BadWeights`]
    pub fn load(weights: &Weights) -> Result<Self, BadWeights> {
        let (mut directory, bytes) = Directory::open(weights)?;
        let table = Table::read(&bytes).map_err(|e| directory.form("model.safetensors", e))?;
        let (tokenizer, described) = directory.tokenizer(TOKENS_MOST)?;
        let tokens = tokenizer.get_vocab_size(true);
        if table.tokens() < tokenizer.get_vocab_size(false) {
            let reason = format!("{tokens} tokens for {} vectors", table.tokens());
            return Err(directory.form("tokenizer.json", reason));
        }
        Ok(Self {
            id: directory.id("static-1", table.dimensions),
            unknown: unknown(&described, &tokenizer),
            tokenizer,
            table,
        })
    }
}

/// The token that stands for what the tokenizer does not know: it says nothing.
fn unknown(described: &[u8], tokenizer: &Tokenizer) -> Option<u32> {
    let described: Value = serde_json::from_slice(described).ok()?;
    let model = &described["model"];
    let by_place = model["unk_id"]
        .as_u64()
        .and_then(|id| u32::try_from(id).ok());
    by_place.or_else(|| tokenizer.token_to_id(model["unk_token"].as_str()?))
}

impl Embedder for StaticEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.table.dimensions
    }

    fn threshold(&self) -> f32 {
        THRESHOLD
    }

    /// All zero for a text that holds no token that is known.
    fn embed(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.table.dimensions];
        // A tokenizer without a token for the unknown refuses what it does not know.
        if let Ok(encoding) = self.tokenizer.encode_fast(text, false) {
            let known = |id: &&u32| Some(**id) != self.unknown;
            for id in encoding.get_ids().iter().filter(known) {
                self.table.add(*id as usize, &mut sum);
            }
        }
        normalised(sum)
    }

    fn opposes(&self, one: &str, other: &str) -> bool {
        opposes(one, other)
    }
}

/// A vector for each token.
struct Table {
    dimensions: usize,
    rows: Vec<f32>,
    mapping: Option<Vec<usize>>,
    weights: Option<Vec<f32>>,
}

impl Table {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
        let matrix = MATRICES.iter().find_map(|name| tensors.tensor(name).ok());
        let matrix =
            matrix.ok_or_else(|| format!("no matrix is called {}", MATRICES.join(" or ")))?;
        let &[count, dimensions] = matrix.shape() else {
            return Err(format!("a matrix has two sides, not {:?}", matrix.shape()));
        };
        let mapping = tensors.tensor("mapping").ok();
        let mapping = mapping.map(|view| places(&view)).transpose()?;
        let weights = tensors.tensor("weights").ok();
        let weights = weights.map(|view| numbers(&view)).transpose()?;
        let table = Self {
            dimensions,
            rows: numbers(&matrix)?,
            mapping,
            weights,
        };
        table.fits(count).map(|()| table)
    }

    fn fits(&self, count: usize) -> Result<(), String> {
        if self.dimensions == 0 || count == 0 {
            return Err("the matrix is empty".to_owned());
        }
        if !self
            .rows
            .iter()
            .chain(self.weights.iter().flatten())
            .all(|x| x.is_finite())
        {
            return Err("not every number is finite".to_owned());
        }
        if self.mapping.iter().flatten().any(|row| *row >= count) {
            return Err("the mapping names rows that there are not".to_owned());
        }
        let named = self.weights.as_ref().map_or(self.tokens(), Vec::len);
        match named == self.tokens() {
            true => Ok(()),
            false => Err(format!("{named} weights for {} tokens", self.tokens())),
        }
    }

    /// The number of tokens that have a vector.
    fn tokens(&self) -> usize {
        let rows = self.rows.len() / self.dimensions;
        self.mapping.as_ref().map_or(rows, Vec::len)
    }

    /// Adds the vector of a token; nothing for one that has none.
    fn add(&self, token: usize, sum: &mut [f32]) {
        if token >= self.tokens() {
            return;
        }
        let row = self.mapping.as_ref().map_or(token, |rows| rows[token]);
        let weight = self.weights.as_ref().map_or(1.0, |weights| weights[token]);
        let vector = &self.rows[row * self.dimensions..][..self.dimensions];
        sum.iter_mut()
            .zip(vector)
            .for_each(|(s, x)| *s += weight * x);
    }
}

/// The numbers of a tensor.
fn numbers(view: &TensorView<'_>) -> Result<Vec<f32>, String> {
    let data = view.data();
    let short = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
    Ok(match view.dtype() {
        Dtype::F64 => words::<8>(data)
            .map(|b| f64::from_le_bytes(b) as f32)
            .collect(),
        Dtype::F32 => words::<4>(data).map(f32::from_le_bytes).collect(),
        Dtype::F16 => data.chunks_exact(2).map(|p| half(short(p))).collect(),
        Dtype::BF16 => data
            .chunks_exact(2)
            .map(|p| f32::from_bits(u32::from(short(p)) << 16))
            .collect(),
        other => return Err(format!("{other:?} are no numbers that are known here")),
    })
}

/// The places in a tensor.
fn places(view: &TensorView<'_>) -> Result<Vec<usize>, String> {
    let negative = |_| "the mapping names rows that there are not".to_owned();
    match view.dtype() {
        Dtype::I64 => words::<8>(view.data())
            .map(|b| usize::try_from(i64::from_le_bytes(b)).map_err(negative))
            .collect(),
        Dtype::I32 => words::<4>(view.data())
            .map(|b| usize::try_from(i32::from_le_bytes(b)).map_err(negative))
            .collect(),
        other => Err(format!("{other:?} are no places")),
    }
}

fn words<const N: usize>(data: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    data.chunks_exact(N)
        .map(|word| word.try_into().expect("chunks have this size"))
}

/// The number that 16 bits are (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1_024.0) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_are_a_number() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
        ] {
            assert_eq!(half(bits), number, "{bits:04x}");
        }
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
