//! The embedder without a model: hashed words and character n-grams.
//!
//! Texts with the same words lie close, texts with other words for the same do not: fewer fragments
//! join than with a model, and none that share nothing. English by stems, Chinese by characters and
//! pairs of them; words of grammar and courtesy count for nothing. Read next:
//! [`schema::semantics::Embedder`].

use crate::lexicon;
use language::script::is_cjk;
use language::text::{Class, Token, tokens};
use schema::semantics::Embedder;
use std::collections::BTreeSet;

/// The number of dimensions of a vector.
const DIMENSIONS: usize = 1024;
/// The cosine from which two texts mean the same.
const THRESHOLD: f32 = 0.30;
/// The weights of a word, its character n-grams together, two words in a row, a Chinese character
/// and a pair of them.
const WORD: f32 = 1.0;
const PIECES: f32 = 0.6;
const PAIR: f32 = 0.4;
const CHARACTER: f32 = 0.5;
const CHARACTERS: f32 = 1.0;
/// The weight of a concept of the lexicon, beside the word for it.
const CONCEPT: f32 = 0.8;

/// Hashed words and character n-grams.
#[derive(Clone, Debug)]
pub struct Ngrams {
    id: String,
}

impl Default for Ngrams {
    fn default() -> Self {
        let lexicon = fnv1a(lexicon::fingerprint().bytes());
        let id = format!(
            "ngrams-1 dim={DIMENSIONS} word={WORD} pieces=3-5:{PIECES} pair={PAIR} han={CHARACTER}+{CHARACTERS} concept={CONCEPT} lexicon={lexicon:016x} fnv1a"
        );
        Self { id }
    }
}

impl Embedder for Ngrams {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn threshold(&self) -> f32 {
        THRESHOLD
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; DIMENSIONS];
        let telling = telling(text);
        for token in &telling {
            if token.class == Class::Cjk {
                add(&mut vector, "c", &token.text, CHARACTER);
            } else {
                add(&mut vector, "w", &token.stem, WORD);
                pieces(&mut vector, &token.stem);
            }
        }
        for concept in concepts(&telling) {
            add(&mut vector, "k", concept, CONCEPT);
        }
        for pair in telling.windows(2) {
            let chinese = pair.iter().all(|t| t.class == Class::Cjk);
            let joined = format!("{} {}", pair[0].stem, pair[1].stem);
            add(
                &mut vector,
                "p",
                &joined,
                if chinese { CHARACTERS } else { PAIR },
            );
        }
        normalised(vector)
    }

    fn opposes(&self, one: &str, other: &str) -> bool {
        opposes(one, other)
    }
}

/// True if two texts say the opposite, by a lexicon of English and Chinese opposites and denials:
/// the guard that every embedder of ours uses.
pub fn opposes(one: &str, other: &str) -> bool {
    let said = |text: &str| -> (Vec<String>, String) {
        let tokens = tokens(text);
        let words = tokens.iter().filter(|t| t.class == Class::Word);
        (
            words
                .flat_map(|t| [t.text.clone(), t.stem.clone()])
                .collect(),
            text.to_lowercase(),
        )
    };
    let (one, other) = (&meant(one), &meant(other));
    let alike = alike(one, other);
    let (one, other) = (said(one), said(other));
    lexicon::opposed((&one.0, &one.1), (&other.0, &other.1), alike)
}

/// A text without the clauses that only say what is not meant: "not on working days, only at the
/// weekend".
fn meant(text: &str) -> String {
    let clauses: Vec<&str> = text.split([',', '，', ';', '；']).collect();
    let denies = |clause: &&str| {
        let words: Vec<String> = tokens(clause).into_iter().map(|t| t.text).collect();
        lexicon::denials(&words, &clause.to_lowercase()) > 0
    };
    let kept: Vec<&str> = clauses.iter().filter(|c| !denies(c)).copied().collect();
    let says = |clause: &&str| {
        clause.chars().filter(|c| c.is_alphabetic()).count() > 6 || clause.chars().any(is_cjk)
    };
    if kept.iter().any(says) {
        kept.join(", ")
    } else {
        text.to_owned()
    }
}

/// True if two texts share three in four of the words that they say something with, denials apart.
fn alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let denies = |t: &Token| {
            matches!(
                t.text.as_str(),
                "不" | "别" | "没" | "无" | "勿" | "用" | "要"
            )
        };
        telling(text)
            .into_iter()
            .filter(|t| !denies(t))
            .map(|t| t.stem)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    let fewest = one.len().min(other.len());
    fewest > 0 && shared * 4 >= fewest * 3
}

