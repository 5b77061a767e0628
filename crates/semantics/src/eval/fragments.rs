//! Texts labelled with what they mean: which pairs an embedder joins, and which clusters would fire.
//!
//! A line is `{text, intent}`; an `intent` of `""` or null is noise that belongs to nothing. Pairs
//! are judged by the embedder's threshold and guard; clusters are built as the semantic pool builds
//! them (§6.2.1, Q31): nearest centroid or a new cluster, in the order of the lines.

use super::{NotASet, lines};
use crate::ngrams::{cosine, normalised};
use schema::semantics::Embedder;
use std::collections::BTreeMap;
use std::fmt;

/// A text and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The text.
    pub text: String,
    /// What it means; none for noise.
    pub intent: Option<String>,
}

/// Reads a set of labelled texts.
///
/// # Errors
/// [`NotASet`] for the first line that is none.
pub fn read(jsonl: &str) -> Result<Vec<Labelled>, NotASet> {
    lines(jsonl)
        .map(|line| {
            let (line, value) = line?;
            let reason = || NotASet {
                line,
                reason: "`text` is missing".to_owned(),
            };
            let text = value["text"].as_str().ok_or_else(reason)?.to_owned();
            let intent = value["intent"]
                .as_str()
                .filter(|i| !i.is_empty())
                .map(str::to_owned);
            Ok(Labelled { text, intent })
        })
        .collect()
}

/// How an embedder did on a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Which embedder.
    pub embedder: String,
    /// Its threshold.
    pub threshold: f32,
    /// How many texts.
    pub texts: usize,
    /// Pairs joined that mean the same.
    pub joined_rightly: usize,
    /// Pairs joined.
    pub joined: usize,
    /// Pairs that mean the same.
    pub alike: usize,
    /// Joins that the guard of opposites refused, and of those the ones that mean the same.
    pub kept_apart: (usize, usize),
    /// Clusters as large as a trigger asks, with one meaning in nine of ten texts.
    pub triggers_right: usize,
    /// Clusters as large as a trigger asks, of mixed meaning or noise.
    pub triggers_wrong: usize,
}

impl Report {
    /// The share of joined pairs that mean the same.
    pub fn precision(&self) -> f64 {
        share(self.joined_rightly, self.joined)
    }

    /// The share of pairs that mean the same and are joined.
    pub fn recall(&self) -> f64 {
        share(self.joined_rightly, self.alike)
    }

    /// The harmonic mean of both.
    pub fn pair_f1(&self) -> f64 {
        share(2 * self.joined_rightly, self.joined + self.alike)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "embedder               {}", self.embedder)?;
        writeln!(f, "threshold              {:.2}", self.threshold)?;
        writeln!(f, "texts                  {}", self.texts)?;
        writeln!(
            f,
            "pair F1                {:.3} (precision {:.3}, recall {:.3})",
            self.pair_f1(),
            self.precision(),
            self.recall()
        )?;
        writeln!(
            f,
            "opposites kept apart   {} ({} of them alike)",
            self.kept_apart.0, self.kept_apart.1
        )?;
        write!(
            f,
            "triggers               {} right, {} wrong",
            self.triggers_right, self.triggers_wrong
        )
    }
}

/// Scores an embedder. `members` is how many texts a cluster needs to fire; ten by the draft's
/// example.
pub fn run(
    embedder: &dyn Embedder,
    set: &[Labelled],
    threshold: Option<f32>,
    members: usize,
) -> Report {
    let threshold = threshold.unwrap_or_else(|| embedder.threshold());
    let vectors: Vec<Vec<f32>> = set.iter().map(|l| embedder.embed(&l.text)).collect();
    let mut report = Report {
        embedder: embedder.id().to_owned(),
        threshold,
        texts: set.len(),
        joined_rightly: 0,
        joined: 0,
        alike: 0,
        kept_apart: (0, 0),
        triggers_right: 0,
        triggers_wrong: 0,
    };
    for one in 0..set.len() {
        for other in 0..one {
            let alike = set[one].intent.is_some() && set[one].intent == set[other].intent;
            let close = cosine(&vectors[one], &vectors[other]) >= threshold;
            let opposed = close && embedder.opposes(&set[one].text, &set[other].text);
            report.pair(alike, close, opposed);
        }
    }
    for cluster in clusters(embedder, set, &vectors, threshold) {
        report.cluster(set, &cluster, members);
    }
    report
}

impl Report {
    fn pair(&mut self, alike: bool, close: bool, opposed: bool) {
        self.alike += usize::from(alike);
        self.kept_apart.0 += usize::from(opposed);
        self.kept_apart.1 += usize::from(opposed && alike);
        self.joined += usize::from(close && !opposed);
        self.joined_rightly += usize::from(close && !opposed && alike);
    }

    fn cluster(&mut self, set: &[Labelled], cluster: &[usize], members: usize) {
        if cluster.len() < members.max(1) {
            return;
        }
        let mut intents: BTreeMap<&str, usize> = BTreeMap::new();
        for at in cluster {
            if let Some(intent) = &set[*at].intent {
                *intents.entry(intent).or_default() += 1;
            }
        }
        let most = intents.values().max().copied().unwrap_or(0);
        if most * 10 >= cluster.len() * 9 {
            self.triggers_right += 1;
        } else {
            self.triggers_wrong += 1;
        }
    }
}

/// Clusters as the pool builds them: the nearest centroid that is close enough and does not say the
/// opposite, else a new cluster.
fn clusters(
    embedder: &dyn Embedder,
    set: &[Labelled],
    vectors: &[Vec<f32>],
    threshold: f32,
) -> Vec<Vec<usize>> {
    let mut clusters: Vec<(Vec<f32>, Vec<usize>)> = Vec::new();
    for (at, vector) in vectors.iter().enumerate() {
        let fits = |(sum, members): &(Vec<f32>, Vec<usize>)| {
            let near = cosine(&normalised(sum.clone()), vector);
            let first = &set[members[0]].text;
            (near >= threshold && !embedder.opposes(first, &set[at].text)).then_some(near)
        };
        let scored = clusters
            .iter()
            .enumerate()
            .filter_map(|(i, c)| Some((fits(c)?, i)));
        // Ties go to the older cluster (Q31).
        let nearest = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
        match nearest {
            Some((_, i)) => {
                clusters[i]
                    .0
                    .iter_mut()
                    .zip(vector)
                    .for_each(|(s, x)| *s += x);
                clusters[i].1.push(at);
            }
            None => clusters.push((vector.clone(), vec![at])),
        }
    }
    clusters.into_iter().map(|(_, members)| members).collect()
}
