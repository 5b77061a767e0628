//! The differential semantic pool of one scenario and cohort (draft-zhou §6.2.1).
//!
//! A fragment joins the cluster whose centroid is nearest, if it is near enough and nobody in it
//! says the opposite; of equals the older one; otherwise it founds a cluster. The order of
//! arrival matters, so clusters are linked afresh before one fires ([`super::relink`]). Vectors of
//! two embedders never meet. Refuses to know what follows from a cluster: that is the
//! [`super::Lineage`]'s.

mod document;

pub use document::{ClusterRow, PoolDocument};

use super::nearest::{Nearest, dot, unit};
use super::{Cluster, ClusterId, EvolutionSettings, FragmentSource, Heat, Similarity};
use crate::semantics::Embedder;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The similarity of §6.2.1.
const DRAFT_COSINE: f32 = 0.85;

/// Latest texts of a cluster that a fragment is compared with for the opposite.
const REPRESENTATIVES: usize = 3;

/// The clusters of one scenario and cohort.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "PoolDocument", into = "PoolDocument")]
pub struct Pool {
    embedder: String,
    dimensions: usize,
    /// True for the pool of one client.
    personal: bool,
    next: u64,
    pub(super) clusters: Vec<Cluster>,
    slots: BTreeMap<ClusterId, usize>,
    pub(super) vectors: Nearest,
}

/// A fragment on its way in.
#[derive(Clone, Copy, Debug)]
pub struct Insert<'a> {
    /// The text said, normalised by [`crate::other`].
    pub text: &'a str,
    /// Its vector, from the pool's embedder; of any length but 0.
    pub vector: &'a [f32],
    /// The client that said it.
    pub source: &'a FragmentSource<'a>,
    /// The instant.
    pub now: Timestamp,
}

/// The fate of a fragment.
#[derive(Clone, Debug, PartialEq)]
pub struct Inserted {
    /// Its cluster, which changed.
    pub cluster: ClusterId,
    /// Its cosine with the centroid; 1 if it founded the cluster.
    pub cosine: f32,
    /// True if it founded the cluster.
    pub created: bool,
    /// True if it counts: false if its source has had its say there for today ([`super::Sybil`]).
    pub counted: bool,
    /// A cluster that had to go for it: of those nobody proven wants, else of all, the coldest.
    pub evicted: Option<ClusterId>,
    /// True if both gates hold now.
    pub ripe: bool,
}

/// A fragment that the pool cannot take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The pool's vectors are another embedder's: start a new pool.
    #[error("the pool holds vectors of {pool}, not of {given}")]
    Embedder {
        /// The pool's.
        pool: String,
        /// The one given.
        given: String,
    },
    /// A vector of another length than the embedder says, or longer than 16,384.
    #[error("a vector of {found} numbers where {expected} are expected")]
    Dimensions {
        /// The dimensions of the pool's vectors.
        expected: usize,
        /// The dimensions of this vector.
        found: usize,
    },
    /// A vector without a direction: the text says nothing to this embedder.
    #[error("the fragment says nothing to the embedder")]
    Meaningless,
}

impl Pool {
    /// An empty pool for the vectors of one embedder; `personal` if it is one client's.
    ///
    /// # Errors
    /// [`PoolError::Dimensions`] if the embedder's vectors are empty or too long.
    pub fn new(embedder: &dyn Embedder, personal: bool) -> Result<Self, PoolError> {
        let document = PoolDocument {
            embedder: embedder.id().to_owned(),
            dimensions: embedder.dimensions(),
            personal,
            next: 0,
            clusters: Vec::new(),
        };
        Self::try_from(document)
    }

    /// The embedder whose vectors these are.
    pub fn embedder(&self) -> &str {
        &self.embedder
    }

    /// True if it is one client's.
    pub fn is_personal(&self) -> bool {
        self.personal
    }

    /// The clusters, in no order that means anything.
    pub fn clusters(&self) -> impl ExactSizeIterator<Item = &Cluster> {
        self.clusters.iter()
    }

    /// The cluster called so.
    pub fn cluster(&self, id: ClusterId) -> Option<&Cluster> {
        self.slots.get(&id).map(|slot| &self.clusters[*slot])
    }

