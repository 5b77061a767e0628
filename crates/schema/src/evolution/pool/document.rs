//! A pool as a document, whole or cluster by cluster, for whoever keeps it.
//!
//! Read next: [`super`].

use super::super::nearest::{DIMENSIONS_MAX, Nearest};
use super::super::{Cluster, ClusterId};
use super::{Changes, Pool, PoolError};
use crate::semantics::Embedder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A cluster as a row: with its centroid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterRow {
    /// All else of it.
    #[serde(flatten)]
    pub cluster: Cluster,
    /// The direction of the mean of its fragments.
    #[serde(with = "super::super::packed")]
    pub centroid: Vec<f32>,
}

/// A pool as a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolDocument {
    /// The embedder whose vectors these are.
    pub embedder: String,
    /// The length of the vectors.
    pub dimensions: usize,
    /// True for the pool of one client.
    pub personal: bool,
    /// The next cluster's name.
    pub next: u64,
    /// The clusters; left empty by [`Pool::head`].
    pub clusters: Vec<ClusterRow>,
}

impl Pool {
    /// A cluster as a row.
    pub fn row(&self, id: ClusterId) -> Option<ClusterRow> {
        let slot = self.slot(id)?;
        Some(ClusterRow {
            cluster: self.clusters[slot].clone(),
            centroid: self.vectors.row(slot).to_vec(),
        })
    }

    /// The document without its clusters, for whoever keeps these row by row.
    pub fn head(&self) -> PoolDocument {
        PoolDocument {
            embedder: self.embedder.clone(),
            dimensions: self.dimensions,
            personal: self.personal,
            next: self.next,
            clusters: Vec::new(),
        }
    }
}

impl PoolDocument {
    /// The pool under another embedder, whose vectors never meet the old ones: each cluster
    /// keeps its fragments and its heat, and lies where the embedder puts them. As it was if the
    /// embedder is the pool's. Clusters of which it makes nothing are dropped, and named.
    pub fn under(mut self, embedder: &dyn Embedder) -> (Self, Changes) {
        let mut changes = Changes::default();
        if self.embedder == embedder.id() {
            return (self, changes);
        }
        self.embedder = embedder.id().to_owned();
        self.dimensions = embedder.dimensions();
        self.clusters.retain_mut(|row| {
            let Some(centroid) = row.cluster.centre(embedder) else {
                changes.removed.push(row.cluster.id);
                return false;
            };
            row.centroid = centroid;
            changes.changed.push(row.cluster.id);
            true
        });
        (self, changes)
    }
}

impl TryFrom<PoolDocument> for Pool {
    type Error = PoolError;

    fn try_from(document: PoolDocument) -> Result<Self, PoolError> {
        let expected = document.dimensions;
        let odd = document
            .clusters
            .iter()
            .map(|row| row.centroid.len())
            .find(|n| *n != expected);
        if let Some(found) = odd.or((!(1..=DIMENSIONS_MAX).contains(&expected)).then_some(expected))
        {
            return Err(PoolError::Dimensions { expected, found });
        }
        let mut pool = Self {
            embedder: document.embedder,
            dimensions: expected,
            personal: document.personal,
            next: document.next,
            clusters: Vec::new(),
            slots: BTreeMap::new(),
            vectors: Nearest::new(expected),
        };
        for row in document.clusters {
            pool.next = pool.next.max(row.cluster.id.0 + 1);
            pool.slots.insert(row.cluster.id, pool.clusters.len());
            pool.clusters.push(row.cluster);
            pool.vectors.push(&row.centroid);
        }
        Ok(pool)
    }
}

impl From<Pool> for PoolDocument {
    fn from(pool: Pool) -> Self {
        let clusters = pool
            .clusters
            .iter()
            .filter_map(|c| pool.row(c.id))
            .collect();
        Self {
            clusters,
            ..pool.head()
        }
    }
}
