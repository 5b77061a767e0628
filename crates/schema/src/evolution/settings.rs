//! Every number of draft-zhou §6.2, with the draft's default, and which parts are on.
//!
//! Knows ranges and what needs what; refuses to know how a number is used. Durations are
//! milliseconds, shares run from 0 to 1. Read next: [`super::Pool`], [`super::Lineage`].

mod check;

use serde::{Deserialize, Serialize};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// No duration is longer: ten years.
const DURATION_MAX_MS: i64 = 3_650 * DAY_MS;

/// The settings of a schema's evolution. [`EvolutionSettings::default`] is the draft's,
/// [`EvolutionSettings::draft_literal`] its cosine of 0.85 as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EvolutionSettings {
    /// The parts that are on.
    pub parts: Parts,
    /// The rule by which fragments mean the same, and how many are kept.
    pub cluster: ClusterSettings,
    /// The count of demand.
    pub heat: HeatSettings,
    /// The gates at which demand is enough.
    pub gates: Gates,
    /// The form of a candidate.
    pub induction: InductionSettings,
    /// The life of patches, and who lets them out.
    pub patch: PatchSettings,
    /// The judgement of keys.
    pub trial: TrialSettings,
    /// The bounds that keep the schema small.
    pub convergence: ConvergenceSettings,
}

/// The parts of §6.2 that are on; all are optional. What is off has no effect on any message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parts {
    /// Fragments of `other` are gathered (§6.2.1).
    pub pool: bool,
    /// Patches are made of them (§6.2.2); needs `pool` and `evaluation`.
    pub patches: bool,
    /// Patch keys are assessed (§6.2.3), which whoever makes patches must do.
    pub evaluation: bool,
    /// Clients have patch stacks of their own; needs `patches`.
    pub personal: bool,
    /// Results carry `schema_update_suggestion`.
    pub inline: bool,
    /// Updates can be polled.
    pub polled: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            pool: true,
            patches: true,
            evaluation: true,
            personal: true,
            inline: true,
            polled: true,
        }
    }
}

/// The cosine from which two fragments mean the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similarity {
    /// The embedder's own threshold: cosines of different models are not comparable.
    #[default]
    OfEmbedder,
    /// The draft's 0.85, whatever the embedder.
    DraftLiteral,
    /// This one, whatever the embedder; above 0, at most 1.
    Fixed(f32),
}

/// The pool's clusters (§6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClusterSettings {
    /// The rule by which a fragment belongs to a cluster.
    pub similarity: Similarity,
    /// Clusters kept at most, 1 to 1,000,000; the coldest goes first. Default 10,000.
    pub clusters_max: usize,
    /// Fragments kept of each cluster, up to 1,024 and not fewer than the gates count. Default 32.
    pub members_max: usize,
    /// The time for which a fragment's text is kept. Default 30 days.
    pub retention_ms: i64,
    /// Clusters around one that is about to fire which are linked afresh with it; 0 switches that
    /// off. Default 8.
    pub relink_neighbours: usize,
    /// The distance below the threshold at which such a neighbour may lie, as cosine. Default 0.15.
    pub relink_margin: f32,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self {
            similarity: Similarity::OfEmbedder,
            clusters_max: 10_000,
            members_max: 32,
            retention_ms: 30 * DAY_MS,
            relink_neighbours: 8,
            relink_margin: 0.15,
        }
    }
}

/// Heat (§6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HeatSettings {
    /// The heat that one fragment adds. Default 10: six within hours exceed the threshold.
    pub increment: f64,
    /// The heat that one fragment adds in a pool of one client. Default 10.
    pub personal_increment: f64,
    /// After how long half is left. Default 24 hours.
    pub half_life_ms: i64,
    /// Heat must exceed this. Default 50.
    pub threshold: f64,
}

impl Default for HeatSettings {
    fn default() -> Self {
        Self {
            increment: 10.0,
            personal_increment: 10.0,
            half_life_ms: DAY_MS,
            threshold: 50.0,
        }
    }
}

/// The second gate (§6.2.1): clients *or* occurrences within the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gates {
    /// Distinct clients. Default 5.
    pub clients_min: usize,
    /// Occurrences. Default 10.
    pub occurrences_min: usize,
    /// The window of both counts; what is exactly as old is outside. Default 7 days.
    pub window_ms: i64,
    /// The rules that keep one hand with many names from being many.
    pub sybil: Sybil,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            clients_min: 5,
            occurrences_min: 10,
            window_ms: 7 * DAY_MS,
            sybil: Sybil::default(),
        }
    }
}

/// The Sybil gate: names are cheap, so a name counts once it has a history here.
///
/// A client is *proven* when it is authenticated, was first seen `age_min_ms` ago and has had
/// `accepted_min` payloads accepted. All others together count as one client. Of one client at most
/// `per_client_per_day` occurrences count within 24 hours, and occurrences alone open the gate only
/// if `proven_min` proven clients are among them. Personal pools have no such gate: what one client
/// brings about there concerns that client alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sybil {
    /// Default on; off counts as the draft's text does.
    pub enabled: bool,
    /// Default 24 hours.
    pub age_min_ms: i64,
    /// Default 1.
    pub accepted_min: u32,
    /// Default 3.
    pub per_client_per_day: usize,
    /// Default 2: what one client alone wants is for its own stack.
    pub proven_min: usize,
}

impl Default for Sybil {
    fn default() -> Self {
        Self {
            enabled: true,
            age_min_ms: DAY_MS,
            accepted_min: 1,
            per_client_per_day: 3,
            proven_min: 2,
        }
    }
}

