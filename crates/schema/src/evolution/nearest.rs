//! The nearest of many unit vectors, exactly (recall 1), without looking at all of every one.
//!
//! Vectors are kept twice: as they are, row by row, and as small integers, dimension by dimension.
//! A search first adds up integer products in the dimensions where the query is strongest, for all
//! vectors at once. For a unit vector c, a query q and their integer forms q' (zero in dimensions
//! not looked at) and c', Cauchy and Schwarz give
//!
//! ```text
//! q·c  ≤  q'·c' + |q − q'| + |q'|·|c − c'|
//! ```
//!
//! Only where the right side reaches the floor is q·c itself computed. Integers are scaled so that
//! |q'|·|c'| fits 16 bits, and by the same inequality so does the sum over any dimensions. Few
//! suffice for sparse queries, about a third for dense ones: of normally distributed numbers the
//! greatest third holds four fifths of the squared length.

/// Vectors beside each other in one dimension.
const LANES: usize = 256;
/// Below so many vectors all are compared as they are.
const INDEXED_MIN: usize = 384;
/// The greatest length of a kept vector in integers, and of a query: their product fits 16 bits.
const LENGTHS_MAX: (f32, f32) = (270.0, 121.0);
/// So many dimensions leave room for rounding within [`LENGTHS_MAX`].
pub(super) const DIMENSIONS_MAX: usize = 16_384;
/// The distance under the floor to which, margins included, most vectors should come to lie.
const SLACK: f32 = 0.15;
/// With more vectors left than this, looking at further dimensions is cheaper than at vectors.
const LEFT_MAX: usize = 96;
/// A vector as close as this is looked for first, since it spares most of the work.
const CLOSE: f32 = 0.75;
/// The number of vectors tried when looking for a close one.
const GUESSES: usize = 4;
/// Covers rounding of f32 sums; cosines are at most 1.
const ROUNDING: f32 = 1e-4;

/// Unit vectors by slot: 0, 1, 2 and so on without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearest {
    dimensions: usize,
    rows: Vec<f32>,
    /// Block of [`LANES`] slots, then dimension, then lane; empty while there are few vectors.
    lanes: Vec<i8>,
    /// |c − c'| by slot.
    errors: Vec<f32>,
}

impl Nearest {
    /// No vectors yet.
    pub(super) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            ..Self::default()
        }
    }

    /// The number of vectors.
    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.dimensions.max(1)
    }

    /// The vector in a slot.
    pub(super) fn row(&self, slot: usize) -> &[f32] {
        &self.rows[slot * self.dimensions..][..self.dimensions]
    }

    /// Adds a vector in the next slot.
    pub(super) fn push(&mut self, vector: &[f32]) {
        self.rows.extend_from_slice(vector);
        let slots = self.len();
        if !self.lanes.is_empty() {
            self.quantise(slots - 1);
        } else if slots >= INDEXED_MIN {
            (0..slots).for_each(|slot| self.quantise(slot));
        }
    }

    /// Puts another vector in a slot.
    pub(super) fn set(&mut self, slot: usize, vector: &[f32]) {
        let start = slot * self.dimensions;
        self.rows[start..start + self.dimensions].copy_from_slice(vector);
        if !self.lanes.is_empty() {
            self.quantise(slot);
        }
    }

    /// Removes a slot; the last one moves there.
    pub(super) fn swap_remove(&mut self, slot: usize) {
        let last = self.len() - 1;
        if slot != last {
            let moved = self.row(last).to_vec();
            self.set(slot, &moved);
        }
        self.rows.truncate(last * self.dimensions);
        self.errors.truncate(last);
    }

    /// The scale of integers, kept ones and those of a query. Rounding moves each by half at most,
    /// which makes a vector longer by half the root of its dimensions.
    fn scales(&self) -> (f32, f32) {
        let rounding = (self.dimensions as f32).sqrt() / 2.0;
        (LENGTHS_MAX.0 - rounding, LENGTHS_MAX.1 - rounding)
    }

    fn quantise(&mut self, slot: usize) {
        let ((scale, _), d) = (self.scales(), self.dimensions);
        let block = slot / LANES * d * LANES;
        if self.lanes.len() < block + d * LANES {
            self.lanes.resize(block + d * LANES, 0);
        }
        let row = &self.rows[slot * d..][..d];
        let lane = &mut self.lanes[block + slot % LANES..];
        let mut error = 0.0f32;
        for (x, place) in row.iter().zip(lane.iter_mut().step_by(LANES)) {
            let whole = (x * scale).round_ties_even().clamp(-127.0, 127.0);
            error += (x - whole / scale).powi(2);
            *place = whole as i8;
        }
        self.errors.resize(self.errors.len().max(slot + 1), 0.0);
        self.errors[slot] = error.sqrt();
    }

    /// The slot whose cosine with the query is greatest, at least `floor` and accepted; of equals
    /// the one with the least `age`. `accept` is asked only for slots that would win.
    pub(super) fn best(
        &self,
        query: &[f32],
        floor: f32,
        age: impl Fn(usize) -> u64,
        mut accept: impl FnMut(usize) -> bool,
    ) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        let mut try_slot = |slot: usize, best: &mut Option<(usize, f32)>| {
            let cosine = dot(query, self.row(slot));
            let wins = best.is_none_or(|(holder, highest)| {
                cosine > highest || cosine == highest && age(slot) < age(holder)
            });
            if cosine >= floor && wins && accept(slot) {
                *best = Some((slot, cosine));
            }
        };
        let mut search = Search::new(self, query);
        // A close one, if there is one, shows early, and then little else can be closer.
        let guesses = search.left(floor.max(CLOSE));
        for (slot, _) in guesses.iter().take(GUESSES) {
            try_slot(*slot, &mut best);
        }
        let left = match best {
            Some((_, cosine)) if cosine >= floor.max(CLOSE) => guesses,
            _ => search.left(best.map_or(floor, |(_, cosine)| cosine)),
        };
        for (slot, at_most) in left {
            if best.is_some_and(|(_, cosine)| at_most < cosine) {
                break;
            }
            if best.is_none_or(|(holder, _)| holder != slot) {
                try_slot(slot, &mut best);
            }
        }
        best
    }

    /// All slots with a cosine of at least `floor`, the nearest first.
    pub(super) fn within(&self, query: &[f32], floor: f32) -> Vec<(usize, f32)> {
        let mut near: Vec<_> = Search::new(self, query)
            .left(floor)
            .into_iter()
            .map(|(slot, _)| (slot, dot(query, self.row(slot))))
            .filter(|(_, cosine)| *cosine >= floor)
            .collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near
    }

    /// Adds the integer products of some dimensions to all sums, a block of slots at a time.
    fn add_up(&self, dimensions: &[(usize, i16)], sums: &mut [i16]) {
        let per_block = self.dimensions * LANES;
        for (block, sums) in self
            .lanes
            .chunks_exact(per_block)
            .zip(sums.chunks_exact_mut(LANES))
        {
            let sums: &mut [i16; LANES] = sums.try_into().expect("chunks are of this length");
            let (fours, rest) = dimensions.as_chunks::<4>();
            for four in fours {
                add_four(block, four, sums);
            }
            for one in rest {
                add_four(block, &[*one, (one.0, 0), (one.0, 0), (one.0, 0)], sums);
            }
        }
    }
}

