//! Texts labelled with what they mean: which pairs an embedder joins, and which clusters would fire.
//!
//! A line is `{text, intent}`; an `intent` of `""` or null is noise that belongs to nothing. Pairs
//! are judged by the embedder's threshold and guard; clusters are those of the semantic pool
//! (§6.2.1), which takes the texts in the order of the lines.

use super::{NotASet, lines, share};
use crate::ngrams::cosine;
use schema::evolution::{EvolutionSettings, FragmentSource, Insert, Pool, Similarity};
use schema::semantics::Embedder;
use schema::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const MS_PER_S: i64 = 1_000;

/// A text and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The text.
    pub text: String,
    /// Its meaning; none for noise.
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

/// The report on an embedder and a set.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbedderReport {
    /// The embedder.
    pub embedder: String,
    /// Its threshold.
    pub threshold: f32,
    /// The number of texts.
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

impl EmbedderReport {
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

impl fmt::Display for EmbedderReport {
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
) -> EmbedderReport {
    let threshold = threshold.unwrap_or_else(|| embedder.threshold());
    let vectors: Vec<Vec<f32>> = set.iter().map(|l| embedder.embed(&l.text)).collect();
    let mut report = EmbedderReport {
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
    let settings = firing_at(members, threshold);
    for intents in firing(embedder, set, &vectors, &settings) {
        report.fired(&intents);
    }
    report
}

impl EmbedderReport {
    fn pair(&mut self, alike: bool, close: bool, opposed: bool) {
        self.alike += usize::from(alike);
        self.kept_apart.0 += usize::from(opposed);
        self.kept_apart.1 += usize::from(opposed && alike);
        self.joined += usize::from(close && !opposed);
        self.joined_rightly += usize::from(close && !opposed && alike);
    }

    fn fired(&mut self, intents: &[Option<&str>]) {
        let mut meanings: BTreeMap<&str, usize> = BTreeMap::new();
        for intent in intents.iter().flatten() {
            *meanings.entry(intent).or_default() += 1;
        }
        let most = meanings.values().max().copied().unwrap_or(0);
        if most * 10 >= intents.len() * 9 {
            self.triggers_right += 1;
        } else {
            self.triggers_wrong += 1;
        }
    }
}

/// The clusters that fire, by what their texts mean: the semantic pool itself takes the texts, a
/// second apart, and links a cluster afresh before it fires.
fn firing<'s>(
    embedder: &dyn Embedder,
    set: &'s [Labelled],
    vectors: &[Vec<f32>],
    settings: &EvolutionSettings,
) -> Vec<Vec<Option<&'s str>>> {
    let meaning: BTreeMap<&str, Option<&str>> = set
        .iter()
        .map(|l| (l.text.as_str(), l.intent.as_deref()))
        .collect();
    let Ok(mut pool) = Pool::new(embedder, true) else {
        return Vec::new();
    };
    let source = FragmentSource {
        client: Some("someone"),
        proven: true,
    };
    let (mut fired, mut known) = (Vec::new(), BTreeSet::new());
    for (at, (labelled, vector)) in set.iter().zip(vectors).enumerate() {
        let now = Timestamp::from_ms(i64::try_from(at).unwrap_or(i64::MAX / MS_PER_S) * MS_PER_S);
        let fragment = Insert {
            text: &labelled.text,
            vector,
            source: &source,
            now,
        };
        // A text that says nothing to the embedder belongs nowhere.
        let Ok(inserted) = pool.insert(&fragment, settings, embedder) else {
            continue;
        };
        let id = inserted.cluster;
        let linked = inserted.ripe && pool.relink(id, settings, embedder, now).is_ok();
        if linked && pool.ripe(id, settings, now) && known.insert(id) {
            let members = pool.cluster(id).into_iter().flat_map(|c| &c.members);
            fired.push(members.map(|m| meaning[m.text.as_str()]).collect());
        }
    }
    fired
}

/// The settings under which so many texts make a cluster fire.
fn firing_at(members: usize, threshold: f32) -> EvolutionSettings {
    let mut settings = EvolutionSettings::default();
    settings.cluster.similarity = Similarity::Fixed(threshold);
    settings.cluster.members_max = settings.cluster.members_max.max(members);
    settings.heat.threshold = 0.0;
    settings.gates.occurrences_min = members.max(1);
    settings.gates.clients_min = usize::MAX;
    settings
}
