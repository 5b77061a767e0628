//! An embedder for tests that reads pieces of words: what is spelt alike lies close.

use schema::semantics::Embedder;

const DIMENSIONS: usize = 512;

/// Words, and their trigrams, hashed with a sign into 512 dimensions.
pub(crate) struct Pieces;

impl Embedder for Pieces {
    fn id(&self) -> &str {
        "pieces-512"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn threshold(&self) -> f32 {
        0.3
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; DIMENSIONS];
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphabetic());
        for word in words.filter(|w| !["", "a", "an", "please", "by", "me"].contains(w)) {
            add(&mut vector, word, 1.0);
            let marked: Vec<char> = format!("<{word}>").chars().collect();
            for piece in marked.windows(3) {
                let weight = 0.8 / (marked.len() as f32 - 2.0).sqrt();
                add(&mut vector, &piece.iter().collect::<String>(), weight);
            }
        }
        vector
    }

    fn opposes(&self, one: &str, other: &str) -> bool {
        super::bag::Bag.opposes(one, other)
    }
}

fn add(vector: &mut [f32], feature: &str, weight: f32) {
    let hash = feature.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    let hash = hash ^ (hash >> 29);
    vector[(hash >> 1) as usize % DIMENSIONS] += if hash & 1 == 0 { weight } else { -weight };
}
