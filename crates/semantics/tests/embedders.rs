//! The embedders from a directory, over weights that the test makes itself, against vectors computed
//! another way.
// The test writes the directories it loads.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use schema::semantics::Embedder;
use semantics::minilm::MiniLm;
use semantics::static_embedder::StaticEmbedder;
use semantics::weights::{BadWeights, Digest, Weights};
use serde_json::{Value, json};
use sha2::Digest as _;
use std::fmt::Write as _;
use tempfile::TempDir;

/// A tensor: its name, type and sides, and its bytes.
type Tensor = (&'static str, &'static str, Vec<usize>, Vec<u8>);

fn f32s(name: &'static str, sides: &[usize], numbers: &[f32]) -> Tensor {
    let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    (name, "F32", sides.to_vec(), bytes)
}

fn safetensors<'t>(tensors: impl IntoIterator<Item = &'t Tensor>) -> Vec<u8> {
    let (mut head, mut data) = (serde_json::Map::new(), Vec::<u8>::new());
    for (name, kind, sides, bytes) in tensors {
        let place = [data.len(), data.len() + bytes.len()];
        let told = json!({"dtype": kind, "shape": sides, "data_offsets": place});
        head.insert((*name).to_owned(), told);
        data.extend(bytes);
    }
    let head = Value::Object(head).to_string();
    let mut file = (head.len() as u64).to_le_bytes().to_vec();
    file.extend(head.as_bytes());
    file.extend(data);
    file
}

/// A tokenizer of whole words, the first of which stands for the unknown.
fn tokenizer(words: &[&str], marks: Value) -> Value {
    let vocabulary: serde_json::Map<String, Value> = words
        .iter()
        .enumerate()
        .map(|(id, word)| ((*word).to_owned(), id.into()))
        .collect();
    json!({
        "version": "1.0", "truncation": null, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        // As MiniLM comes: every text as long as this. It must not count.
        "padding": {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0, "pad_token": words[0]},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": marks, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": words[0]},
    })
}

struct Place {
    directory: TempDir,
    weights: Weights,
}

fn place(weights: &[u8], tokenizer: &Value, config: Option<&Value>) -> Place {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(directory.path().join(name), bytes);
    write("model.safetensors", weights).unwrap();
    write("tokenizer.json", tokenizer.to_string().as_bytes()).unwrap();
    if let Some(config) = config {
        write("config.json", config.to_string().as_bytes()).unwrap();
    }
    let weights = Weights {
        path: directory.path().to_owned(),
        sha256: digest(weights),
    };
    Place { directory, weights }
}

fn digest(bytes: &[u8]) -> Digest {
    let mut digits = String::new();
    for byte in sha2::Sha256::digest(bytes) {
        write!(digits, "{byte:02x}").unwrap();
    }
    digits.parse().unwrap()
}

fn near(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f64::from(*f) - e).abs() < 1e-5,
            "{found:?} for {expected:?}"
        );
    }
}

// ---------------------------------------------------------- one vector per token

const WORDS: [&str; 4] = ["[UNK]", "window", "seat", "aisle"];

fn words() -> Value {
    tokenizer(&WORDS, Value::Null)
}

/// A row per token: the unknown far away, so that it would be seen.
const ROWS: [f32; 8] = [90.0, 90.0, 3.0, 0.0, 0.0, 4.0, -1.0, 0.0];

fn matrix(name: &'static str) -> Tensor {
    f32s(name, &[4, 2], &ROWS)
}

fn one_per_token(tensors: &[Tensor]) -> Result<StaticEmbedder, BadWeights> {
    StaticEmbedder::load(&place(&safetensors(tensors), &words(), None).weights)
}

#[test]
fn the_vector_of_a_text_is_the_mean_of_its_tokens() {
    for name in ["embeddings", "embedding.weight"] {
        let embedder = one_per_token(&[matrix(name)]).unwrap();
        near(&embedder.embed("window"), &[1.0, 0.0]);
        // (3, 0) + (0, 4) is as long as 5.
        near(&embedder.embed("Window seat"), &[0.6, 0.8]);
        near(&embedder.embed("window of a seat, please"), &[0.6, 0.8]);
        // 2 · (3, 0) + (0, 4) is as long as √52.
        near(
            &embedder.embed("window window seat"),
            &[6.0 / 52_f64.sqrt(), 4.0 / 52_f64.sqrt()],
        );
        for nothing in ["", "  ", "whatever else"] {
            near(&embedder.embed(nothing), &[0.0, 0.0]);
        }
        assert_eq!((embedder.dimensions(), embedder.threshold()), (2, 0.40));
        assert!(embedder.opposes("window seat", "aisle seat"));
    }
}