/// One search, which looks at more dimensions the more is asked.
struct Search<'a> {
    vectors: &'a Nearest,
    /// The query by dimension, the strongest first.
    strongest: Strongest,
    /// The number of those looked at.
    looked_at: usize,
    /// The integer products so far, by slot.
    sums: Vec<i16>,
}

impl<'a> Search<'a> {
    fn new(vectors: &'a Nearest, query: &[f32]) -> Self {
        let indexed = if vectors.lanes.is_empty() { &[] } else { query };
        Self {
            vectors,
            strongest: Strongest::of(indexed, vectors.scales().1),
            looked_at: 0,
            sums: vec![0; vectors.len().next_multiple_of(LANES)],
        }
    }

    /// Slots that may reach the floor, each with what its cosine is at most, greatest first.
    fn left(&mut self, floor: f32) -> Vec<(usize, f32)> {
        self.look_until(self.strongest.enough_for(floor));
        loop {
            let left = self.reaching(floor);
            let all = self.strongest.dimensions.len();
            if left.len() <= LEFT_MAX || self.looked_at == all {
                return left;
            }
            self.look_until((self.looked_at + (all / 4).max(16)).min(all));
        }
    }

    fn look_until(&mut self, until: usize) {
        if until > self.looked_at {
            let dimensions = &self.strongest.dimensions[self.looked_at..until];
            self.vectors.add_up(dimensions, &mut self.sums);
            self.looked_at = until;
        }
    }

    fn reaching(&self, floor: f32) -> Vec<(usize, f32)> {
        let vectors = self.vectors;
        if vectors.lanes.is_empty() {
            return (0..vectors.len())
                .map(|slot| (slot, 1.0 + ROUNDING))
                .collect();
        }
        let per_unit = 1.0 / (vectors.scales().0 * vectors.scales().1);
        let (unseen, length) = self.strongest.margins[self.looked_at];
        let at_most = |sum: i16, error: f32| f32::from(sum) * per_unit + length * error + unseen;
        let mut left = Vec::new();
        // Few groups have one that stays; that there is none is told for a group at once.
        let groups = self.sums.chunks(16).zip(vectors.errors.chunks(16));
        for (group, (sums, errors)) in groups.enumerate() {
            let bounds = || {
                sums.iter()
                    .zip(errors)
                    .map(|(sum, error)| at_most(*sum, *error))
            };
            if bounds().fold(false, |any, bound| any | (bound >= floor)) {
                let slots = bounds()
                    .enumerate()
                    .map(|(i, bound)| (group * 16 + i, bound));
                left.extend(slots.filter(|(_, bound)| *bound >= floor));
            }
        }
        left.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        left
    }
}

