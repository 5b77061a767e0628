//! How well edges match the true ones.
//!
//! Directed edges are compared: one in the wrong direction is wrong. Knows the truth, which nothing
//! that learns is shown. Read next: [`crate::counting`].

use crate::counting::{COMMON_CUT, FollowCounts, FollowedPair};
use crate::npy::AdjacencyMatrix;
use std::collections::BTreeSet;

/// A score of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphScore {
    /// The edges that are true.
    pub right: usize,
    /// All edges.
    pub edges: usize,
    /// All true edges.
    pub true_edges: usize,
}

impl GraphScore {
    /// The share of the edges that are true; 0 without edges.
    pub fn precision(&self) -> f64 {
        self.right as f64 / self.edges.max(1) as f64
    }

    /// The share of the true edges that are there; 0 if there are none.
    pub fn recall(&self) -> f64 {
        self.right as f64 / self.true_edges.max(1) as f64
    }

    /// The harmonic mean of both; 0 without any edges.
    pub fn f1(&self) -> f64 {
        let all = self.edges + self.true_edges;
        2.0 * self.right as f64 / all.max(1) as f64
    }
}

/// The true edges between types that are named by whole numbers from 0.
#[derive(Clone, Debug)]
pub struct TrueGraph {
    edges: BTreeSet<(String, String)>,
}

impl TrueGraph {
    /// Those of a matrix: a one in row i, column j says that i causes j. That a type causes itself
    /// does not count.
    pub fn of(matrix: &AdjacencyMatrix) -> Self {
        let ones = matrix.ones().filter(|(cause, effect)| cause != effect);
        let named = ones.map(|(cause, effect)| (cause.to_string(), effect.to_string()));
        Self {
            edges: named.collect(),
        }
    }

    /// The score of edges by the names of their ends; none stands there twice.
    pub fn score<'e>(&self, edges: impl IntoIterator<Item = (&'e str, &'e str)>) -> GraphScore {
        let (mut right, mut all) = (0, 0);
        for edge in edges {
            all += 1;
            right += usize::from(self.holds(edge));
        }
        GraphScore {
            right,
            edges: all,
            true_edges: self.edges.len(),
        }
    }

    /// The score of mere counting with [`COMMON_CUT`].
    pub fn common_cut(&self, counts: &FollowCounts) -> GraphScore {
        let kept = counts.pairs().iter().filter(|it| it.share >= COMMON_CUT);
        self.score(kept.map(ends))
    }

    /// The cut with which mere counting scores best against this truth, and that score: what no one
    /// could choose who does not know the truth.
    pub fn best_cut(&self, counts: &FollowCounts) -> (f64, GraphScore) {
        let mut best = (1.0, self.score([]));
        let mut kept = self.score([]);
        for alike in counts.pairs().chunk_by(|a, b| a.share == b.share) {
            kept.edges += alike.len();
            kept.right += self.score(alike.iter().map(ends)).right;
            if kept.f1() > best.1.f1() {
                best = (alike[0].share, kept);
            }
        }
        best
    }

    fn holds(&self, (cause, effect): (&str, &str)) -> bool {
        // Few enough that a copy does no harm.
        let edge = (cause.to_owned(), effect.to_owned());
        self.edges.contains(&edge)
    }
}

fn ends(pair: &FollowedPair) -> (&str, &str) {
    (&pair.cause, &pair.effect)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::history::HistoryBuilder;
    use crate::npy::tests::file;

    fn truth() -> TrueGraph {
        let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 3), }\n";
        let cells = [1, 1, 0, 0, 0, 1, 0, 0, 0];
        TrueGraph::of(&AdjacencyMatrix::read(&file(header, &cells)).unwrap())
    }

    #[test]
    fn an_edge_in_the_wrong_direction_is_wrong() {
        let score = truth().score([("0", "1"), ("2", "1"), ("0", "2")]);
        assert_eq!([score.right, score.edges, score.true_edges], [1, 3, 2]);
        assert_eq!(
            [score.precision(), score.recall(), score.f1()],
            [1.0 / 3.0, 0.5, 0.4]
        );
        assert_eq!(truth().score([]).f1(), 0.0);
    }

    #[test]
    fn the_best_cut_is_found_among_all() {
        let mut builder = HistoryBuilder::default();
        let day = 86_400;
        for (alarm_type, start_s) in [
            ("0", 0),
            ("1", 5),
            ("0", day),
            ("1", day + 5),
            ("2", day + 7),
            ("2", 2 * day),
            ("0", 2 * day + 5),
            ("2", 3 * day),
            ("0", 3 * day + 5),
        ] {
            builder.push(alarm_type, "d", start_s).unwrap();
        }
        let counts = FollowCounts::of(&builder.finish(None).unwrap());
        let told = counts
            .pairs()
            .iter()
            .map(|it| format!("{} {} {:.2}", it.cause, it.effect, it.share));
        assert_eq!(
            told.collect::<Vec<_>>(),
            ["2 0 0.67", "0 1 0.50", "1 2 0.50"]
        );
        let (cut, best) = truth().best_cut(&counts);
        assert_eq!((cut, best.right, best.edges), (0.5, 2, 3));
        assert_eq!(truth().common_cut(&counts), best);
    }
}
