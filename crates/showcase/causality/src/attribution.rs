//! What each alarm type explains of another: a sparse Hawkes process.
//!
//! Alarms of a type come at a rate of their device, and at a rate more after alarms of other types
//! at the device or next to it, by how long ago the latest of them was. All rates are estimated at
//! once by expectation maximisation, so that what one type explains is not explained by another
//! again. A source pays the price of one alarm. Read next: [`crate::learning`].

use crate::history::AlarmHistory;
use crate::neighbourhood::Neighbourhood;
use crate::square::Square;

/// The lags that are told apart, in seconds, each up to but without its number: none, up to 3, 10,
/// 30, 100, 300 and 1000.
const LAGS_S: [i64; 7] = [1, 4, 11, 31, 101, 301, 1_001];
/// The number of lags.
pub(crate) const LAGS: usize = LAGS_S.len();
const ITERATIONS: usize = 60;
/// The iterations before sources pay.
const FREE_ITERATIONS: usize = 5;
/// The alarms that a source must explain before it counts.
const PRICE: f64 = 1.0;
/// The most pairs of an alarm and what may explain it.
const PAIRS_MAX: usize = 500_000_000;

/// Where a source is: at the device of the alarm, or next to it.
const HOPS: usize = 2;

/// The reason why nothing can be learnt from a history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LearningError {
    /// Too many alarms have too many others before them.
    #[error(
        "its alarms have more than {most} others shortly before them; take fewer types, or a \
         shorter time"
    )]
    TooDense {
        /// The most pairs of an alarm and another one.
        most: usize,
    },
}

/// The log-likelihood that each type (row) adds to the account of another (column).
///
/// # Errors
/// [`LearningError::TooDense`] if more than [`PAIRS_MAX`] pairs would have to be kept.
pub(crate) fn gains(
    history: &AlarmHistory,
    progress: &mut dyn FnMut(f64),
) -> Result<Square, LearningError> {
    let types = history.types().len();
    let (effects, exposure) = effects(history, PAIRS_MAX)?;
    let mut gains = Square::new(types);
    for (effect, explained) in effects.iter().enumerate() {
        let gain = explained.gains(&exposure, history.length_s(), types);
        for (cause, gain) in gain.into_iter().enumerate() {
            if cause != effect {
                gains[(cause, effect)] = gain;
            }
        }
        progress((effect + 1) as f64 / types as f64);
    }
    Ok(gains)
}

/// The alarms of one type, each with the sources that may explain it.
#[derive(Clone, Default)]
struct Effect {
    /// Of each alarm its device, by the order in which devices were met.
    devices: Vec<usize>,
    /// Of each device the number of alarms.
    alarms: Vec<f64>,
    /// Of each alarm where its kernels end in `kernels`.
    ends: Vec<usize>,
    /// The kernels that are in force at an alarm: source and lag.
    kernels: Vec<u16>,
}

/// The number of a kernel: what explains, where it is, and how long ago it was.
fn kernel(types: usize, hop: usize, source: usize, lag: usize) -> usize {
    (hop * types + source) * LAGS + lag
}

/// The type that a kernel is of.
fn source_of(types: usize, kernel: usize) -> usize {
    kernel / LAGS % types
}

/// The alarms of each type, and for how many seconds each kernel was in force, over all devices.
fn effects(history: &AlarmHistory, most: usize) -> Result<(Vec<Effect>, Vec<f64>), LearningError> {
    let types = history.types().len();
    let mut effects = vec![Effect::default(); types];
    let mut exposure = vec![0.0; HOPS * types * LAGS];
    let mut pairs = 0;
    for device in 0..history.devices() {
        let around = Neighbourhood::of(history, device);
        let own = around.own.iter().map(|(it, times)| (0, *it, *times));
        let adjacent = around
            .adjacent
            .iter()
            .map(|(it, times)| (1, *it, &times[..]));
        let sources: Vec<_> = own.chain(adjacent).collect();
        for (hop, source, times) in &sources {
            let first = kernel(types, *hop, *source, 0);
            expose(
                times,
                history.span_s()[1] + 1,
                &mut exposure[first..][..LAGS],
            );
        }
        for (alarm_type, times) in &around.own {
            pairs += effects[*alarm_type].add(*alarm_type, times, &sources, types);
            if pairs > most {
                return Err(LearningError::TooDense { most });
            }
        }
    }
    exposure.iter_mut().for_each(|seconds| *seconds += 1e-9);
    Ok((effects, exposure))
}

/// Adds the seconds in which the latest of `times` was at each lag, up to the second `end`.
fn expose(times: &[i64], end: i64, seconds: &mut [f64]) {
    let next = times.iter().skip(1).chain([&end]);
    for (time, next) in times.iter().zip(next) {
        let mut from = 0;
        for (seconds, until) in seconds.iter_mut().zip(LAGS_S) {
            *seconds += (next - time - from).clamp(0, until - from) as f64;
            from = until;
        }
    }
}