/// Candidates (§6.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct InductionSettings {
    /// Mapping examples published with a key, 1 to 16. Default 4.
    pub examples_max: usize,
    /// Acceptable values of an enumeration, at most; more make a free string. Default 8.
    pub variants_max: usize,
}

impl Default for InductionSettings {
    fn default() -> Self {
        Self {
            examples_max: 4,
            variants_max: 8,
        }
    }
}

/// The way in which a patch with an ordinary optional key is let out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// One approver.
    #[default]
    Manual,
    /// The policy itself. Never for keys that are security-relevant or expose a capability.
    Auto,
}

/// Approval (§7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ApprovalPolicy {
    /// Ordinary keys for everyone. Default manual.
    pub ordinary: Approval,
    /// Ordinary keys in a client's own stack. Default manual.
    pub personal: Approval,
    /// Distinct approvers of keys that are security-relevant or expose a capability, at least 1.
    /// Default 2.
    pub sensitive_approvers: usize,
    /// A key is security-relevant if a word of its name, or of the fragments it comes from, starts
    /// so. In English; the words of other languages are looked up first.
    pub sensitive_words: Vec<String>,
}

impl Default for ApprovalPolicy {
    fn default() -> Self {
        let words = "pay card account identity password token role permission acl login credential \
                     admin access privilege secret";
        Self {
            ordinary: Approval::Manual,
            personal: Approval::Manual,
            sensitive_approvers: 2,
            sensitive_words: words.split(' ').map(str::to_owned).collect(),
        }
    }
}

/// Patches (§6.2.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PatchSettings {
    /// A patch ends that long after it was made. Default 90 days.
    pub expiry_ms: i64,
    /// A patch that nobody decided upon lapses after this. Default 30 days.
    pub pending_ms: i64,
    /// A cluster whose key was rejected, lapsed or withdrawn does not fire for this long, so that
    /// nothing is asked again and again. Default 30 days.
    pub rest_ms: i64,
    /// The approvers.
    pub policy: ApprovalPolicy,
}

impl Default for PatchSettings {
    fn default() -> Self {
        Self {
            expiry_ms: 90 * DAY_MS,
            pending_ms: 30 * DAY_MS,
            rest_ms: 30 * DAY_MS,
            policy: ApprovalPolicy::default(),
        }
    }
}

/// A key is promoted when each share is at least this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Promotion {
    /// usage_frequency. Default 0.15.
    pub usage: f64,
    /// semantic_alignment_accuracy. Default 0.80.
    pub alignment: f64,
    /// value_type_correctness. Default 0.90.
    pub type_correctness: f64,
    /// True if a key that nobody judged stays on trial. Default yes.
    pub judged: bool,
}

impl Default for Promotion {
    fn default() -> Self {
        Self {
            usage: 0.15,
            alignment: 0.80,
            type_correctness: 0.90,
            judged: true,
        }
    }
}

/// A key is deprecated when any share is below this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Deprecation {
    /// usage_frequency. Default 0.05.
    pub usage: f64,
    /// semantic_alignment_accuracy. Default 0.60.
    pub alignment: f64,
    /// value_type_correctness. Default 0.70.
    pub type_correctness: f64,
}

impl Default for Deprecation {
    fn default() -> Self {
        Self {
            usage: 0.05,
            alignment: 0.60,
            type_correctness: 0.70,
        }
    }
}

/// Long-term evaluation (§6.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrialSettings {
    /// The time for which a key is experimental before it is judged, and by how much a trial is
    /// extended. Default 7 days.
    pub trial_ms: i64,
    /// The observation window: measures count the last so many milliseconds, in whole days since
    /// the key's introduction, or since then if it is younger. A trial that is extended ends so
    /// long after the introduction at the latest, and a stable key is judged once in each window.
    /// Not below `trial_ms`; default 30 days.
    pub window_ms: i64,
    /// The measures that promote.
    pub promotion: Promotion,
    /// The measures that deprecate.
    pub deprecation: Deprecation,
    /// The time for which a deprecated key stays in the schema. Default 14 days.
    pub grace_ms: i64,
    /// The time for which a withdrawn key is accepted. Default 30 days.
    pub backward_ms: i64,
    /// Distinct clients counted for the adoption of one key, at most; later ones are not counted.
    /// Default 10,000.
    pub clients_max: usize,
}

impl Default for TrialSettings {
    fn default() -> Self {
        Self {
            trial_ms: 7 * DAY_MS,
            window_ms: 30 * DAY_MS,
            promotion: Promotion::default(),
            deprecation: Deprecation::default(),
            grace_ms: 14 * DAY_MS,
            backward_ms: 30 * DAY_MS,
            clients_max: 10_000,
        }
    }
}

/// The convergence guard (§6.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConvergenceSettings {
    /// Keys on trial at once, in one lineage; a key that waits for approval holds its place.
    /// Default 10.
    pub experimental_max: usize,
    /// Triggers that wait, at most; further ones are refused and may fire again. Default 100.
    pub queue_max: usize,
}

impl Default for ConvergenceSettings {
    fn default() -> Self {
        Self {
            experimental_max: 10,
            queue_max: 100,
        }
    }
}

/// A setting that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// A number outside its range.
    #[error("{setting} is {found}, not {expected}")]
    Range {
        /// Its name, dotted.
        setting: &'static str,
        /// The rule.
        expected: &'static str,
        /// The value given.
        found: f64,
    },
    /// A part without the part that it stands on.
    #[error("{part} needs {needs}")]
    Part {
        /// The part that is on.
        part: &'static str,
        /// The part that is off.
        needs: &'static str,
    },
}
