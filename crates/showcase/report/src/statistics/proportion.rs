//! Shares of counts: Wilson's interval, McNemar's exact test, and a bootstrap over runs.
//!
//! Wilson's interval takes cases as independent; the bootstrap draws whole runs, so that what cases
//! of one run have in common is in its interval. Dice are an argument. Read next: [`super`].

/// The standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_964;

/// Wilson's 95 % interval of a share: `right` of `of`; 0 to 1 if there are none.
pub fn wilson(right: u32, of: u32) -> [f64; 2] {
    if of == 0 {
        return [0.0, 1.0];
    }
    let (n, p) = (f64::from(of), f64::from(right) / f64::from(of));
    let shrink = 1.0 + Z * Z / n;
    let middle = (p + Z * Z / (2.0 * n)) / shrink;
    let half = Z / shrink * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    // Rounding must not leave the share of none or of all outside.
    let low = if right == 0 { 0.0 } else { middle - half };
    let high = if right == of { 1.0 } else { middle + half };
    [low.max(0.0), high.min(1.0)]
}

/// McNemar's exact two-sided probability that two policies which differ in `one` + `other` cases,
/// the first right in `one` of them, are equally good: the binomial test with even odds.
pub fn mcnemar(one: u32, other: u32) -> f64 {
    let (few, n) = (one.min(other), one + other);
    let half = f64::from(n) * 0.5f64.ln();
    let (mut log_choose, mut sum) = (0.0, 0.0);
    for k in 0..=few {
        if k > 0 {
            log_choose += (f64::from(n - k + 1) / f64::from(k)).ln();
        }
        sum += f64::exp(log_choose + half);
    }
    (2.0 * sum).min(1.0)
}

/// The 95 % interval of a figure of `runs` runs by the bootstrap: `figure` is computed for `samples`
/// draws of as many runs with repetition; a draw without a figure counts for nothing. None of fewer than
/// two runs, whose draws are all alike, and if no draw has a figure. The same seed gives the same interval.
pub fn bootstrap(
    runs: usize,
    samples: usize,
    seed: u64,
    figure: impl Fn(&[usize]) -> Option<f64>,
) -> Option<[f64; 2]> {
    if runs < 2 {
        return None;
    }
    let mut dice = seed;
    let mut drawn = vec![0; runs];
    let mut values = Vec::with_capacity(samples);
    for _ in 0..samples {
        for place in &mut drawn {
            *place = (split_mix(&mut dice) % runs as u64) as usize;
        }
        values.extend(figure(&drawn));
    }
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * values.len().saturating_sub(1) as f64;
        values.get(place.round() as usize).copied()
    };
    Some([at(0.025)?, at(0.975)?])
}

/// The next number of SplitMix64 (Steele, Lea and Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against published values: Wilson of 81 in 263 (Newcombe, 1998), McNemar's exact test of 5 and
    /// 15 (a binomial tail of tables), and the first number of SplitMix64 from 0.
    #[test]
    fn known_values_are_met() {
        let [low, high] = wilson(81, 263);
        assert!(
            (low - 0.255_3).abs() < 5e-4 && (high - 0.366_2).abs() < 5e-4,
            "{low} {high}"
        );
        assert!((mcnemar(5, 15) - 0.041_389).abs() < 1e-5);
        assert!((mcnemar(4, 4) - 1.0).abs() < 1e-12);
        assert_eq!(split_mix(&mut 0), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn the_share_of_none_and_of_all_lies_in_its_interval() {
        assert_eq!(wilson(0, 20)[0], 0.0);
        assert_eq!(wilson(20, 20)[1], 1.0);
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }

    #[test]
    fn a_bootstrap_holds_the_mean_and_repeats_itself() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let mean = |drawn: &[usize]| {
            let sum: f64 = drawn.iter().map(|&i| values[i]).sum();
            Some(sum / drawn.len() as f64)
        };
        let interval = bootstrap(8, 500, 7, mean);
        let [low, high] = interval.unwrap_or_default();
        assert!(
            low < 4.5 && 4.5 < high && low > 2.0 && high < 7.0,
            "{low} {high}"
        );
        assert_eq!(interval, bootstrap(8, 500, 7, mean));
        assert_eq!(bootstrap(8, 10, 7, |_| None), None);
        // One run says nothing about how runs differ.
        assert_eq!(bootstrap(1, 500, 7, mean), None);
        assert_eq!(bootstrap(0, 500, 7, |_| Some(1.0)), None);
    }
}
