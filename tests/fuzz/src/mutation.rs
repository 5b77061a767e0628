//! Seeds changed a little, the same at every run: what `cargo test` feeds the targets with.
//!
//! Knows no format; words that stand in one are given.

/// A sequence of numbers that looks like chance (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Gives a target every seed, and so many changed ones: cut, doubled, spliced with each other,
/// bytes replaced, `words` put in.
pub fn feed(target: fn(&[u8]), seeds: &[Vec<u8>], words: &[&str], changed: usize) {
    seeds.iter().for_each(|seed| target(seed));
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..changed {
        let mut data = seeds[dice.below(seeds.len())].clone();
        for _ in 0..=dice.below(4) {
            change(&mut data, seeds, words, &mut dice);
        }
        target(&data);
    }
}

fn change(data: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], dice: &mut Dice) {
    let (from, to) = range(data.len(), dice);
    match dice.below(6) {
        0 => drop(data.drain(from..to)),
        1 => {
            let doubled = data[from..to].to_vec();
            drop(data.splice(from..from, doubled));
        }
        2 => {
            let other = &seeds[dice.below(seeds.len())];
            let (start, end) = range(other.len(), dice);
            drop(data.splice(from..to, other[start..end].iter().copied()));
        }
        3 if !data.is_empty() => {
            let at = dice.below(data.len());
            data[at] = dice.below(256) as u8;
        }
        4 if !data.is_empty() => {
            let at = dice.below(data.len());
            data[at] ^= 1 << dice.below(8);
        }
        _ => {
            let word = words[dice.below(words.len())].bytes();
            let end = if dice.below(2) == 0 { from } else { to };
            drop(data.splice(from..end, word));
        }
    }
}

/// A short piece of so many bytes.
fn range(length: usize, dice: &mut Dice) -> (usize, usize) {
    let from = dice.below(length + 1);
    (from, length.min(from + dice.below(24)))
}