#[test]
fn numbers_come_in_sixteen_bits_too() {
    let bits = |kind: &'static str, bits: [u16; 8]| {
        let bytes = bits.iter().flat_map(|b| b.to_le_bytes()).collect();
        ("embeddings", kind, vec![4, 2], bytes)
    };
    // 3 and 4, and -1 for the last.
    for tensor in [
        bits("F16", [0, 0, 0x4200, 0, 0, 0x4400, 0xbc00, 0]),
        bits("BF16", [0, 0, 0x4040, 0, 0, 0x4080, 0xbf80, 0]),
    ] {
        let embedder = one_per_token(&[tensor]).unwrap();
        near(&embedder.embed("window seat"), &[0.6, 0.8]);
    }
}

#[test]
fn a_packed_matrix_has_a_mapping_and_weights() {
    let rows = f32s("embeddings", &[2, 2], &[0.0, 1.0, 1.0, 0.0]);
    let mapping = [0_i64, 1, 0, 1]
        .iter()
        .flat_map(|row| row.to_le_bytes())
        .collect();
    let mapping: Tensor = ("mapping", "I64", vec![4], mapping);
    let weights = f32s("weights", &[4], &[1.0, 3.0, 4.0, 1.0]);
    let embedder = one_per_token(&[rows, mapping, weights]).unwrap();
    near(&embedder.embed("window seat"), &[0.6, 0.8]);
}

#[test]
fn weights_of_another_form_are_told() {
    let mapping: Tensor = ("mapping", "I64", vec![1], 7_i64.to_le_bytes().to_vec());
    for (tensors, expected) in [
        (
            vec![matrix("vectors")],
            "no matrix is called embeddings or embedding.weight",
        ),
        (
            vec![f32s("embeddings", &[8], &ROWS)],
            "a matrix has two sides, not [8]",
        ),
        (
            vec![f32s("embeddings", &[2, 4], &ROWS)],
            "4 tokens for 2 vectors",
        ),
        (
            vec![f32s("embeddings", &[1, 1], &[f32::NAN])],
            "not every number is finite",
        ),
        (
            vec![f32s("embeddings", &[0, 2], &[])],
            "the matrix is empty",
        ),
        (
            vec![matrix("embeddings"), mapping],
            "the mapping names rows that there are not",
        ),
        (
            vec![matrix("embeddings"), f32s("weights", &[1], &[1.0])],
            "1 weights for 4 tokens",
        ),
        (
            vec![("embeddings", "I32", vec![4, 2], vec![0; 32])],
            "I32 are no numbers that are known here",
        ),
    ] {
        let told = one_per_token(&tensors).unwrap_err().to_string();
        assert!(told.ends_with(expected), "{told}");
    }
    let place = place(b"no weights", &words(), None);
    assert!(matches!(
        StaticEmbedder::load(&place.weights),
        Err(BadWeights::Form { .. })
    ));
}

// ----------------------------------------------------------------------- MiniLM

const TOKENS: [&str; 6] = ["[UNK]", "[CLS]", "[SEP]", "window", "seat", "aisle"];
const WIDTH: usize = 4;
const INNER: usize = 3;
const HEADS: usize = 2;

fn marked() -> Value {
    let mark = |name: &str| json!({"SpecialToken": {"id": name, "type_id": 0}});
    let told = |name: &str, id: u32| json!({"id": name, "ids": [id], "tokens": [name]});
    let text = json!({"Sequence": {"id": "A", "type_id": 0}});
    let more = json!({"Sequence": {"id": "B", "type_id": 1}});
    let marks = json!({
        "type": "TemplateProcessing",
        "single": [mark("[CLS]"), text, mark("[SEP]")],
        "pair": [mark("[CLS]"), text, mark("[SEP]"), more, mark("[SEP]")],
        "special_tokens": {"[CLS]": told("[CLS]", 1), "[SEP]": told("[SEP]", 2)},
    });
    tokenizer(&TOKENS, marks)
}

fn config() -> Value {
    json!({
        "vocab_size": 6, "hidden_size": WIDTH, "num_hidden_layers": 1, "num_attention_heads": HEADS,
        "intermediate_size": INNER, "hidden_act": "relu", "hidden_dropout_prob": 0.1,
        "max_position_embeddings": 8, "type_vocab_size": 2, "initializer_range": 0.02,
        "layer_norm_eps": 1e-12, "pad_token_id": 0, "position_embedding_type": "absolute",
        "use_cache": true, "model_type": "bert",
    })
}

/// Arbitrary numbers, the same in every run.
struct Bert(Vec<Tensor>);

