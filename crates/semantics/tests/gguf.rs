//! The local model over a model that the test makes itself: one layer of arbitrary numbers, whose
//! tokens are bytes. What it says is nonsense; what the grammar lets it say is not. D61, D62.
// The test writes the weights it loads.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use schema::contract::Contract;
use schema::semantics::{Circumstances, Parsed, SemanticParser};
use schema::template::Template;
use schema::time::Timestamp;
use schema::violation::Code;
use semantics::gate::Gate;
use semantics::gguf::{BadModel, Gguf, GgufSettings};
use semantics::rules::Rules;
use semantics::weights::{BadWeights, Digest, Weights};
use serde_json::Value;
use sha2::Digest as _;
use std::fmt::Write as _;
use std::time::Duration;
use tempfile::TempDir;

const UTTERANCE: &str = "Book me a flight from Beijing to Shanghai next Monday, business class, and I prefer a window seat.";
const WIDTH: u64 = 32;
const TOKENS: u64 = 3 + 256;

/// A file in GGUF.
#[derive(Default)]
struct File {
    members: Vec<u8>,
    members_count: u64,
    tensors: Vec<u8>,
    tensors_count: u64,
    data: Vec<u8>,
    chance: u64,
}

fn text(into: &mut Vec<u8>, text: &str) {
    into.extend((text.len() as u64).to_le_bytes());
    into.extend(text.as_bytes());
}

impl File {
    fn member(&mut self, name: &str, kind: u32, value: &[u8]) {
        text(&mut self.members, name);
        self.members.extend(kind.to_le_bytes());
        self.members.extend(value);
        self.members_count += 1;
    }

    fn count(&mut self, name: &str, value: u32) {
        self.member(name, 4, &value.to_le_bytes());
    }

    fn string(&mut self, name: &str, value: &str) {
        let mut bytes = Vec::new();
        text(&mut bytes, value);
        self.member(name, 8, &bytes);
    }

    fn array(&mut self, name: &str, kind: u32, values: impl Iterator<Item = Vec<u8>>) {
        let values: Vec<Vec<u8>> = values.collect();
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.concat());
        self.member(name, 9, &bytes);
    }

    /// A tensor of arbitrary numbers between -1 and 1; of ones if it has one side.
    fn tensor(&mut self, name: &str, sides: &[u64]) {
        text(&mut self.tensors, name);
        self.tensors.extend((sides.len() as u32).to_le_bytes());
        self.tensors
            .extend(sides.iter().flat_map(|side| side.to_le_bytes()));
        self.tensors.extend(0_u32.to_le_bytes());
        self.tensors.extend((self.data.len() as u64).to_le_bytes());
        for _ in 0..sides.iter().product::<u64>() {
            self.chance = self
                .chance
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let number = (self.chance >> 40) as f32 / (1_u64 << 23) as f32 - 1.0;
            let number = if sides.len() == 1 { 1.0 } else { number };
            self.data.extend(number.to_le_bytes());
        }
        self.tensors_count += 1;
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(3_u32.to_le_bytes());
        bytes.extend(self.tensors_count.to_le_bytes());
        bytes.extend(self.members_count.to_le_bytes());
        bytes.extend(self.members);
        bytes.extend(self.tensors);
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        bytes.extend(self.data);
        bytes
    }
}

