//! Chance, and words that there are not.
//!
//! Read next: [`super::world`].

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// The consonants that noise is spoken with; its words share nothing that anyone could take for a
/// meaning.
const CONSONANTS: &[u8] = b"bcdfghjklmnprstvwz";
const VOWELS: &[u8] = b"aeiou";

/// Two or three words of two to four syllables.
pub(super) fn nonsense(rng: &mut ChaCha8Rng) -> String {
    let words = (0..2 + below(rng, 2)).map(|_| {
        let syllables = 2 + below(rng, 3);
        let letters = (0..syllables)
            .flat_map(|_| [CONSONANTS, VOWELS].map(|of| char::from(of[below(rng, of.len())])));
        letters.collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(super) fn chance(rng: &mut ChaCha8Rng, probability: f64) -> bool {
    ((rng.next_u64() >> 11) as f64) < probability * (1u64 << 53) as f64
}

pub(super) fn below(rng: &mut ChaCha8Rng, end: usize) -> usize {
    (rng.next_u64() % end.max(1) as u64) as usize
}