/// The tokens that say something; all, if none does.
fn telling(text: &str) -> Vec<Token> {
    let all = tokens(text);
    let says = |t: &&Token| match t.class {
        Class::Word => !lexicon::is_function(&t.text) && !lexicon::is_asking(&t.text),
        Class::Cjk => !lexicon::is_chinese_filler(&t.text),
        Class::Number | Class::Sign => true,
    };
    let telling: Vec<Token> = all.iter().filter(says).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// The concepts that words and pairs of characters name, each once.
fn concepts(telling: &[Token]) -> BTreeSet<&'static str> {
    let words = telling
        .iter()
        .filter(|t| t.class == Class::Word)
        .map(|t| t.text.clone());
    let pairs = telling
        .windows(2)
        .filter(|w| w.iter().all(|t| t.class == Class::Cjk));
    let terms = words.chain(pairs.map(|w| format!("{}{}", w[0].text, w[1].text)));
    terms.filter_map(|t| lexicon::concept_name(&t)).collect()
}

/// The character n-grams of a word, which together weigh [`PIECES`].
fn pieces(vector: &mut [f32], word: &str) {
    let marked: Vec<char> = format!("<{word}>").chars().collect();
    let grams: Vec<String> = (3..=5)
        .flat_map(|n| marked.windows(n))
        .map(|w| w.iter().collect())
        .collect();
    let weight = PIECES / (grams.len() as f32).sqrt();
    for gram in &grams {
        add(vector, "g", gram, weight);
    }
}

/// Adds a feature where its hash says, with the sign that its hash says.
fn add(vector: &mut [f32], family: &str, feature: &str, weight: f32) {
    let hash = fnv1a(family.bytes().chain([0]).chain(feature.bytes()));
    let place = (hash >> 1) as usize % vector.len();
    vector[place] += if hash & 1 == 0 { weight } else { -weight };
}

/// FNV-1a of 64 bits.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A vector of length 1; all zero if there is nothing in it.
pub(crate) fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

/// The cosine of two vectors of length 1.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(one: &str, other: &str) -> f32 {
        let ngrams = Ngrams::default();
        cosine(&ngrams.embed(one), &ngrams.embed(other))
    }

    #[test]
    fn texts_with_the_same_words_are_close_and_others_are_not() {
        let threshold = Ngrams::default().threshold();
        for (one, other) in [
            ("window seat", "a window seat please"),
            ("extra legroom", "I would like some extra legroom"),
            (
                "notify the shop owner",
                "please notify the owner of the shop",
            ),
            ("靠窗座位", "我想要靠窗的座位"),
            ("通知值班经理", "请通知一下值班经理"),
        ] {
            assert!(
                near(one, other) >= threshold,
                "{one} / {other}: {}",
                near(one, other)
            );
        }
        for (one, other) in [
            ("window seat", "vegetarian meal"),
            ("quiet cabin", "extra legroom"),
            ("靠窗座位", "素食餐"),
            ("please notify the owner", "please crop it to a square"),
        ] {
            assert!(
                near(one, other) < threshold,
                "{one} / {other}: {}",
                near(one, other)
            );
        }
    }

    #[test]
    fn opposites_are_kept_apart() {
        for (one, other) in [
            ("reduce power at night", "increase power by day"),
            ("turn the lights on", "turn the lights off"),
            ("notify the owner", "do not notify the owner"),
            ("window seat", "aisle seat"),
            ("夜间降低功率", "白天提高功率"),
            ("允许漫游", "禁止漫游"),
            ("通知客户", "不通知客户"),
        ] {
            assert!(
                opposes(one, other) && opposes(other, one),
                "{one} / {other}"
            );
        }
        for (one, other) in [
            ("reduce power at night", "lower the power overnight"),
            ("don't turn it on", "turn it off"),
            ("a seat on the left", "a seat on the left side"),
            ("降低功率", "把功率调低"),
            ("window seat", "seat by the window"),
        ] {
            assert!(
                !opposes(one, other) && !opposes(other, one),
                "{one} / {other}"
            );
        }
    }

    proptest! {
        #[test]
        fn vectors_have_length_one_or_none(text in "\\PC{0,40}") {
            let vector = Ngrams::default().embed(&text);
            let length = cosine(&vector, &vector);
            prop_assert!(vector.len() == DIMENSIONS);
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-4);
        }

        #[test]
        fn opposition_is_mutual_and_nothing_opposes_itself(one in "\\PC{0,40}", other in "\\PC{0,40}") {
            prop_assert_eq!(opposes(&one, &other), opposes(&other, &one));
            prop_assert!(!opposes(&one, &one));
        }
    }
}
