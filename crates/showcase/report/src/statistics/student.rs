//! Student's t distribution: its cumulative distribution function and its quantiles.
//!
//! By the regularised incomplete beta function, as a continued fraction (Abramowitz and Stegun,
//! 26.5.8 and 26.7.1). Knows nothing of runs. Read next: [`super`].

/// The most steps of the continued fraction; it converges to full precision after some dozens.
const STEPS: u32 = 500;
const TINY: f64 = 1e-300;

/// The quantile of probability `p` (0.5 to below 1) for so many degrees of freedom, to about nine
/// digits; NaN for fewer than 1 degree of freedom.
pub fn quantile(p: f64, freedom: f64) -> f64 {
    if freedom.is_nan() || freedom < 1.0 {
        return f64::NAN;
    }
    let mut high = 1.0;
    while share_below(high, freedom) < p && high < 1e12 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        match share_below(middle, freedom) < p {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}

/// The cumulative probability of `t` for so many degrees of freedom.
pub fn share_below(t: f64, freedom: f64) -> f64 {
    let tails = incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5);
    match t < 0.0 {
        true => tails / 2.0,
        false => 1.0 - tails / 2.0,
    }
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side of the mean; the other side follows by symmetry.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    front.exp() / a / fraction(x, a, b)
}

/// The continued fraction, by the method of Lentz.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let kept = |v: f64| if v.abs() < TINY { TINY } else { v };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 1..STEPS {
        let term = term(x, a, b, step);
        d = 1.0 / kept(1.0 + term * d);
        c = kept(1.0 + term / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

fn term(x: f64, a: f64, b: f64, step: u32) -> f64 {
    let m = f64::from(step / 2);
    let (numerator, at) = match step.is_multiple_of(2) {
        true => (m * (b - m), a + 2.0 * m),
        false => (-(a + m) * (a + b + m), a + 2.0 * m + 1.0),
    };
    numerator * x / (at * (at - 1.0))
}

/// The logarithm of the gamma function for positive arguments, by Lanczos' series (g = 7, n = 9).
fn log_gamma(z: f64) -> f64 {
    const SERIES: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if z < 0.5 {
        let sine = (std::f64::consts::PI * z).sin();
        return (std::f64::consts::PI / sine).ln() - log_gamma(1.0 - z);
    }
    let z = z - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    for (place, part) in SERIES.iter().enumerate() {
        sum += part / (z + place as f64 + 1.0);
    }
    let t = z + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (z + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published tables of t, two-sided 95 % and 99 %, and one-sided 90 %.
    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        for (p, freedom, printed) in [
            (0.975, 1.0, 12.706_205),
            (0.975, 2.0, 4.302_653),
            (0.975, 4.0, 2.776_445),
            (0.975, 5.0, 2.570_582),
            (0.975, 10.0, 2.228_139),
            (0.975, 29.0, 2.045_230),
            (0.975, 30.0, 2.042_272),
            (0.975, 120.0, 1.979_930),
            (0.975, 1e7, 1.959_964),
            (0.995, 7.0, 3.499_483),
            (0.9, 3.0, 1.637_744),
        ] {
            let found = quantile(p, freedom);
            assert!(
                (found - printed).abs() < 2e-6,
                "t({p}, {freedom}) = {found}, not {printed}"
            );
        }
        assert!(quantile(0.975, 0.0).is_nan());
    }

    #[test]
    fn the_distribution_is_symmetric_and_cauchy_with_one_degree() {
        assert_eq!(share_below(0.0, 9.0), 0.5);
        for t in [0.1, 0.7, 1.0, 3.0, 40.0] {
            let cauchy = 0.5 + f64::atan(t) / std::f64::consts::PI;
            assert!((share_below(t, 1.0) - cauchy).abs() < 1e-12, "{t}");
            assert!(
                (share_below(t, 6.0) + share_below(-t, 6.0) - 1.0).abs() < 1e-12,
                "{t}"
            );
        }
    }

    #[test]
    fn the_logarithm_of_gamma_is_that_of_factorials() {
        assert!((log_gamma(11.0) - 3_628_800_f64.ln()).abs() < 1e-12);
        assert!((log_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-12);
        assert!((log_gamma(0.25) - 3.625_609_908_221_908_f64.ln()).abs() < 1e-12);
    }
}