fn model() -> Vec<u8> {
    let mut file = File::default();
    file.string("general.architecture", "llama");
    for (name, value) in [
        ("context_length", 8_192),
        ("embedding_length", WIDTH as u32),
        ("block_count", 1),
        ("feed_forward_length", WIDTH as u32),
        ("attention.head_count", 2),
        ("attention.head_count_kv", 2),
        ("rope.dimension_count", 16),
    ] {
        file.count(&format!("llama.{name}"), value);
    }
    let epsilon = 1e-5_f32.to_le_bytes();
    file.member("llama.attention.layer_norm_rms_epsilon", 6, &epsilon);
    file.string("tokenizer.ggml.model", "llama");
    let marks = ["<unk>", "<s>", "</s>"].map(str::to_owned);
    let names = marks
        .into_iter()
        .chain((0..=255).map(|byte: u8| format!("<0x{byte:02X}>")));
    let name = |name: String| {
        let mut bytes = Vec::new();
        text(&mut bytes, &name);
        bytes
    };
    file.array("tokenizer.ggml.tokens", 8, names.map(name));
    let scores = (0..TOKENS).map(|_| 0_f32.to_le_bytes().to_vec());
    file.array("tokenizer.ggml.scores", 6, scores);
    let kinds = [2_i32, 3, 3].into_iter().chain([6; 256]);
    file.array(
        "tokenizer.ggml.token_type",
        5,
        kinds.map(|kind| kind.to_le_bytes().to_vec()),
    );
    file.count("tokenizer.ggml.unknown_token_id", 0);
    file.count("tokenizer.ggml.bos_token_id", 1);
    file.count("tokenizer.ggml.eos_token_id", 2);
    file.tensor("token_embd.weight", &[WIDTH, TOKENS]);
    for norm in ["attn_norm", "ffn_norm"] {
        file.tensor(&format!("blk.0.{norm}.weight"), &[WIDTH]);
    }
    for square in [
        "attn_q",
        "attn_k",
        "attn_v",
        "attn_output",
        "ffn_gate",
        "ffn_up",
        "ffn_down",
    ] {
        file.tensor(&format!("blk.0.{square}.weight"), &[WIDTH, WIDTH]);
    }
    file.tensor("output_norm.weight", &[WIDTH]);
    file.tensor("output.weight", &[WIDTH, TOKENS]);
    file.bytes()
}

fn written(bytes: &[u8]) -> (TempDir, Weights) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tiny.gguf");
    std::fs::write(&path, bytes).unwrap();
    let sha256 = digest(bytes);
    (directory, Weights { path, sha256 })
}

fn digest(bytes: &[u8]) -> Digest {
    let mut digits = String::new();
    for byte in sha2::Sha256::digest(bytes) {
        write!(digits, "{byte:02x}").unwrap();
    }
    digits.parse().unwrap()
}

/// The model with everything it says let pass.
fn loaded(change: impl FnOnce(&mut GgufSettings)) -> Gguf {
    let (_directory, weights) = written(&model());
    let mut settings = GgufSettings {
        threshold: 0.0,
        tokens_max: 3_000,
        ..GgufSettings::new(weights)
    };
    change(&mut settings);
    Gguf::load(settings).unwrap()
}

fn circumstances() -> Circumstances {
    let now = Timestamp::parse("2026-04-30T10:00:00+08:00").unwrap();
    Circumstances {
        now,
        zone_minutes: 480,
        language: None,
    }
}

fn parsed(model: &Gguf, template: &Template, utterance: &str) -> Parsed {
    model.parse(template, utterance, &circumstances()).unwrap()
}

fn flight() -> Template {
    schema::shipped::template("flight_booking_v1").unwrap()
}

/// Every text in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(entries) => entries.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// D61: whatever the weights, the payload keeps to the template, and its free texts are pieces of
/// the utterance or values of examples.
#[test]
fn nonsense_keeps_to_the_template() {
    let model = loaded(|settings| settings.other = false);
    let mut said = 0;
    for (template, utterance) in [
        ("flight_booking_v1", UTTERANCE),
        (
            "flight_booking_v1",
            "帮我订一张下周一从北京到上海的机票，要靠窗的座位",
        ),
        (
            "energy_saving_v1",
            "Save 20 % of the power of cells W-001/1 and W-002/1 at night",
        ),
        (
            "service_complaint_v1",
            "My calls drop, \"every day\" since Monday: \\ call me back!",
        ),
    ] {
        let template = schema::shipped::template(template).unwrap();
        let parsed = parsed(&model, &template, utterance);
        let contract = Contract::new(&template).unwrap();
        let wrong = contract.verify(&parsed.payload).err().unwrap_or_default();
        assert!(wrong.iter().all(|v| v.code == Code::Missing), "{wrong:?}");
        for (name, value) in &parsed.payload {
            let key = template.own_keys().find(|k| k.key_name == *name).unwrap();
            let examples = key.annotation.0.values().flat_map(|d| &d.examples);
            let known: Vec<Value> = examples.map(|e| e.value.clone()).collect();
            let allowed = &key.shape.constraint.allowed;
            for text in texts(value) {
                let free =
                    utterance.contains(text) || known.iter().any(|k| texts(k).contains(&text));
                let typed =
                    allowed.iter().any(|a| a == text) || key.shape.constraint.format.is_some();
                assert!(free || typed, "{name}: {text}");
            }
        }
        assert!(
            parsed
                .confidence
                .values()
                .all(|sure| (0.0..=1.0).contains(sure))
        );
        said += parsed.payload.len();
    }
    assert!(said > 0, "a model that says nothing proves nothing");
}

