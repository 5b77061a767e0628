//! Summaries of frequent events: alarms, repeated measurements of an agent, and parameters that it
//! reads, as counts.
//!
//! Knows similarity; refuses to know the look on a terminal. Read next: [`super`].

use domain::inventory::{Domain, ElementId};
use domain::telemetry::{Action, Alarm, Condition, Configuration, Measurement, Outcome};
use domain::time::Timestamp;
use markup::words::count;
use server::story::{StoryEntry, StoryEvent, outcome_in_words};
use std::collections::BTreeMap;

/// The longest time before a summary is printed, in seconds.
const LATEST_S: f64 = 300.0;
/// The most elements named beside a count.
const NAMED: usize = 3;

/// The pending events.
#[derive(Default)]
pub(super) struct Gathered {
    since: Option<Timestamp>,
    alarms: [u64; 2],
    cleared: u64,
    /// The findings of agents, by agent.
    found: BTreeMap<String, Vec<Outcome>>,
    /// The last condition of an element found by each agent; the same again is no news.
    conditions: BTreeMap<(String, ElementId), Condition>,
}

/// A summary, in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sum {
    /// The alarms of the network.
    Alarms(String),
    /// The findings of an agent.
    Found {
        /// The agent.
        agent: String,
        /// The findings.
        words: String,
    },
}

impl Gathered {
    /// Takes an event for a summary; false if it is to be printed by itself.
    pub(super) fn takes(&mut self, told: &StoryEntry) -> bool {
        let is_taken = match &told.happened {
            StoryEvent::Alarm(alarm) => self.alarm(alarm),
            StoryEvent::Acted { action, .. } => return is_look(action),
            StoryEvent::Outcome { agent, outcome } => self.outcome(agent, outcome),
            _ => false,
        };
        if is_taken {
            self.since.get_or_insert(told.at);
        }
        is_taken
    }

    /// True if the summary is due.
    pub(super) fn is_due(&self, at: Timestamp) -> bool {
        self.since
            .is_some_and(|since| at.seconds_since(since) > LATEST_S)
    }

    /// Takes the summaries out.
    pub(super) fn drain(&mut self) -> Vec<Sum> {
        self.since = None;
        let [wireless, ip] = std::mem::take(&mut self.alarms);
        let cleared = std::mem::take(&mut self.cleared);
        let kinds = [(wireless, "wireless alarm"), (ip, "IP alarm")];
        let kinds = kinds.into_iter().filter(|(number, _)| *number > 0);
        let mut alarms: Vec<String> = kinds
            .map(|(number, kind)| count(number as usize, kind, &format!("{kind}s")))
            .collect();
        if cleared > 0 {
            alarms.push(format!("{cleared} cleared"));
        }
        let alarms = (!alarms.is_empty()).then(|| Sum::Alarms(alarms.join(", ")));
        let found = std::mem::take(&mut self.found).into_iter();
        let found = found.map(|(agent, outcomes)| Sum::Found {
            agent,
            words: in_short(&outcomes),
        });
        alarms.into_iter().chain(found).collect()
    }

    fn alarm(&mut self, alarm: &Alarm) -> bool {
        match (alarm.cleared, domain_of(&alarm.resource)) {
            (true, _) => self.cleared += 1,
            (false, Domain::Wireless) => self.alarms[0] += 1,
            (false, _) => self.alarms[1] += 1,
        }
        true
    }

    /// Takes a finding of an agent; one that it knew already is dropped.
    fn outcome(&mut self, agent: &str, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Measured(Measurement {
                element, condition, ..
            }) => {
                let of = (agent.to_owned(), element.clone());
                if self.conditions.insert(of, *condition) == Some(*condition) {
                    return true;
                }
            }
            Outcome::Configuration(found) if is_as_planned(found) => {}
            Outcome::Impossible(_) | Outcome::Failed(_) => {}
            _ => return false,
        }
        let found = self.found.entry(agent.to_owned()).or_default();
        found.retain(|before| !is_of_one_element(before, outcome));
        found.push(outcome.clone());
        true
    }
}

fn is_of_one_element(before: &Outcome, now: &Outcome) -> bool {
    match (before, now) {
        (Outcome::Measured(before), Outcome::Measured(now)) => before.element == now.element,
        _ => false,
    }
}

/// True for actions that only look; their findings are reported instead.
fn is_look(action: &Action) -> bool {
    matches!(
        action,
        Action::Probe { .. } | Action::ReadConfiguration { .. }
    )
}

fn is_as_planned(found: &Configuration) -> bool {
    let planned = |(name, value): (&String, &String)| found.planned.get(name) == Some(value);
    found.running.iter().all(planned)
}

fn domain_of(resource: &ElementId) -> Domain {
    match resource.as_str().starts_with("site:") {
        true => Domain::Wireless,
        false => Domain::Ip,
    }
}