    /// The direction of the mean of a cluster's fragments.
    pub fn centroid(&self, id: ClusterId) -> Option<&[f32]> {
        self.slots.get(&id).map(|slot| self.vectors.row(*slot))
    }

    /// True if both gates of a cluster hold; false if there is no such cluster.
    pub fn ripe(&self, id: ClusterId, settings: &EvolutionSettings, now: Timestamp) -> bool {
        self.cluster(id)
            .is_some_and(|cluster| cluster.ripe(settings, self.personal, now))
    }

    /// Takes a fragment in. Costs a search among all clusters, without the embedding.
    ///
    /// # Errors
    /// [`PoolError`]; the pool is as before then.
    pub fn insert(
        &mut self,
        fragment: &Insert<'_>,
        settings: &EvolutionSettings,
        embedder: &dyn Embedder,
    ) -> Result<Inserted, PoolError> {
        let vector = self.fitting(fragment.vector, embedder)?;
        let near = self.nearest(&vector, fragment.text, settings, embedder);
        let (slot, cosine, evicted) = match near {
            Some((slot, cosine)) => {
                self.draw(slot, &vector);
                (slot, cosine, None)
            }
            None => {
                let evicted = self.make_room(settings);
                (self.found(&vector, fragment.now), 1.0, evicted)
            }
        };
        let cluster = &mut self.clusters[slot];
        let Insert {
            text, source, now, ..
        } = *fragment;
        let counted = cluster.take(text, source, settings, self.personal, now);
        Ok(Inserted {
            cluster: cluster.id,
            cosine,
            created: near.is_none(),
            counted,
            evicted,
            ripe: counted && cluster.ripe(settings, self.personal, now),
        })
    }

    fn fitting(&self, vector: &[f32], embedder: &dyn Embedder) -> Result<Vec<f32>, PoolError> {
        self.same(embedder)?;
        if vector.len() != self.dimensions {
            return Err(PoolError::Dimensions {
                expected: self.dimensions,
                found: vector.len(),
            });
        }
        unit(vector).ok_or(PoolError::Meaningless)
    }

    /// That the embedder is the pool's.
    pub(super) fn same(&self, embedder: &dyn Embedder) -> Result<(), PoolError> {
        match self.embedder == embedder.id() {
            true => Ok(()),
            false => Err(PoolError::Embedder {
                pool: self.embedder.clone(),
                given: embedder.id().to_owned(),
            }),
        }
    }

    fn nearest(
        &self,
        vector: &[f32],
        text: &str,
        settings: &EvolutionSettings,
        embedder: &dyn Embedder,
    ) -> Option<(usize, f32)> {
        let age = |slot: usize| self.clusters[slot].id.0;
        let agrees = |slot: usize| {
            let texts = self.clusters[slot].texts();
            !texts
                .iter()
                .take(REPRESENTATIVES)
                .any(|said| embedder.opposes(said, text))
        };
        self.vectors
            .best(vector, threshold(settings, embedder), age, agrees)
    }

    /// Moves a centroid to the running mean.
    fn draw(&mut self, slot: usize, vector: &[f32]) {
        let cluster = &mut self.clusters[slot];
        let weight = cluster.fragments as f32 * cluster.cohesion;
        let centroid = self.vectors.row(slot);
        let sum: Vec<f32> = centroid
            .iter()
            .zip(vector)
            .map(|(c, v)| c * weight + v)
            .collect();
        // Near enough to join means at most 90 degrees apart: the sum has a direction.
        if let Some(direction) = unit(&sum) {
            cluster.cohesion = dot(&sum, &direction) / (cluster.fragments + 1) as f32;
            self.vectors.set(slot, &direction);
        }
    }

    /// An empty cluster; whoever founds one fills it.
    pub(super) fn found(&mut self, vector: &[f32], now: Timestamp) -> usize {
        let id = ClusterId(self.next);
        self.next += 1;
        self.slots.insert(id, self.clusters.len());
        self.clusters.push(Cluster {
            id,
            since: now,
            fragments: 0,
            heat: Heat::default(),
            members: VecDeque::new(),
            cohesion: 1.0,
            relinked_at: None,
        });
        self.vectors.push(vector);
        self.clusters.len() - 1
    }

