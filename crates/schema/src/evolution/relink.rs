//! Linking a neighbourhood afresh, before one of its clusters fires.
//!
//! Clusters that grow fragment by fragment depend on the order of arrival. Average linkage over the
//! fragments kept in a cluster and its neighbours does not: measured on public sets it finds more
//! of what belongs together at the same precision. Opposites are never linked. Bounded by the
//! members of a cluster times the neighbours looked at.

use super::nearest::{dot, unit};
use super::pool::{Changes, threshold};
use super::{Cluster, ClusterId, EvolutionSettings, Heat, Member, Pool, PoolError};
use crate::semantics::Embedder;
use crate::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

impl Pool {
    /// Links a cluster and its neighbours afresh. The cluster keeps the group in which most of its
    /// fragments are, and takes what belongs to that group from its neighbours; what does not
    /// belong to it leaves. Names what changed; look at the gates again after.
    ///
    /// # Errors
    /// [`PoolError::Embedder`] if it is not the pool's.
    pub fn relink(
        &mut self,
        id: ClusterId,
        settings: &EvolutionSettings,
        embedder: &dyn Embedder,
        now: Timestamp,
    ) -> Result<Changes, PoolError> {
        self.same(embedder)?;
        let Some(slot) = self.slot(id) else {
            return Ok(Changes::default());
        };
        self.clusters[slot].relinked_at = Some(now);
        if settings.cluster.relink_neighbours == 0 {
            return Ok(Changes::default());
        }
        let around = self.around(slot, settings, embedder);
        let texts = self.texts_of(&around);
        let groups = average_linkage(&texts, threshold(settings, embedder), embedder);
        let own = self.own_group(id, &groups);
        Ok(self.regroup(id, &around, &groups, own, settings, embedder))
    }

    /// True if a cluster was linked afresh so lately that it need not be again.
    pub(super) fn relinked_within(&self, id: ClusterId, ms: i64, now: Timestamp) -> bool {
        self.cluster(id)
            .and_then(|c| c.relinked_at)
            .is_some_and(|at| now - at < ms)
    }

    fn around(
        &self,
        slot: usize,
        s: &EvolutionSettings,
        embedder: &dyn Embedder,
    ) -> Vec<ClusterId> {
        let floor = threshold(s, embedder) - s.cluster.relink_margin;
        let near = self.vectors.within(self.vectors.row(slot), floor);
        let others = near
            .into_iter()
            .map(|(slot, _)| slot)
            .filter(|other| *other != slot);
        std::iter::once(slot)
            .chain(others.take(s.cluster.relink_neighbours))
            .map(|slot| self.clusters[slot].id)
            .collect()
    }

    fn texts_of(&self, around: &[ClusterId]) -> Vec<String> {
        let clusters = around.iter().filter_map(|id| self.cluster(*id));
        let texts: BTreeSet<&str> = clusters
            .flat_map(|c| c.members.iter().map(|m| m.text.as_str()))
            .collect();
        texts.into_iter().map(str::to_owned).collect()
    }

    /// The group that most members of a cluster are in; of equals the first.
    fn own_group(&self, id: ClusterId, groups: &BTreeMap<String, usize>) -> usize {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for member in self.cluster(id).into_iter().flat_map(|c| &c.members) {
            *counts.entry(groups[&member.text]).or_default() += 1;
        }
        let most = counts
            .iter()
            .max_by_key(|(group, n)| (**n, std::cmp::Reverse(**group)));
        most.map_or(0, |(group, _)| *group)
    }

    fn regroup(
        &mut self,
        id: ClusterId,
        around: &[ClusterId],
        groups: &BTreeMap<String, usize>,
        own: usize,
        settings: &EvolutionSettings,
        embedder: &dyn Embedder,
    ) -> Changes {
        let mut changes = Changes::default();
        let leaving = self.take_out(id, around, groups, own, &mut changes);
        // The cluster itself keeps its largest group, so it is never among the removed.
        for gone in &changes.removed {
            self.remove(*gone);
        }
        for (group, leaving) in leaving {
            let target = match group == own {
                true => id,
                false => self.newly_founded(id, &leaving.members, embedder),
            };
            let personal = self.is_personal();
            if let Some(slot) = self.slot(target) {
                self.clusters[slot].absorb(leaving, settings, personal);
                changes.changed.push(target);
            }
        }
        changes.changed.sort_unstable();
        changes.changed.dedup();
        for changed in &changes.changed {
            self.recentre(*changed, embedder);
        }
        changes
    }

    /// Takes out of the cluster what is not of its own group, and of its neighbours what is.
    fn take_out(
        &mut self,
        id: ClusterId,
        around: &[ClusterId],
        groups: &BTreeMap<String, usize>,
        own: usize,
        changes: &mut Changes,
    ) -> BTreeMap<usize, Leaving> {
        let mut leaving: BTreeMap<usize, Leaving> = BTreeMap::new();
        for other in around {
            let leaves = |m: &Member| (groups[&m.text] == own) != (*other == id);
            let Some(slot) = self.slot(*other) else {
                continue;
            };
            let cluster = &mut self.clusters[slot];
            let before = cluster.members.len();
            cluster.split(leaves, groups, &mut leaving);
            match cluster.members.len() {
                0 => changes.removed.push(*other),
                left if left < before => changes.changed.push(*other),
                _ => {}
            }
        }
        leaving
    }