/// Wrapping sums are right: whatever they pass through, the final sum fits (see the file's head).
fn add_four(block: &[i8], four: &[(usize, i16); 4], sums: &mut [i16; LANES]) {
    let lane = |dimension: usize| -> &[i8; LANES] {
        block[dimension * LANES..][..LANES]
            .try_into()
            .expect("a block has all dimensions")
    };
    let [a, b, c, d] = four.map(|(dimension, _)| lane(dimension));
    let [qa, qb, qc, qd] = four.map(|(_, weight)| weight);
    for i in 0..LANES {
        let ab = i16::from(a[i])
            .wrapping_mul(qa)
            .wrapping_add(i16::from(b[i]).wrapping_mul(qb));
        let cd = i16::from(c[i])
            .wrapping_mul(qc)
            .wrapping_add(i16::from(d[i]).wrapping_mul(qd));
        sums[i] = sums[i].wrapping_add(ab.wrapping_add(cd));
    }
}

/// A query by dimension, the strongest first.
struct Strongest {
    /// Dimension and integer, without zeros.
    dimensions: Vec<(usize, i16)>,
    /// The margins after so many dimensions: |q − q'|, rounding of sums included, and |q'|.
    margins: Vec<(f32, f32)>,
}

impl Strongest {
    fn of(query: &[f32], scale: f32) -> Self {
        let strong = query.iter().copied().enumerate();
        let mut order: Vec<(usize, f32)> = strong.filter(|(_, x)| *x != 0.0).collect();
        order.sort_unstable_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let mut unseen: f32 = query.iter().map(|x| x * x).sum();
        let (mut rounded, mut length) = (0.0f32, 0.0f32);
        let mut margins = vec![(unseen.sqrt() + ROUNDING, 0.0)];
        let mut dimensions = Vec::new();
        for (dimension, x) in order {
            let whole = (x * scale).round_ties_even();
            if whole == 0.0 {
                break;
            }
            unseen -= x * x;
            rounded += (x - whole / scale).powi(2);
            length += (whole / scale).powi(2);
            dimensions.push((dimension, whole as i16));
            margins.push(((unseen.max(0.0) + rounded).sqrt() + ROUNDING, length.sqrt()));
        }
        Self {
            dimensions,
            margins,
        }
    }

    /// After how many dimensions most vectors can be told to lie under a floor.
    fn enough_for(&self, floor: f32) -> usize {
        let enough = self
            .margins
            .iter()
            .position(|(unseen, _)| *unseen <= floor - SLACK);
        enough
            .unwrap_or(self.dimensions.len())
            .min(self.dimensions.len())
    }
}

/// The sum of products, in eight parts that a processor adds side by side.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let (a, a_rest) = one.as_chunks::<8>();
    let (b, b_rest) = other.as_chunks::<8>();
    let mut parts = [0.0f32; 8];
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            parts[i] += a[i] * b[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    parts.iter().sum::<f32>() + rest
}

/// The same direction at length 1; none for a vector without a direction.
pub(super) fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = dot(vector, vector).sqrt();
    (length.is_finite() && length > 1e-6).then(|| vector.iter().map(|x| x / length).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers between -1 and 1 from a seed; of every `sparse` all but one are 0.
    fn numbers(seed: u64, count: usize, sparse: u64) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let number = |n: u64| (n >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        (0..count)
            .map(|_| {
                if next() % sparse == 0 {
                    number(next())
                } else {
                    0.0
                }
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Q31: the index finds what looking at every vector finds, whatever was put, replaced and
        /// removed.
        #[test]
        fn search_is_exact(
            seed in any::<u64>(),
            dimensions in 3usize..40,
            sparse in prop_oneof![Just(1u64), Just(4)],
            floor in 0.05f32..0.95,
            removed in 0usize..60,
        ) {
            let vector = |i: u64| unit(&numbers(seed ^ i << 8, dimensions, sparse));
            let mut all = Nearest::new(dimensions);
            (0..INDEXED_MIN as u64 + 80).filter_map(vector).for_each(|v| all.push(&v));
            for i in 0..removed.min(all.len() - 1) {
                all.swap_remove(i * 7 % all.len());
                if let Some(v) = vector(10_000 + i as u64) {
                    all.set(i * 3 % all.len(), &v);
                }
            }
            for query in (20_000..20_010).filter_map(vector) {
                let near = |slot: usize| (slot, dot(&query, all.row(slot)));
                let mut expected: Vec<_> = (0..all.len()).map(near).filter(|(_, c)| *c >= floor).collect();
                expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                prop_assert_eq!(&all.within(&query, floor), &expected);
                let odd = expected.iter().find(|(slot, _)| slot % 2 == 1).copied();
                prop_assert_eq!(all.best(&query, floor, |slot| slot as u64, |slot| slot % 2 == 1), odd);
            }
        }
    }
}
