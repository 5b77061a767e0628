//! Means, confidence intervals, paired differences and verdicts; percentiles and distributions.
//!
//! Intervals are Student's, at 95 per cent: they are exact for any number of runs if a figure is
//! normally distributed over seeds, and approximate for many runs otherwise. Differences are paired
//! by seed, so that the difficulty of a seed cancels out. Shares of counts are in [`proportion`]. Read
//! next: [`student`], [`crate::batch`].

pub mod proportion;
pub mod student;

use crate::metric::Better;

/// The number of runs from which an interval is trusted for any distribution of the figure.
pub const ENOUGH: usize = 30;
/// The smallest number of pairs with a verdict; below it an interval would rest on normality alone.
pub const TOO_FEW: usize = 5;
/// The confidence level: the probability with which such an interval contains the true mean.
pub const CONFIDENCE: f64 = 0.95;

/// A figure over several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The number of runs that have the figure.
    pub n: usize,
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation over the runs (divided by n − 1); none of a single run.
    pub sd: Option<f64>,
    /// Half the width of the mean's 95 % interval; none of a single run.
    pub half_width: Option<f64>,
}

impl Summary {
    /// The summary of these values; none if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values)?;
        let sd = sample_sd(values);
        let half_width = sd.map(|sd| {
            let runs = values.len() as f64;
            student::quantile(0.5 + CONFIDENCE / 2.0, runs - 1.0) * sd / runs.sqrt()
        });
        Some(Self {
            n: values.len(),
            mean,
            sd,
            half_width,
        })
    }

    /// The ends of the 95 % interval; none of a single run.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let half = self.half_width?;
        Some([self.mean - half, self.mean + half])
    }
}

/// The comparison of one policy with another over the same seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The differences, first minus second; none if there is no pair.
    pub difference: Option<Summary>,
    /// The conclusion.
    pub verdict: ComparisonVerdict,
}

/// The conclusion of a comparison about the first of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonVerdict {
    /// It does better: the interval of the differences excludes zero.
    Better,
    /// It does worse: likewise.
    Worse,
    /// It takes more of a figure that is neither good nor bad.
    More,
    /// It takes less of such a figure.
    Less,
    /// The interval includes zero: the difference may be chance.
    NoDifferenceShown,
    /// There are fewer pairs than [`TOO_FEW`].
    TooFew,
}

impl ComparisonVerdict {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::More => "more",
            Self::Less => "less",
            Self::NoDifferenceShown => "no-difference-shown",
            Self::TooFew => "too-few",
        }
    }

    /// The words in a table, with the other policy's name: `worse than manual`.
    pub fn against(self, other: &str) -> String {
        match self {
            Self::NoDifferenceShown => format!("no difference shown to {other}"),
            Self::TooFew => format!("too few pairs with {other}"),
            _ => format!("{} than {other}", self.as_str()),
        }
    }
}

impl Comparison {
    /// Compares pairs of values, one pair for each seed that both policies ran.
    pub fn of(pairs: &[[f64; 2]], better: Better) -> Self {
        let differences: Vec<f64> = pairs.iter().map(|[a, b]| a - b).collect();
        let difference = Summary::of(&differences);
        let interval = difference.filter(|d| d.n >= TOO_FEW);
        let verdict = match interval.and_then(|d| d.interval()) {
            None => ComparisonVerdict::TooFew,
            Some([low, high]) if low > 0.0 || high < 0.0 => verdict(low > 0.0, better),
            Some(_) => ComparisonVerdict::NoDifferenceShown,
        };
        Self {
            difference,
            verdict,
        }
    }
}

fn verdict(more: bool, better: Better) -> ComparisonVerdict {
    match (better, more) {
        (Better::Higher, true) | (Better::Lower, false) => ComparisonVerdict::Better,
        (Better::Higher, false) | (Better::Lower, true) => ComparisonVerdict::Worse,
        (Better::Neither, true) => ComparisonVerdict::More,
        (Better::Neither, false) => ComparisonVerdict::Less,
    }
}