/// The likeliest token is taken: the same utterance gives the same payload, whatever the model
/// read before it.
#[test]
fn twice_the_same() {
    let new = || loaded(|settings| settings.other = false);
    let (model, another) = (
        new(),
        "Cancel flight CA1234 to Paris, please, and ask for a refund!",
    );
    let first = parsed(&model, &flight(), UTTERANCE);
    assert_eq!(first, parsed(&model, &flight(), UTTERANCE));
    let between = parsed(&model, &flight(), another);
    assert_eq!(between, parsed(&new(), &flight(), another));
    assert_eq!(first, parsed(&model, &flight(), UTTERANCE));
    assert!(model.name().starts_with("gguf tiny.gguf "));
}

/// D62: below the threshold a value goes to `other`, with its confidence told; what was finished
/// before the limit of tokens stands.
#[test]
fn what_is_unsure_or_cut_off_is_told() {
    let all = parsed(
        &loaded(|settings| settings.other = false),
        &flight(),
        UTTERANCE,
    );
    let unsure = loaded(|settings| {
        settings.other = false;
        settings.threshold = 1.01;
    });
    let unsure = parsed(&unsure, &flight(), UTTERANCE);
    assert!(unsure.payload.is_empty());
    assert!(unsure.confidence.len() >= all.payload.len());

    let brief = loaded(|settings| settings.tokens_max = 5);
    let failure = brief
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap_err();
    assert_eq!(
        failure.reason,
        "the answer was cut off at the limit of tokens"
    );
    let babbling = loaded(|settings| settings.tokens_max = 600);
    let payload = parsed(&babbling, &flight(), UTTERANCE).payload;
    assert!(
        payload
            .iter()
            .all(|(name, value)| all.payload.get(name) == Some(value))
    );
}

/// Failures are told with what failed.
#[test]
fn failures_are_told() {
    let late = loaded(|settings| settings.timeout = Duration::ZERO);
    let failure = late
        .parse(&flight(), UTTERANCE, &circumstances())
        .unwrap_err();
    assert_eq!(failure.reason, "there was no answer within 0 ms");
    let model = loaded(|_| {});
    let long = "a long story ".repeat(1_000);
    let failure = model.parse(&flight(), &long, &circumstances()).unwrap_err();
    assert!(
        failure.reason.ends_with("tokens, and the model takes 8192"),
        "{}",
        failure.reason
    );
}

/// Nothing is loaded that is another than was named, or no model.
#[test]
fn another_file_is_not_loaded() {
    let load = |weights: &Weights| Gguf::load(GgufSettings::new(weights.clone())).unwrap_err();
    let (_directory, mut weights) = written(&model());
    weights.sha256 = digest(b"another");
    assert!(matches!(
        load(&weights),
        BadModel::Weights(BadWeights::Another { .. })
    ));
    weights.path.push("none");
    assert!(matches!(
        load(&weights),
        BadModel::Weights(BadWeights::Unreadable { .. })
    ));
    for bytes in [&b"GGUF"[..], b"no model at all", &model()[..2_000]] {
        let (_directory, weights) = written(bytes);
        assert!(matches!(
            load(&weights),
            BadModel::Weights(BadWeights::Form { .. })
        ));
    }
}

/// §6.1: behind the gate nonsense takes nothing away from what the rules are sure of.
#[test]
fn the_gate_keeps_nonsense_out() {
    let (_directory, weights) = written(&model());
    let settings = GgufSettings {
        other: false,
        ..GgufSettings::new(weights)
    };
    let gate = Gate::new(Rules::default(), Gguf::load(settings).unwrap());
    let ruled = Rules::default().read(&flight(), UTTERANCE, &circumstances());
    let gated = gate.parse(&flight(), UTTERANCE, &circumstances()).unwrap();
    assert_eq!(gated.payload, ruled.payload);
    assert_eq!(gated.other, ruled.other);
    assert!(gate.name().starts_with("rules + gguf tiny.gguf "));
}
