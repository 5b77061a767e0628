//! The growth of a schema out of what it does not cover (draft-zhou §6.2), and what keeps it small.
//!
//! ```text
//!  fragments of `other`          one lineage per scenario and cohort
//!        │                    ┌──────────────────────────────────────────┐
//!        ▼   both gates hold  │ queued ─► pending ─► experimental ─► stable ─► next version
//!   Pool: clusters, heat ────►│              │             │            │
//!        ▲                    │              ▼             └──► deprecated ─► withdrawn ─► (forgotten)
//!   Embedder: vectors         │          rejected                        │
//!                             └──────────────────────────────────────────┘
//! ```
//! - [`EvolutionSettings`]: every number of §6.2 with the draft's default, and which parts are on;
//! - [`Pool`]: the differential semantic pool: clusters, heat, the two gates (§6.2.1);
//!   [`KnownClients`]: whose word counts;
//! - [`induce`]: from a cluster's fragments to a [`CandidateKey`]; [`resolve`]: what of it is already
//!   there (§6.2.2);
//! - [`Lineage`]: what became of each key: [`Lineage::decide`] and [`Lineage::apply`], approvals,
//!   trial, promotion, deprecation, withdrawal, the limit and its queue (§6.2.2, §6.2.3);
//!   [`Metrics`]: the four measures;
//! - [`effective()`]: a template as one client sees it;
//! - [`Evolution`]: pool and lineage of one cohort, driven together. Most callers want this one;
//! - [`simulate`] and [`chart`]: a population over months, and its picture.
//!
//! Pure: time and vectors are arguments, everything is serialisable, nothing is sent. What is
//! *kept*, encrypted and erased on disk is the store's; who may approve is the engine's.

pub mod chart;
pub mod simulate;

mod candidate;
mod clients;
mod cluster;
mod conflict;
mod driver;
mod effective;
mod heat;
mod induce;
mod lexicon;
mod lineage;
mod metrics;
mod nearest;
mod numeral;
mod packed;
mod pool;
mod relink;
mod settings;
mod words;

pub use candidate::CandidateKey;
pub use clients::{FragmentSource, KnownClients};
pub use cluster::{Cluster, ClusterId, Member};
pub use conflict::{Resolved, resolve};
pub use driver::{Evolution, EvolutionContext, EvolutionOutcome, Fragment};
pub use effective::effective;
pub use heat::Heat;
pub use induce::{Screen, induce};
pub use lineage::{
    Activity, DeprecationReason, Dropped, LifecycleState, Lineage, LineageCommand, LineageEvent,
    LineageRefusal, Proposal, Tracked,
};
pub use metrics::{Metrics, Observation, Ratios};
pub use pool::{Changes, ClusterRow, Insert, Inserted, Pool, PoolDocument, PoolError};
pub use settings::{
    Approval, ApprovalPolicy, ClusterSettings, ConvergenceSettings, Deprecation, EvolutionSettings,
    Gates, HeatSettings, InductionSettings, Invalid, Parts, PatchSettings, Promotion, Similarity,
    Sybil, TrialSettings,
};