impl Bert {
    fn new() -> Self {
        let layer = |part| format!("encoder.layer.0.{part}");
        let mut bert = Self(Vec::new());
        for (name, rows) in [("word", 6), ("position", 8), ("token_type", 2)] {
            bert.add(
                format!("embeddings.{name}_embeddings.weight"),
                &[rows, WIDTH],
            );
        }
        for part in ["query", "key", "value"] {
            bert.linear(&layer(format!("attention.self.{part}")), WIDTH, WIDTH);
        }
        bert.linear(&layer("attention.output.dense".to_owned()), WIDTH, WIDTH);
        bert.linear(&layer("intermediate.dense".to_owned()), INNER, WIDTH);
        bert.linear(&layer("output.dense".to_owned()), WIDTH, INNER);
        for norm in [
            "embeddings",
            "encoder.layer.0.attention.output",
            "encoder.layer.0.output",
        ] {
            bert.add(format!("{norm}.LayerNorm.weight"), &[WIDTH]);
            bert.add(format!("{norm}.LayerNorm.bias"), &[WIDTH]);
        }
        bert
    }

    fn linear(&mut self, name: &str, out: usize, into: usize) {
        self.add(format!("{name}.weight"), &[out, into]);
        self.add(format!("{name}.bias"), &[out]);
    }

    fn add(&mut self, name: String, sides: &[usize]) {
        let seed = self.0.len() as f32 + 1.0;
        let count = sides.iter().product::<usize>();
        let numbers: Vec<f32> = (0..count)
            .map(|n| (seed * 1.7 + n as f32 * 2.3).sin())
            .collect();
        self.0.push(f32s(name.leak(), sides, &numbers));
    }

    fn rows(&self, name: &str) -> Vec<Vec<f64>> {
        let (_, _, sides, bytes) = self.0.iter().find(|t| t.0 == name).unwrap();
        let numbers = bytes
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()).into());
        let numbers: Vec<f64> = numbers.collect();
        numbers
            .chunks(*sides.last().unwrap())
            .map(<[f64]>::to_vec)
            .collect()
    }

    fn through(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (weight, bias) = (
            self.rows(&format!("{name}.weight")),
            self.rows(&format!("{name}.bias")),
        );
        let outs = weight.iter().zip(&bias[0]);
        outs.map(|(row, b)| b + row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>())
            .collect()
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let spread = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64).sqrt();
        let weight = &self.rows(&format!("{name}.LayerNorm.weight"))[0];
        let bias = &self.rows(&format!("{name}.LayerNorm.bias"))[0];
        let outs = x.iter().zip(weight).zip(bias);
        outs.map(|((x, w), b)| (x - mean) / spread * w + b)
            .collect()
    }

    /// The paper's formulas, one number after the other.
    fn vector(&self, ids: &[usize]) -> Vec<f64> {
        let row = |name: &str, at: usize| {
            self.rows(&format!("embeddings.{name}_embeddings.weight"))[at].clone()
        };
        let embedded = ids.iter().enumerate().map(|(at, id)| {
            let sum = sum(
                &sum(&row("word", *id), &row("position", at)),
                &row("token_type", 0),
            );
            self.norm("embeddings", &sum)
        });
        let states: Vec<Vec<f64>> = embedded.collect();
        let own = |part: &str| -> Vec<Vec<f64>> {
            let name = format!("encoder.layer.0.attention.self.{part}");
            states.iter().map(|s| self.through(&name, s)).collect()
        };
        let (queries, keys, values) = (own("query"), own("key"), own("value"));
        let mut mean = vec![0.0; WIDTH];
        for (state, query) in states.iter().zip(&queries) {
            let heads = (0..HEADS).flat_map(|head| {
                let part = head * WIDTH / HEADS..(head + 1) * WIDTH / HEADS;
                attended(&query[part.clone()], &keys, &values, part)
            });
            let context: Vec<f64> = heads.collect();
            let layer = "encoder.layer.0";
            let attention = self.through(&format!("{layer}.attention.output.dense"), &context);
            let middle = self.norm(
                &format!("{layer}.attention.output"),
                &sum(state, &attention),
            );
            let inner = self.through(&format!("{layer}.intermediate.dense"), &middle);
            let inner: Vec<f64> = inner.into_iter().map(|x| x.max(0.0)).collect();
            let outer = self.through(&format!("{layer}.output.dense"), &inner);
            mean = sum(
                &mean,
                &self.norm(&format!("{layer}.output"), &sum(&middle, &outer)),
            );
        }
        let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        mean.into_iter().map(|x| x / length).collect()
    }
}

