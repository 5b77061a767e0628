//! A day that is played under two policies beside a platform: on a thread of its own, one comparison at a time, for a
//! quarter of an hour at most.
//!
//! It is the day of [`crate::day`], with its score: the same input has the same outcome, and nothing of it touches the
//! platform that asked. Read next: [`crate::judge`], by which it is asked.

use crate::day::{Days, Operator};
use crate::practice::PracticeDurations;
use engine::{CompareDay, ComparedDay, ComparisonState, DayComparison, DayFigure, DayPolicy};
use network::{Backbone, TelemetryErrors};
use report::{METRICS, Score};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Both days are played within this, or it has failed.
const LONGEST: Duration = Duration::from_secs(900);

/// The comparison that goes on, or else the last.
pub struct Comparisons {
    backbone: Backbone,
    last: Option<Playing>,
}

/// One that was begun; it ends when it is forgotten.
struct Playing {
    told: Arc<Mutex<DayComparison>>,
    ends: Arc<AtomicBool>,
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
    }
}

impl Comparisons {
    /// None yet; days are played on networks of this topology.
    pub fn on(backbone: Backbone) -> Self {
        let last = None;
        Self { backbone, last }
    }

    /// Begins one; false if another goes on.
    pub(crate) fn begin(&mut self, wanted: CompareDay) -> bool {
        if self
            .last()
            .is_some_and(|it| it.state == ComparisonState::Running)
        {
            return false;
        }
        let days = wanted.policies.map(|policy| ComparedDay {
            policy,
            played_percent: 0,
            figures: Vec::new(),
        });
        let told = Arc::new(Mutex::new(DayComparison {
            wanted,
            state: ComparisonState::Running,
            days: days.into(),
        }));
        let ends = Arc::new(AtomicBool::new(false));
        let played = Played {
            wanted,
            backbone: self.backbone.clone(),
            told: Arc::clone(&told),
            ends: Arc::clone(&ends),
        };
        let thread = std::thread::Builder::new().name("days".to_owned());
        if let Err(cause) = thread.spawn(move || played.play()) {
            let why = format!("there is no thread for it: {cause}");
            held(&told).state = ComparisonState::Failed { why };
        }
        self.last = Some(Playing { told, ends });
        true
    }

    /// How the last one stands.
    pub(crate) fn last(&self) -> Option<DayComparison> {
        self.last.as_ref().map(|it| held(&it.told).clone())
    }

    /// Ends the one that goes on; false if none does, or if that was done before.
    pub(crate) fn end(&mut self) -> bool {
        let Some(playing) = &self.last else {
            return false;
        };
        let is_running = held(&playing.told).state == ComparisonState::Running;
        is_running && !playing.ends.swap(true, Ordering::Relaxed)
    }
}

/// What a thread plays.
struct Played {
    wanted: CompareDay,
    backbone: Backbone,
    told: Arc<Mutex<DayComparison>>,
    ends: Arc<AtomicBool>,
}

impl Played {
    fn play(self) {
        let outcome = self.both();
        held(&self.told).state = match outcome {
            Ok(()) => ComparisonState::Done,
            Err(_) if self.ends.load(Ordering::Relaxed) => ComparisonState::Ended,
            Err(why) => ComparisonState::Failed { why },
        };
    }

    /// Plays the day twice.
    fn both(&self) -> Result<(), String> {
        // What is logged by a platform that is played is nobody's to act on.
        let _silent =
            tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::default());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|cause| cause.to_string())?;
        let until = Instant::now() + LONGEST;
        for (place, policy) in self.wanted.policies.into_iter().enumerate() {
            let told = Arc::clone(&self.told);
            let progress = move |share: f64| {
                held(&told).days[place].played_percent = (share * 100.0) as u8;
            };
            let is_over = || self.ends.load(Ordering::Relaxed) || Instant::now() > until;
            let forked = self.wanted.from_hour.filter(|_| place == 1);
            let score = match forked {
                None => {
                    let day = self.days(policy);
                    runtime.block_on(day.play_unless(Box::new(|_| {}), progress, is_over))
                }
                Some(hour) => {
                    let day = self.days(self.wanted.policies[0]);
                    let at = day.begin().plus_s(f64::from(hour) * 3_600.0);
                    runtime.block_on(day.play_forked(at, operator(policy), progress, is_over))
                }
            };
            let score = score.map_err(|cause| cause.to_string())?;
            let late = || "the days were not played within a quarter of an hour".to_owned();
            held(&self.told).days[place].figures = figures(&score.ok_or_else(late)?);
        }
        Ok(())
    }

    fn days(&self, policy: DayPolicy) -> Days {
        Days {
            topology: self.backbone.clone(),
            sites: self.wanted.sites.into(),
            days: 1,
            seed: self.wanted.seed.into(),
            policy: operator(policy),
            practice: PracticeDurations::default(),
            alarms: Arc::default(),
            errors: TelemetryErrors::erring(),
            knowledge: None,
        }
    }
}

