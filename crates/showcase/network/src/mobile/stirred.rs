//! The users and cells that a change affects, and that are to be computed anew.
//!
//! Knows no physics; a superset costs time but changes no result. Read next: `evaluation`.

use super::users::{Unit, Users};
use std::ops::Range;

/// The cells, their sites and all users; constant over a run.
#[derive(Clone, Copy)]
pub(super) struct Cast<'a> {
    pub(super) units: &'a [Unit],
    /// The cells of each site.
    pub(super) on: &'a [Range<usize>],
    pub(super) users: &'a Users,
}

/// A set of indices, in order of insertion.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    is_member: Vec<bool>,
    members: Vec<usize>,
}

impl Marked {
    pub(super) fn none_of(count: usize) -> Self {
        Self {
            is_member: vec![false; count],
            members: Vec::new(),
        }
    }

    fn all_of(count: usize) -> Self {
        Self {
            is_member: vec![true; count],
            members: (0..count).collect(),
        }
    }

    /// Inserts those of `numbers` that are not in it.
    pub(super) fn add(&mut self, numbers: impl IntoIterator<Item = usize>) {
        for number in numbers {
            if !std::mem::replace(&mut self.is_member[number], true) {
                self.members.push(number);
            }
        }
    }

    pub(super) fn members(&self) -> &[usize] {
        &self.members
    }
}

/// A set of users and a set of cells.
#[derive(Clone, Debug)]
pub(super) struct Stirred {
    pub(super) users: Marked,
    pub(super) cells: Marked,
}

impl Stirred {
    /// Both sets empty.
    pub(super) fn nobody(cast: Cast<'_>) -> Self {
        Self {
            users: Marked::none_of(cast.users.points.len()),
            cells: Marked::none_of(cast.units.len()),
        }
    }

    /// All users and all cells.
    pub(super) fn everybody(cast: Cast<'_>) -> Self {
        Self {
            users: Marked::all_of(cast.users.points.len()),
            cells: Marked::all_of(cast.units.len()),
        }
    }
}

/// The indices at which two lists differ.
pub(super) fn differing<'a>(
    before: &'a [f64],
    now: &'a [f64],
) -> impl Iterator<Item = usize> + Clone + 'a {
    let pairs = before.iter().zip(now).enumerate();
    pairs.filter(|(_, (a, b))| a != b).map(|(number, _)| number)
}