impl Effect {
    /// Adds the alarms of a device; returns the number of kernels at them.
    fn add(
        &mut self,
        alarm_type: usize,
        times: &[i64],
        sources: &[(usize, usize, &[i64])],
        types: usize,
    ) -> usize {
        let device = self.alarms.len();
        let before = self.kernels.len();
        self.alarms.push(times.len() as f64);
        let mut passed = vec![0; sources.len()];
        for time in times {
            for ((hop, source, times), passed) in sources.iter().zip(&mut passed) {
                // An alarm does not explain itself, nor what is reported twice in a second.
                let itself = *hop == 0 && *source == alarm_type;
                let until = time + i64::from(!itself);
                while times.get(*passed).is_some_and(|it| *it < until) {
                    *passed += 1;
                }
                let latest = passed.checked_sub(1).map(|place| times[place]);
                let lag = latest.map(|latest| LAGS_S.partition_point(|it| *it <= time - latest));
                if let Some(lag) = lag.filter(|lag| *lag < LAGS) {
                    let kernel = kernel(types, *hop, *source, lag);
                    let kernel = u16::try_from(kernel).expect("a thousand types have 14,000");
                    self.kernels.push(kernel);
                }
            }
            self.devices.push(device);
            self.ends.push(self.kernels.len());
        }
        self.kernels.len() - before
    }

    /// The loss of log-likelihood if each type were no source.
    fn gains(&self, exposure: &[f64], length_s: f64, types: usize) -> Vec<f64> {
        let mut rates = Rates::first(self, exposure.len(), length_s);
        for iteration in 1..ITERATIONS {
            let mut explained = vec![0.0; exposure.len()];
            let by_device = self.explain(&rates, |kernel, share| explained[kernel] += share);
            if iteration > FREE_ITERATIONS {
                explained.chunks_exact_mut(LAGS).for_each(pay);
            }
            let seconds = explained.iter().zip(exposure);
            rates.kernels = seconds.map(|(alarms, seconds)| alarms / seconds).collect();
            rates.devices = by_device.iter().map(|alarms| alarms / length_s).collect();
        }
        // The last iteration tells what the rates before it explain.
        let mut gains = vec![0.0; types];
        self.explain(&rates, |kernel, share| {
            gains[source_of(types, kernel)] += -(-share.min(1.0 - 1e-9)).ln_1p() - share;
        });
        gains
    }

    /// Tells `told` the share that each kernel has in each alarm; returns the alarms of each device
    /// that its own rate explains.
    fn explain(&self, rates: &Rates, mut told: impl FnMut(usize, f64)) -> Vec<f64> {
        let mut by_device = vec![0.0; self.alarms.len()];
        let mut from = 0;
        for (device, end) in self.devices.iter().zip(&self.ends) {
            let kernels = &self.kernels[from..*end];
            from = *end;
            let rate_of = |kernel: &u16| rates.kernels[usize::from(*kernel)];
            let by_kernels: f64 = kernels.iter().map(rate_of).sum();
            let rate = by_kernels + rates.devices[*device];
            for kernel in kernels {
                told(usize::from(*kernel), rate_of(kernel) / rate);
            }
            by_device[*device] += rates.devices[*device] / rate;
        }
        by_device
    }
}

/// Takes the price of a source off what it explains.
fn pay(explained: &mut [f64]) {
    let whole: f64 = explained.iter().sum();
    let kept = (whole - PRICE).max(0.0) / whole.max(1e-12);
    explained.iter_mut().for_each(|alarms| *alarms *= kept);
}

/// Rates in alarms a second.
struct Rates {
    kernels: Vec<f64>,
    devices: Vec<f64>,
}

impl Rates {
    /// Rates to begin with: everything explains alike.
    fn first(effect: &Effect, kernels: usize, length_s: f64) -> Self {
        let alarms: f64 = effect.alarms.iter().sum();
        let devices = effect.alarms.len() as f64;
        let own = effect.alarms.iter().map(|alarms| alarms / length_s / 2.0);
        Self {
            kernels: vec![alarms / (length_s * devices); kernels],
            devices: own.collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::invented::{Alarm, Chance, history};

    /// A fault before each loss, a loss before each drop, a door at any time.
    fn alarms() -> Vec<Alarm> {
        let mut chance = Chance(1);
        let mut alarms = Vec::new();
        for n in 0..200 {
            let start_s = n * 5_000 + chance.second(3_000);
            let device = (n % 5).to_string();
            let mut raise = |name: &str, at| alarms.push((name.to_owned(), device.clone(), at));
            raise("fault", start_s);
            raise("loss", start_s + 5);
            raise("drop", start_s + 9);
            raise("door", chance.second(1_000_000));
        }
        alarms
    }

    #[test]
    fn what_comes_by_chance_explains_nothing() {
        let history = history(&alarms(), None);
        assert_eq!(history.types(), ["door", "drop", "fault", "loss"]);
        let gains = gains(&history, &mut |_| {}).unwrap();
        let [door, drop, fault, loss] = [0, 1, 2, 3];
        assert!(gains[(fault, loss)] > 100.0, "{gains:?}");
        assert!(
            gains[(door, loss)] < 7.0 && gains[(door, drop)] < 7.0,
            "{gains:?}"
        );
        let either = gains[(fault, drop)] + gains[(loss, drop)];
        assert!(either > 50.0, "{gains:?}");
        assert_eq!(gains[(loss, loss)], 0.0);
    }

    #[test]
    fn what_would_take_too_much_memory_is_refused() {
        let refused = effects(&history(&alarms(), None), 100).err().unwrap();
        assert_eq!(refused, LearningError::TooDense { most: 100 });
    }

    #[test]
    fn a_kernel_is_in_force_until_the_next_alarm_of_its_source() {
        let mut seconds = [0.0; LAGS];
        expose(&[0, 0, 5, 2_000], 2_002, &mut seconds);
        assert_eq!(seconds, [3.0, 7.0, 8.0, 20.0, 70.0, 200.0, 700.0]);
    }
}