/// The arithmetic mean; none of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// The standard deviation of a sample (divided by n − 1); none of fewer than two values. It is
/// exactly 0 if all values are equal, whatever the rounding of their mean.
pub fn sample_sd(values: &[f64]) -> Option<f64> {
    let (first, mean) = (values.first()?, mean(values)?);
    if values.len() < 2 {
        return None;
    }
    if values.iter().all(|v| v == first) {
        return Some(0.0);
    }
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The share of values that are true, 0 to 1; none of no values.
pub fn share(all: impl Iterator<Item = bool>) -> Option<f64> {
    let (right, of) = all.fold((0u32, 0u32), |(right, of), it| {
        (right + u32::from(it), of + 1)
    });
    (of > 0).then(|| f64::from(right) / f64::from(of))
}

/// The smallest value that at least `percent` (0 to 100) of all values do not exceed (nearest
/// rank).
///
/// A value of none means "longer than any"; the result is none if the percentile falls on one of
/// these or there are no values.
pub fn percentile(values: &[Option<f64>], percent: f64) -> Option<f64> {
    let known = ordered(values);
    // A hair less, so that 95 per cent of 20 are 19 and not, by rounding, 20.
    let rank = (percent / 100.0 * values.len() as f64 - 1e-9)
        .ceil()
        .max(1.0);
    known.get(rank as usize - 1).copied()
}

/// The empirical distribution: each value that occurs, with the share of values that do not exceed
/// it.
///
/// A value of none means "longer than any", so that the last share stays below 1.
pub fn distribution(values: &[Option<f64>]) -> Vec<[f64; 2]> {
    let mut steps: Vec<[f64; 2]> = Vec::new();
    for (place, value) in ordered(values).into_iter().enumerate() {
        let share = (place + 1) as f64 / values.len() as f64;
        match steps.last_mut() {
            Some(last) if last[0] == value => last[1] = share,
            _ => steps.push([value, share]),
        }
    }
    steps
}

fn ordered(values: &[Option<f64>]) -> Vec<f64> {
    let mut known: Vec<f64> = values.iter().copied().flatten().collect();
    known.sort_by(f64::total_cmp);
    known
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(found: f64, known: f64) {
        assert!((found - known).abs() < 1e-6, "{found} is not {known}");
    }

    /// The first sample of Student's sleep data (R, `datasets::sleep`), whose results are widely
    /// published.
    const SLEEP: [[f64; 2]; 10] = [
        [0.7, 1.9],
        [-1.6, 0.8],
        [-0.2, 1.1],
        [-1.2, 0.1],
        [-0.1, -0.1],
        [3.4, 4.4],
        [3.7, 5.5],
        [0.8, 1.6],
        [0.0, 4.6],
        [2.0, 3.4],
    ];

    #[test]
    fn students_own_data_give_students_own_answers() {
        let first: Vec<f64> = SLEEP.iter().map(|pair| pair[0]).collect();
        let summary = Summary::of(&first).unwrap();
        near(summary.mean, 0.75);
        near(summary.sd.unwrap(), 1.789_009_6);
        let compared = Comparison::of(&SLEEP, Better::Higher);
        let difference = compared.difference.unwrap();
        near(difference.mean, -1.58);
        let [low, high] = difference.interval().unwrap();
        near(low, -2.459_885_8);
        near(high, -0.700_114_2);
        assert_eq!(compared.verdict, ComparisonVerdict::Worse);
        assert_eq!(
            Comparison::of(&SLEEP, Better::Lower).verdict,
            ComparisonVerdict::Better
        );
        assert_eq!(
            Comparison::of(&SLEEP, Better::Neither).verdict,
            ComparisonVerdict::Less
        );
    }

    #[test]
    fn nothing_is_said_of_too_few_and_of_what_may_be_chance() {
        let few = [[1.0, 2.0]; TOO_FEW - 1];
        assert_eq!(
            Comparison::of(&few, Better::Lower).verdict,
            ComparisonVerdict::TooFew
        );
        assert_eq!(Comparison::of(&[], Better::Lower).difference, None);
        let same = [[1.0, 1.0]; 30];
        let verdict = Comparison::of(&same, Better::Lower).verdict;
        assert_eq!(verdict, ComparisonVerdict::NoDifferenceShown);
        let constant = [[1.1, 2.3]; TOO_FEW];
        let verdict = Comparison::of(&constant, Better::Lower).verdict;
        assert_eq!(verdict, ComparisonVerdict::Better);
        let torn = [[1.0, 2.0], [2.0, 1.0], [1.0, 2.1], [2.0, 1.0], [1.5, 1.5]];
        let verdict = Comparison::of(&torn, Better::Lower).verdict;
        assert_eq!(verdict, ComparisonVerdict::NoDifferenceShown);
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let known: Vec<Option<f64>> = (1..=20).rev().map(|v| Some(f64::from(v))).collect();
        assert_eq!(percentile(&known, 50.0), Some(10.0));
        assert_eq!(percentile(&known, 95.0), Some(19.0));
        assert_eq!(percentile(&known, 100.0), Some(20.0));
        assert_eq!(percentile(&known, 0.0), Some(1.0));
        assert_eq!(percentile(&[], 50.0), None);
        assert_eq!(percentile(&[Some(3.0), None], 50.0), Some(3.0));
        assert_eq!(percentile(&[Some(3.0), None], 95.0), None);
    }

    #[test]
    fn a_distribution_stops_below_one_where_something_never_ended() {
        let steps = distribution(&[Some(2.0), None, Some(1.0), Some(2.0)]);
        assert_eq!(steps, [[1.0, 0.25], [2.0, 0.75]]);
        assert!(distribution(&[None]).is_empty());
    }

    #[test]
    fn a_single_run_has_a_mean_and_no_interval() {
        let summary = Summary::of(&[4.0]).unwrap();
        assert_eq!((summary.mean, summary.interval()), (4.0, None));
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(share([].into_iter()), None);
    }

    proptest! {
        /// Swapping the pair inverts the verdict.
        #[test]
        fn comparing_is_fair(pairs in prop::collection::vec([0.0..9.0f64, 0.0..9.0f64], 0..40)) {
            let turned: Vec<[f64; 2]> = pairs.iter().map(|[a, b]| [*b, *a]).collect();
            let (one, other) = (Comparison::of(&pairs, Better::Lower), Comparison::of(&turned, Better::Lower));
            let opposite = match one.verdict {
                ComparisonVerdict::Better => ComparisonVerdict::Worse,
                ComparisonVerdict::Worse => ComparisonVerdict::Better,
                same => same,
            };
            prop_assert_eq!(other.verdict, opposite);
        }

        /// The share at a percentile is at least that percentage, and just below it less.
        #[test]
        fn a_percentile_and_the_distribution_agree(
            values in prop::collection::vec(prop::option::of(0u8..50), 1..60), percent in 1u8..=100,
        ) {
            let values: Vec<Option<f64>> = values.into_iter().map(|v| v.map(f64::from)).collect();
            let wanted = f64::from(percent) / 100.0;
            let step = distribution(&values).into_iter().find(|[_, share]| *share >= wanted - 1e-9);
            prop_assert_eq!(percentile(&values, f64::from(percent)), step.map(|[value, _]| value));
        }
    }
}
