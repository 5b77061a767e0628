//! The places where runs of tokens begin, end and lie, found without looking through all of them.
//!
//! Made once of the runs of a text, in time linear in their length; asked as often as one likes.
//! Knows no tokens. Read next: [`crate::quantity`].

use std::ops::Range;

/// The tokens that some runs hold.
#[derive(Clone, Debug, Default)]
pub struct TokenSet(Vec<bool>);

impl TokenSet {
    /// Of a text of so many tokens, what these runs hold.
    pub fn of<'r>(tokens: usize, runs: impl IntoIterator<Item = &'r Range<usize>>) -> Self {
        let mut cover = Self(vec![false; tokens]);
        runs.into_iter().for_each(|run| cover.add(run));
        cover
    }

    /// Adds the tokens of a run.
    pub fn add(&mut self, run: &Range<usize>) {
        let end = run.end.min(self.0.len());
        self.0[run.start.min(end)..end].fill(true);
    }

    /// True if one of the runs holds this token.
    pub fn holds(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or(false)
    }

    /// True if one of the runs shares a token with this one.
    pub fn touches(&self, run: &Range<usize>) -> bool {
        run.clone().any(|at| self.holds(at))
    }
}

/// An index of which of some runs begin, end and lie at a token, by their place in the list that
/// they are of.
#[derive(Clone, Debug, Default)]
pub struct SpanIndex {
    from: Vec<Option<usize>>,
    until: Vec<Option<usize>>,
    over: Vec<Option<usize>>,
}

impl SpanIndex {
    /// Of a text of so many tokens, where these runs are.
    pub fn of<'r>(tokens: usize, runs: impl IntoIterator<Item = &'r Range<usize>>) -> Self {
        let mut places = Self {
            from: vec![None; tokens + 1],
            until: vec![None; tokens + 1],
            over: vec![None; tokens],
        };
        for (place, run) in runs.into_iter().enumerate() {
            places.from[run.start].get_or_insert(place);
            places.until[run.end].get_or_insert(place);
            for at in run.clone() {
                places.over[at].get_or_insert(place);
            }
        }
        places
    }

    /// The first run that begins with this token.
    pub fn from(&self, at: usize) -> Option<usize> {
        self.from.get(at).copied().flatten()
    }

    /// The first run that ends before this token.
    pub fn until(&self, at: usize) -> Option<usize> {
        self.until.get(at).copied().flatten()
    }

    /// The first run that holds this token.
    pub fn over(&self, at: usize) -> Option<usize> {
        self.over.get(at).copied().flatten()
    }

    /// True if a run shares a token with this one.
    pub fn touches(&self, run: &Range<usize>) -> bool {
        run.clone().any(|at| self.over(at).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs() -> impl Strategy<Value = Vec<Range<usize>>> {
        let run =
            (0_usize..20, 0_usize..6).prop_map(|(start, length)| start..(start + length).min(20));
        prop::collection::vec(run, 0..8)
    }

    proptest! {
        /// What is found is what looking through all of them finds.
        #[test]
        fn all_that_looking_through_them_finds_is_found(runs in runs(), at in 0_usize..25, length in 0_usize..5) {
            let (places, cover) = (SpanIndex::of(20, &runs), TokenSet::of(20, &runs));
            let run = at..at + length;
            let shares = runs.iter().any(|r| run.clone().any(|i| r.contains(&i)));
            prop_assert_eq!(places.from(at), runs.iter().position(|r| r.start == at));
            prop_assert_eq!(places.until(at), runs.iter().position(|r| r.end == at));
            prop_assert_eq!(places.over(at), runs.iter().position(|r| r.contains(&at)));
            prop_assert_eq!(places.touches(&run), shares);
            prop_assert_eq!(cover.touches(&run), shares);
        }
    }
}