/// One that has panicked goes on no more.
impl Drop for Played {
    fn drop(&mut self) {
        let mut told = held(&self.told);
        if told.state == ComparisonState::Running {
            let why = "playing it has failed".to_owned();
            told.state = ComparisonState::Failed { why };
        }
    }
}

fn held(told: &Mutex<DayComparison>) -> MutexGuard<'_, DayComparison> {
    told.lock().expect("no holder panics")
}

fn operator(policy: DayPolicy) -> Operator {
    match policy {
        DayPolicy::Agents => Operator::Agents,
        DayPolicy::Manual => Operator::Manual,
        DayPolicy::Correlated => Operator::Correlated,
        DayPolicy::None => Operator::None,
    }
}

/// The figures that a day has, in the order in which they are defined.
fn figures(score: &Score) -> Vec<DayFigure> {
    let of = |metric: &'static report::Metric| {
        Some(DayFigure {
            name: metric.name,
            unit: metric.unit.as_str(),
            better: metric.better.as_str(),
            value: score.figure(metric.name)?,
        })
    };
    METRICS.iter().filter_map(of).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn wanted(policies: [DayPolicy; 2]) -> CompareDay {
        CompareDay {
            seed: 11,
            sites: 20,
            policies,
            from_hour: None,
        }
    }

    fn on_polska() -> Comparisons {
        Comparisons::on(Backbone::named("Polska").unwrap())
    }

    /// Waits until it goes on no more.
    fn over(comparisons: &Comparisons) -> DayComparison {
        loop {
            let now = comparisons.last().unwrap();
            if now.state != ComparisonState::Running {
                return now;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn one_policy_twice_has_one_outcome_and_another_has_another() {
        let mut comparisons = on_polska();
        assert_eq!(comparisons.last(), None);
        assert!(comparisons.begin(wanted([DayPolicy::Manual; 2])));
        let told = over(&comparisons);
        assert_eq!(told.state, ComparisonState::Done);
        let [first, second] = &told.days[..] else {
            panic!("two days")
        };
        assert_eq!(first, second);
        assert_eq!(first.played_percent, 100);
        let of = |day: &ComparedDay, name: &str| {
            let found = day.figures.iter().find(|figure| figure.name == name);
            found.unwrap().value
        };
        assert!(of(first, "energy") > 0.0);
        assert!(comparisons.begin(wanted([DayPolicy::None, DayPolicy::Manual])));
        let told = over(&comparisons);
        assert!(of(&told.days[0], "energy") > of(first, "energy"));
        assert_eq!(told.days[1], *first);
    }

    /// People put cells to sleep from 02:00 to 06:00 alone.
    #[test]
    fn a_day_goes_on_under_another_policy_from_an_hour_on() {
        let mut comparisons = on_polska();
        let energy = |day: &ComparedDay| {
            let found = day.figures.iter().find(|figure| figure.name == "energy");
            found.unwrap().value
        };
        let mut forked = |policies, from_hour| {
            let wanted = CompareDay {
                from_hour,
                ..wanted(policies)
            };
            assert!(comparisons.begin(wanted));
            let told = over(&comparisons);
            assert_eq!(told.state, ComparisonState::Done);
            assert_eq!(told.wanted, wanted);
            let has_incidents = |day: &ComparedDay| {
                day.figures
                    .iter()
                    .any(|it| it.name == "incidents-per-alarm")
            };
            // Who takes over is measured by his own, and people correlate nothing.
            let correlates = policies.map(|policy| policy == DayPolicy::Agents);
            assert_eq!([0, 1].map(|day| has_incidents(&told.days[day])), correlates);
            (energy(&told.days[0]), energy(&told.days[1]))
        };
        let whole = [DayPolicy::None, DayPolicy::Manual];
        let (none, manual) = forked(whole, None);
        let (first, early) = forked(whole, Some(1));
        let (_, late) = forked(whole, Some(7));
        assert_eq!([first, early, late], [none, manual, none]);
        assert!(manual < none, "{manual} {none}");
        // Agents take over from people, the same each time, and people from agents.
        let evening = [DayPolicy::None, DayPolicy::Agents];
        let (first, second) = forked(evening, Some(22));
        assert_ne!(first, second);
        assert_eq!(forked(evening, Some(22)), (first, second));
        let (first, second) = forked([DayPolicy::Agents, DayPolicy::None], Some(2));
        assert_ne!(first, second);
    }

    #[test]
    fn one_goes_on_at_a_time_until_it_is_ended() {
        let mut comparisons = on_polska();
        assert!(comparisons.begin(wanted([DayPolicy::Agents; 2])));
        assert!(!comparisons.begin(wanted([DayPolicy::Manual; 2])));
        assert!(comparisons.end());
        assert!(!comparisons.end(), "it is ended already");
        let told = over(&comparisons);
        assert_eq!(told.state, ComparisonState::Ended);
        assert!(!comparisons.end());
        assert!(told.days[1].figures.is_empty());
        assert!(comparisons.begin(wanted([DayPolicy::Manual; 2])));
    }
}