fn sum(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(a, b)| a + b).collect()
}

fn attended(
    query: &[f64],
    keys: &[Vec<f64>],
    values: &[Vec<f64>],
    part: std::ops::Range<usize>,
) -> Vec<f64> {
    let score = |key: &Vec<f64>| {
        let dot: f64 = query
            .iter()
            .zip(&key[part.clone()])
            .map(|(q, k)| q * k)
            .sum();
        (dot / (query.len() as f64).sqrt()).exp()
    };
    let scores: Vec<f64> = keys.iter().map(score).collect();
    let all: f64 = scores.iter().sum();
    let weighted = |at: usize| {
        values
            .iter()
            .zip(&scores)
            .map(|(v, s)| v[at] * s / all)
            .sum()
    };
    part.map(weighted).collect()
}

fn minilm() -> Place {
    place(&safetensors(&Bert::new().0), &marked(), Some(&config()))
}

#[test]
fn minilm_computes_what_the_formulas_say() {
    let (bert, embedder) = (Bert::new(), MiniLm::load(&minilm().weights).unwrap());
    for (text, ids) in [
        ("window", &[1, 3, 2][..]),
        ("Window seat", &[1, 3, 4, 2]),
        ("seat by the aisle", &[1, 4, 0, 0, 5, 2]),
        // Cut at as many as there are positions, the marks among them.
        (
            "seat seat seat seat seat seat aisle aisle",
            &[1, 4, 4, 4, 4, 4, 4, 2],
        ),
    ] {
        near(&embedder.embed(text), &bert.vector(ids));
    }
    for nothing in ["", " \t"] {
        near(&embedder.embed(nothing), &[0.0; WIDTH]);
    }
    assert_eq!((embedder.dimensions(), embedder.threshold()), (WIDTH, 0.55));
    assert!(embedder.opposes("reduce power at night", "increase power by day"));
}

#[test]
fn minilm_of_another_form_is_told() {
    let load = |tokenizer: &Value, config: Option<&Value>, tensors: usize| {
        let weights = safetensors(&Bert::new().0[..tensors]);
        MiniLm::load(&place(&weights, tokenizer, config).weights).unwrap_err()
    };
    let all = Bert::new().0.len();
    assert!(matches!(
        load(&marked(), None, all),
        BadWeights::Unreadable { .. }
    ));
    assert!(matches!(
        load(&marked(), Some(&json!({})), all),
        BadWeights::Form { .. }
    ));
    assert!(matches!(
        load(&json!({}), Some(&config()), all),
        BadWeights::Form { .. }
    ));
    assert!(matches!(
        load(&marked(), Some(&config()), 3),
        BadWeights::Form { .. }
    ));
    let many: Vec<String> = (0..7).map(|n| format!("w{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let told = load(&tokenizer(&many, Value::Null), Some(&config()), all).to_string();
    assert!(told.ends_with("more tokens than the model knows"), "{told}");
}

// --------------------------------------------------------------------- of both

/// An id names all that vectors depend on, so that pools never mix.
#[test]
fn ids_tell_weights_and_tokenizers_apart() {
    let bytes = safetensors(&[matrix("embeddings")]);
    let id = |bytes: &[u8], tokenizer: &Value| {
        let place = place(bytes, tokenizer, None);
        StaticEmbedder::load(&place.weights)
            .unwrap()
            .id()
            .to_owned()
    };
    let one = id(&bytes, &words());
    assert!(one.starts_with("static-1 dim=2 weights="), "{one}");
    assert_eq!(one, id(&bytes, &words()), "not on where it lies");
    let others = tokenizer(&["[UNK]", "aisle", "seat", "window"], Value::Null);
    assert_ne!(one, id(&bytes, &others));
    assert_ne!(
        one,
        id(&safetensors(&[matrix("embedding.weight")]), &words())
    );
    let minilm = MiniLm::load(&minilm().weights).unwrap();
    assert!(
        minilm.id().starts_with("minilm-1 dim=4 weights="),
        "{}",
        minilm.id()
    );
}

#[test]
fn other_weights_than_named_are_not_loaded() {
    let mut here = minilm();
    here.weights.sha256 = digest(b"another");
    assert!(matches!(
        MiniLm::load(&here.weights),
        Err(BadWeights::Another { .. })
    ));
    assert!(matches!(
        StaticEmbedder::load(&here.weights),
        Err(BadWeights::Another { .. })
    ));
    std::fs::remove_file(here.directory.path().join("model.safetensors")).unwrap();
    assert!(matches!(
        MiniLm::load(&here.weights),
        Err(BadWeights::Unreadable { .. })
    ));
}