    fn make_room(&mut self, settings: &EvolutionSettings) -> Option<ClusterId> {
        if self.clusters.len() < settings.cluster.clusters_max {
            return None;
        }
        let half_life_ms = settings.heat.half_life_ms;
        let rank = |c: &Cluster| (c.proven(), c.heat.order(half_life_ms), c.id);
        let coldest = self
            .clusters
            .iter()
            .map(rank)
            .min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)))?;
        self.remove(coldest.2);
        Some(coldest.2)
    }

    pub(super) fn slot(&self, id: ClusterId) -> Option<usize> {
        self.slots.get(&id).copied()
    }

    /// Removes a cluster; false if there is none called so.
    pub fn remove(&mut self, id: ClusterId) -> bool {
        let Some(slot) = self.slots.remove(&id) else {
            return false;
        };
        self.clusters.swap_remove(slot);
        self.vectors.swap_remove(slot);
        if let Some(moved) = self.clusters.get(slot) {
            self.slots.insert(moved.id, slot);
        }
        true
    }

    /// Forgets fragments older than the retention, and clusters of which nothing is left.
    /// Names the clusters that changed and those that are gone.
    pub fn forget_old(&mut self, settings: &EvolutionSettings, now: Timestamp) -> Changes {
        let kept = |at: Timestamp| now - at < settings.cluster.retention_ms;
        let mut changes = Changes::default();
        for cluster in &mut self.clusters {
            let before = cluster.members.len();
            cluster.members.retain(|m| kept(m.at));
            changes.note(cluster, before);
        }
        self.settle(changes)
    }

    /// Forgets all that a client said; centroids are made anew from what is left of their clusters,
    /// which takes an embedding for each text kept.
    ///
    /// # Errors
    /// [`PoolError::Embedder`] if it is not the pool's.
    pub fn erase(&mut self, client: &str, embedder: &dyn Embedder) -> Result<Changes, PoolError> {
        self.same(embedder)?;
        let mut changes = Changes::default();
        for cluster in &mut self.clusters {
            let before = cluster.members.len();
            cluster
                .members
                .retain(|m| m.client.as_deref() != Some(client));
            changes.note(cluster, before);
        }
        let changes = self.settle(changes);
        for id in &changes.changed {
            self.recentre(*id, embedder);
        }
        Ok(changes)
    }

    fn settle(&mut self, changes: Changes) -> Changes {
        for id in &changes.removed {
            self.remove(*id);
        }
        changes
    }

    /// The centroid from the members alone.
    pub(super) fn recentre(&mut self, id: ClusterId, embedder: &dyn Embedder) {
        let Some(slot) = self.slot(id) else { return };
        if let Some(direction) = self.clusters[slot].centre(embedder) {
            self.vectors.set(slot, &direction);
        }
    }
}

impl Cluster {
    /// Makes the mean of what the members mean that of the cluster, and returns its direction; none,
    /// and all is as it was, if they have none.
    fn centre(&mut self, embedder: &dyn Embedder) -> Option<Vec<f32>> {
        let mut sum = vec![0.0f32; embedder.dimensions()];
        let vectors = self.members.iter().map(|m| embedder.embed(&m.text));
        for vector in vectors.filter_map(|vector| unit(&vector)) {
            sum.iter_mut().zip(vector).for_each(|(s, v)| *s += v);
        }
        let direction = unit(&sum)?;
        self.fragments = self.members.len() as u64;
        self.cohesion = dot(&sum, &direction) / self.members.len() as f32;
        Some(direction)
    }
}

/// The clusters that something touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// These are different.
    pub changed: Vec<ClusterId>,
    /// These are gone.
    pub removed: Vec<ClusterId>,
}

impl Changes {
    fn note(&mut self, cluster: &Cluster, members_before: usize) {
        if cluster.members.is_empty() {
            self.removed.push(cluster.id);
        } else if cluster.members.len() < members_before {
            self.changed.push(cluster.id);
        }
    }
}

/// The cosine from which fragments mean the same.
pub(super) fn threshold(settings: &EvolutionSettings, embedder: &dyn Embedder) -> f32 {
    match settings.cluster.similarity {
        Similarity::OfEmbedder => embedder.threshold(),
        Similarity::DraftLiteral => DRAFT_COSINE,
        Similarity::Fixed(cosine) => cosine,
    }
}
