//! Deterministic mutations of seeds: the input of the targets under `cargo test`.
//!
//! Knows no format: seeds and dictionaries are in `corpus/` and `words/`, shared with libFuzzer.

use std::path::Path;

/// The path of this package, from itself and from each crate that includes its files.
const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz");

/// Runs a target on its corpus, and on so many mutations of it, multiplied by CONVOKE_FUZZ_TIMES,
/// which `make soak` sets.
pub fn smoke(name: &str, dictionary: &str, target: fn(&[u8]), changed: usize) {
    smoke_with(name, dictionary, target, Vec::new(), changed);
}

/// Runs [`smoke`] with seeds in addition to the corpus.
#[allow(
    clippy::disallowed_methods,
    reason = "what a test reads is no input of the crate"
)]
pub fn smoke_with(
    name: &str,
    dictionary: &str,
    target: fn(&[u8]),
    mut seeds: Vec<Vec<u8>>,
    changed: usize,
) {
    let times = std::env::var("CONVOKE_FUZZ_TIMES");
    let times = times.map_or(1, |times| times.parse().expect("a number"));
    seeds.extend(corpus(name));
    let words = words(&format!("{HERE}/words/{dictionary}.dict"));
    feed(target, &seeds, &words, changed * times);
}

/// The files of a target's corpus, in the order of their names.
#[allow(
    clippy::disallowed_methods,
    reason = "what a test reads is no input of the crate"
)]
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = format!("{HERE}/corpus/{name}");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut paths: Vec<_> = files
        .map(|file| file.expect("it can be listed").path())
        .collect();
    paths.sort();
    let read = |path: &Path| std::fs::read(path).expect("a file that can be read");
    paths.iter().map(|path| read(path)).collect()
}

/// Parses a libFuzzer dictionary: one word per line, in quotes, with `\\`, `\"` and `\xNN` escaped.
#[allow(
    clippy::disallowed_methods,
    reason = "what a test reads is no input of the crate"
)]
fn words(path: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let quoted = text
        .lines()
        .filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted.map(unescaped).collect()
}

fn unescaped(word: &str) -> Vec<u8> {
    let (mut rest, mut bytes) = (word, Vec::new());
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let length = match rest.strip_prefix('x') {
            Some(hex) => {
                bytes.push(u8::from_str_radix(&hex[..2], 16).expect("two digits"));
                3
            }
            None => {
                bytes.push(rest.as_bytes()[0]);
                1
            }
        };
        rest = &rest[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// A pseudo-random sequence of numbers (xorshift).
struct SeededRng(u64);

impl SeededRng {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Runs a target on every seed, and on so many mutated ones: cut, doubled, spliced with each other,
/// bytes replaced, `words` inserted.
fn feed(target: fn(&[u8]), seeds: &[Vec<u8>], words: &[Vec<u8>], changed: usize) {
    seeds.iter().for_each(|seed| target(seed));
    let mut rng = SeededRng(0x9e37_79b9_7f4a_7c15);
    for _ in 0..changed {
        let mut data = seeds[rng.below(seeds.len())].clone();
        for _ in 0..=rng.below(4) {
            change(&mut data, seeds, words, &mut rng);
        }
        target(&data);
    }
}

fn change(data: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[Vec<u8>], rng: &mut SeededRng) {
    let (from, to) = range(data.len(), rng);
    match rng.below(6) {
        0 => drop(data.drain(from..to)),
        1 => {
            let doubled = data[from..to].to_vec();
            drop(data.splice(from..from, doubled));
        }
        2 => {
            let other = &seeds[rng.below(seeds.len())];
            let (start, end) = range(other.len(), rng);
            drop(data.splice(from..to, other[start..end].iter().copied()));
        }
        3 if !data.is_empty() => {
            let at = rng.below(data.len());
            data[at] = rng.below(256) as u8;
        }
        4 if !data.is_empty() => {
            let at = rng.below(data.len());
            data[at] ^= 1 << rng.below(8);
        }
        _ => {
            let word = words[rng.below(words.len())].iter().copied();
            let end = if rng.below(2) == 0 { from } else { to };
            drop(data.splice(from..end, word));
        }
    }
}

/// A random short range within so many bytes.
fn range(length: usize, rng: &mut SeededRng) -> (usize, usize) {
    let from = rng.below(length + 1);
    (from, length.min(from + rng.below(24)))
}