/// A single finding word for word; several as counts by condition, the worst first.
fn in_short(outcomes: &[Outcome]) -> String {
    if let [only] = outcomes {
        return outcome_in_words(only);
    }
    let mut kinds: BTreeMap<(u8, &str), Vec<Option<&ElementId>>> = BTreeMap::new();
    for outcome in outcomes {
        let (kind, element) = kind_of(outcome);
        kinds.entry(kind).or_default().push(element);
    }
    let told = kinds.into_iter().map(|((_, word), elements)| {
        let names: Vec<&str> = elements.iter().flatten().map(|e| e.as_str()).collect();
        match (1..=NAMED).contains(&names.len()) {
            true => format!("{word}: {}", names.join(", ")),
            false => format!("{} {word}", elements.len()),
        }
    });
    told.collect::<Vec<_>>().join("; ")
}

/// The condition in a finding with its rank, and the element if it is worth naming.
fn kind_of(outcome: &Outcome) -> ((u8, &'static str), Option<&ElementId>) {
    match outcome {
        Outcome::Measured(Measurement {
            element, condition, ..
        }) => {
            let rank = match condition {
                Condition::Failed => 0,
                Condition::Unreachable => 1,
                Condition::Degraded => 2,
                Condition::Good => 4,
            };
            let named = (*condition != Condition::Good).then_some(element);
            ((rank, condition.as_str()), named)
        }
        Outcome::Impossible(_) | Outcome::Failed(_) => ((3, "without an answer"), None),
        _ => ((5, "with every parameter as planned"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::telemetry::Severity;

    fn at(seconds: f64) -> Timestamp {
        Timestamp::parse("2026-11-21T08:00:00Z")
            .expect("a literal")
            .plus_s(seconds)
    }

    fn found(agent: &str, outcome: Outcome) -> StoryEvent {
        let agent = agent.to_owned();
        StoryEvent::Outcome { agent, outcome }
    }

    fn measured(element: &str, condition: Condition) -> Outcome {
        Outcome::Measured(Measurement {
            element: ElementId::new(element),
            condition,
            readings: [("light_a_dbm".to_owned(), -40.0)].into(),
        })
    }

    fn sums(happened: Vec<StoryEvent>) -> Vec<String> {
        let mut gathered = Gathered::default();
        for happened in happened {
            assert!(gathered.takes(&StoryEntry {
                at: at(0.0),
                happened
            }));
        }
        let told = gathered.drain().into_iter().map(|sum| match sum {
            Sum::Alarms(words) => words,
            Sum::Found { agent, words } => format!("{agent}: {words}"),
        });
        told.collect()
    }

    #[test]
    fn one_finding_is_told_word_for_word_and_many_are_counted_worst_first() {
        let cut = || found("ip", measured("link:A-B", Condition::Failed));
        assert_eq!(
            sums(vec![cut()]),
            ["ip: link:A-B: failed  light_a_dbm -40.0"]
        );
        let mut many = vec![
            cut(),
            found("wireless", Outcome::Impossible("no".to_owned())),
        ];
        for element in ["card:A/1", "card:A/2", "card:A/3", "card:A/4"] {
            many.push(found("ip", measured(element, Condition::Good)));
        }
        assert_eq!(
            sums(many),
            ["ip: failed: link:A-B; 4 good", "wireless: impossible: no"]
        );
    }

    #[test]
    fn what_was_found_before_is_no_news() {
        let look = |condition| found("ip", measured("site:1", condition));
        let (out, good) = (Condition::Unreachable, Condition::Good);
        assert_eq!(
            sums(vec![look(out), look(out), look(out)]),
            ["ip: site:1: unreachable  light_a_dbm -40.0"]
        );
        assert_eq!(
            sums(vec![look(out), look(good), look(out)]),
            ["ip: site:1: unreachable  light_a_dbm -40.0"]
        );
    }

    #[test]
    fn alarms_are_counted_until_it_is_time() {
        let mut gathered = Gathered::default();
        for (seconds, resource, cleared) in [(0.0, "site:1", false), (9.0, "link:A-B", true)] {
            let happened = StoryEvent::Alarm(Alarm {
                resource: ElementId::new(resource),
                alarm_type: domain::telemetry::AlarmType::LossOfSignal,
                qualifier: String::new(),
                severity: Severity::Major,
                time: at(seconds),
                cleared,
                text: String::new(),
            });
            assert!(gathered.takes(&StoryEntry {
                at: at(seconds),
                happened
            }));
        }
        assert!(!gathered.is_due(at(LATEST_S)));
        assert!(gathered.is_due(at(LATEST_S + 1.0)));
        assert_eq!(
            gathered.drain(),
            [Sum::Alarms("1 wireless alarm, 1 cleared".to_owned())]
        );
        assert!(gathered.drain().is_empty() && !gathered.is_due(at(9e9)));
    }
}
