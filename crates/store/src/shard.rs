//! Shards: what is decided together, with a chain of its own.
//!
//! A small number, and what is kept for each of them. Which shard something is on its caller says. Read next:
//! `heads`, `docs/shards.md`.

use std::fmt;

/// A shard of a state, 0 to 63. What a release before wrote is on shard 0, and so is what belongs to no task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard(u8);

impl Shard {
    /// How many there are.
    pub const COUNT: usize = 64;

    /// The first, which also has what is the whole platform's.
    pub const ZERO: Self = Self(0);

    /// The shard of this number; none if there is none.
    pub fn new(number: u8) -> Option<Self> {
        (usize::from(number) < Self::COUNT).then_some(Self(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }

    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The shard of a number as stored.
    pub(crate) fn stored(number: i64) -> Option<Self> {
        Self::new(u8::try_from(number).ok()?)
    }

    /// Its number as stored.
    pub(crate) fn column(self) -> i64 {
        self.0.into()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Something of each shard that has it, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PerShard<T>(Vec<(Shard, T)>);

impl<T> Default for PerShard<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> PerShard<T> {
    fn place(&self, shard: Shard) -> Result<usize, usize> {
        self.0.binary_search_by_key(&shard, |(of, _)| *of)
    }

    pub(crate) fn of(&self, shard: Shard) -> Option<&T> {
        let place = self.place(shard).ok()?;
        Some(&self.0[place].1)
    }

    /// That of a shard, which is this one if it has none yet.
    pub(crate) fn of_or(&mut self, shard: Shard, first: impl FnOnce() -> T) -> &mut T {
        let place = self.place(shard).unwrap_or_else(|place| {
            self.0.insert(place, (shard, first()));
            place
        });
        &mut self.0[place].1
    }

    pub(crate) fn set(&mut self, shard: Shard, value: T) {
        match self.place(shard) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (shard, value)),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Shard, &T)> {
        self.0.iter().map(|(shard, value)| (*shard, value))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Shard, &mut T)> {
        self.0.iter_mut().map(|(shard, value)| (*shard, value))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<(Shard, T)> for PerShard<T> {
    fn from_iter<I: IntoIterator<Item = (Shard, T)>>(all: I) -> Self {
        let mut found = Self::default();
        for (shard, value) in all {
            found.set(shard, value);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixty_four() {
        assert_eq!(Shard::all().count(), Shard::COUNT);
        assert_eq!(Shard::new(63).map(Shard::number), Some(63));
        for strange in [-1, 64, 256, i64::MIN] {
            assert_eq!(Shard::stored(strange), None);
        }
    }

    #[test]
    fn each_shard_has_its_own_in_order() {
        let shards = [63, 0, 5].map(|number| Shard::new(number).expect("there is one"));
        let mut kept: PerShard<u8> = PerShard::default();
        for shard in shards {
            kept.set(shard, 1);
            *kept.of_or(shard, || 9) += shard.number();
        }
        let all: Vec<_> = kept
            .iter()
            .map(|(shard, value)| (shard.number(), *value))
            .collect();
        assert_eq!(all, [(0, 1), (5, 6), (63, 64)]);
        assert_eq!(kept.of(Shard(7)), None);
    }
}
