//! A cheap embedder for tests: hashed bags of words, and a pair of opposites.

use schema::semantics::Embedder;

/// Words hashed into 96 dimensions.
pub(crate) struct Bag;

impl Embedder for Bag {
    fn id(&self) -> &str {
        "bag-96"
    }

    fn dimensions(&self) -> usize {
        96
    }

    fn threshold(&self) -> f32 {
        0.6
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; 96];
        let text = text.to_lowercase();
        for word in text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
        {
            let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
                (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
            });
            let weight = match word {
                "a" | "an" | "the" | "please" | "i" | "want" | "to" | "by" | "me" => 0.3,
                // Of one kind, so that "window seat" and "aisle seat" lie close.
                "window" | "aisle" | "halal" | "kosher" | "vegan" => 0.6,
                _ => 1.0,
            };
            vector[((hash ^ (hash >> 29)) % 96) as usize] += weight;
        }
        let length = vector.iter().map(|x: &f32| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|x| *x /= length);
        }
        vector
    }

    fn opposes(&self, one: &str, other: &str) -> bool {
        let has = |text: &str, word: &str| text.split(' ').any(|w| w == word);
        has(one, "reduce") && has(other, "increase") || has(one, "increase") && has(other, "reduce")
    }
}