    /// An empty cluster where the first of these members is; where the cluster they leave is, if
    /// the embedder has nothing to say of it.
    fn newly_founded(
        &mut self,
        left: ClusterId,
        members: &[Member],
        embedder: &dyn Embedder,
    ) -> ClusterId {
        let first = members.iter().min_by_key(|m| m.at);
        let direction = first.and_then(|m| unit(&embedder.embed(&m.text)));
        let direction = direction
            .or_else(|| self.centroid(left).map(<[f32]>::to_vec))
            .expect("the cluster that is linked afresh is there");
        let slot = self.found(&direction, first.map_or(Timestamp::default(), |m| m.at));
        self.clusters[slot].id
    }
}

/// Members on their way to another cluster, with their shares of heat.
#[derive(Default)]
struct Leaving {
    members: Vec<Member>,
    heats: Vec<Heat>,
}

impl Cluster {
    /// Hands over the members that leave, by group, each group with its share of the heat.
    fn split(
        &mut self,
        leaves: impl Fn(&Member) -> bool,
        groups: &BTreeMap<String, usize>,
        leaving: &mut BTreeMap<usize, Leaving>,
    ) {
        let (all, heat) = (self.members.len() as f64, self.heat);
        let mut gone: BTreeMap<usize, Vec<Member>> = BTreeMap::new();
        for member in std::mem::take(&mut self.members) {
            match leaves(&member) {
                true => gone.entry(groups[&member.text]).or_default().push(member),
                false => self.members.push_back(member),
            }
        }
        self.heat = heat.share(self.members.len() as f64 / all);
        for (group, members) in gone {
            let place = leaving.entry(group).or_default();
            place.heats.push(heat.share(members.len() as f64 / all));
            place.members.extend(members);
        }
    }

    fn absorb(&mut self, leaving: Leaving, s: &EvolutionSettings, personal: bool) {
        for heat in leaving.heats {
            self.heat.join(heat, s.heat.half_life_ms);
        }
        self.members.extend(leaving.members);
        self.members.make_contiguous().sort_by_key(|m| m.at);
        let oldest = self.members.front().map(|m| m.at);
        self.since = oldest.map_or(self.since, |at| self.since.min(at));
        self.keep(s.cluster.members_max, s.gates.sybil.enabled && !personal);
    }
}

/// The group of each text: pairs of groups are joined, the most alike first, while their texts are
/// on average at least so alike, and none of one says the opposite of one of the other.
fn average_linkage(
    texts: &[String],
    threshold: f32,
    embedder: &dyn Embedder,
) -> BTreeMap<String, usize> {
    let vectors: Vec<_> = texts
        .iter()
        .map(|t| unit(&embedder.embed(t)).unwrap_or_default())
        .collect();
    let mut alike: Vec<Vec<f32>> = vectors
        .iter()
        .map(|a| vectors.iter().map(|b| dot(a, b)).collect())
        .collect();
    let mut groups: Vec<Vec<usize>> = (0..texts.len()).map(|i| vec![i]).collect();
    while let Some((a, b)) = most_alike(&groups, &alike, threshold) {
        if opposed(&groups[a], &groups[b], texts, embedder) {
            (alike[a][b], alike[b][a]) = (-1.0, -1.0);
            continue;
        }
        join(&mut groups, &mut alike, a, b);
    }
    let numbered = groups.iter().enumerate();
    numbered
        .flat_map(|(g, members)| members.iter().map(move |i| (texts[*i].clone(), g)))
        .collect()
}

fn most_alike(groups: &[Vec<usize>], alike: &[Vec<f32>], threshold: f32) -> Option<(usize, usize)> {
    let mut best: Option<(f32, usize, usize)> = None;
    for a in (0..groups.len()).filter(|a| !groups[*a].is_empty()) {
        for b in (a + 1..groups.len()).filter(|b| !groups[*b].is_empty()) {
            let cosine = alike[a][b];
            if cosine >= threshold && best.is_none_or(|(highest, ..)| cosine > highest) {
                best = Some((cosine, a, b));
            }
        }
    }
    best.map(|(_, a, b)| (a, b))
}

fn opposed(a: &[usize], b: &[usize], texts: &[String], embedder: &dyn Embedder) -> bool {
    a.iter()
        .any(|x| b.iter().any(|y| embedder.opposes(&texts[*x], &texts[*y])))
}

/// Joins b into a; an opposition of either stays one of both.
fn join(groups: &mut [Vec<usize>], alike: &mut [Vec<f32>], a: usize, b: usize) {
    let (size_a, size_b) = (groups[a].len() as f32, groups[b].len() as f32);
    let mean = |(to_a, to_b): (&f32, &f32)| match to_a.min(*to_b) <= -1.0 {
        true => -1.0,
        false => (size_a * to_a + size_b * to_b) / (size_a + size_b),
    };
    let joined: Vec<f32> = alike[a].iter().zip(&alike[b]).map(mean).collect();
    for (row, cosine) in alike.iter_mut().zip(&joined) {
        row[a] = *cosine;
    }
    alike[a] = joined;
    let moved = std::mem::take(&mut groups[b]);
    groups[a].extend(moved);
}
