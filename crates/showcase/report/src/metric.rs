//! The definition of each figure of a run: its name, unit, direction and description.
//!
//! The one list that scores, tables, pages and findings follow, in the order of presentation.
//! Refuses to know any value. Read next: [`crate::score`].

/// The direction in which a figure improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither: the figure is a cost or a volume without judgement.
    Neither,
}

impl Better {
    /// The name, as JSON writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
            Self::Neither => "neither",
        }
    }
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricUnit {
    /// A share, 0 to 1, shown in per cent.
    Share,
    /// A ratio of two counts.
    Ratio,
    /// Minutes of the network's time.
    Minutes,
    /// Things that are counted.
    Count,
    /// Users times minutes.
    UserMinutes,
    /// Mbit/s.
    Mbps,
    /// kWh.
    Kwh,
    /// Bytes on the wire.
    Bytes,
}

impl MetricUnit {
    /// The unit, as tables and JSON write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Ratio => "ratio",
            Self::Minutes => "min",
            Self::Count => "count",
            Self::UserMinutes => "user-minutes",
            Self::Mbps => "Mbit/s",
            Self::Kwh => "kWh",
            Self::Bytes => "bytes",
        }
    }

    /// The unit for people, and the factor that converts a value to it.
    pub fn shown(self) -> (&'static str, f64) {
        match self {
            Self::Share => ("%", 100.0),
            Self::Ratio | Self::Count => ("", 1.0),
            _ => (self.as_str(), 1.0),
        }
    }
}

/// One figure of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name in JSON and on command lines, in kebab-case.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its unit.
    pub unit: MetricUnit,
    /// The direction in which it improves.
    pub better: Better,
    /// Its definition, in one or two sentences.
    pub description: &'static str,
}

impl Metric {
    /// The figure called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|m| m.name == name)
    }
}

const fn metric(
    name: &'static str,
    title: &'static str,
    unit: MetricUnit,
    better: Better,
    description: &'static str,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        better,
        description,
    }
}

/// Every figure, in the order in which it is shown.
///
/// A fault counts if it touched users. A percentile is the smallest time that at least so many per
/// cent of the faults did not exceed; a fault that was never detected, located or restored counts as
/// longer than any, and where the percentile falls on such a fault the run has no figure.
pub const METRICS: &[Metric] = &[
    metric(
        "root-cause-top-1",
        "Root cause named first",
        MetricUnit::Share,
        Better::Higher,
        "Share of the faults that touched users of which the first commitment that concerned them (a confirmed diagnosis, an act from afar, a ticket or an engineer sent) named the true element and cause; never is wrong.",
    ),
    metric(
        "root-cause-top-3",
        "Root cause among the first three",
        MetricUnit::Share,
        Better::Higher,
        "Share of the faults that touched users whose true element and cause was among the first three different commitments that concerned them.",
    ),
    metric(
        "best-yardstick-top-1",
        "Yardstick: the best one tuned",
        MetricUnit::Share,
        Better::Neither,
        "What the yardstick that did best on the tuning seeds, hearing the alarms of the run as they were delivered, would have named first, by the same measure, on the same faults. Alarms that a policy's mending clears early are lost to it: compare it where nobody mends before it may speak.",
    ),
    metric(
        "own-alarm-top-1",
        "Yardstick: blame the alarm's own element",
        MetricUnit::Share,
        Better::Neither,
        "What blaming the element of each alarm itself, cells by the type of alarm, would have named first, by the same measure, on the same faults. Alarms that a policy's mending clears early are lost to it as well.",
    ),
    metric(
        "precision",
        "Statements that were right",
        MetricUnit::Share,
        Better::Higher,
        "Share of all statements, each counted once within four hours, whose element had truly failed of that cause when they were made, or no more than a quarter of an hour before.",
    ),
    metric(
        "statements",
        "Statements a day",
        MetricUnit::Count,
        Better::Neither,
        "Different commitments to an element and a cause, per day.",
    ),
    metric(
        "wrong-statements",
        "Wrong statements a day",
        MetricUnit::Count,
        Better::Lower,
        "Statements about an element at which nothing of the kind was broken, not even a small trouble, per day.",
    ),
    metric(
        "statements-of-small-troubles",
        "Statements about small troubles a day",
        MetricUnit::Count,
        Better::Neither,
        "Statements about an element that had a real trouble which is no fault and mostly ends by itself (a site that stopped or lost its own mains, a transceiver, a contact), per day.",
    ),
    metric(
        "wrong-diagnoses",
        "Wrong diagnoses a day",
        MetricUnit::Count,
        Better::Lower,
        "Confirmed diagnoses that were wrong, repeated ones too, per day.",
    ),
    metric(
        "wrong-interventions",
        "Wrong interventions a day",
        MetricUnit::Count,
        Better::Lower,
        "Parameters set and elements restarted where nothing of the kind was broken, per day.",
    ),
    metric(
        "wrong-tickets",
        "Wrong tickets a day",
        MetricUnit::Count,
        Better::Lower,
        "Trouble tickets and engineers for an element and a cause that were not so, those corrected later too, per day.",
    ),
    metric(
        "incidents-per-alarm",
        "Incidents per alarm",
        MetricUnit::Ratio,
        Better::Lower,
        "Incidents that people or agents had to look at, divided by the alarms delivered.",
    ),
    metric(
        "detect-p50",
        "Time to detect, median",
        MetricUnit::Minutes,
        Better::Lower,
        "From the fault to the first look at it, for half of the faults that touched users.",
    ),
    metric(
        "detect-p95",
        "Time to detect, 95th percentile",
        MetricUnit::Minutes,
        Better::Lower,
        "From the fault to the first look at it, for 95 per cent of the faults that touched users.",
    ),
    metric(
        "locate-p50",
        "Time to locate, median",
        MetricUnit::Minutes,
        Better::Lower,
        "From the fault to the first commitment to its true element and cause, for half of the faults that touched users.",
    ),
    metric(
        "locate-p95",
        "Time to locate, 95th percentile",
        MetricUnit::Minutes,
        Better::Lower,
        "From the fault to the first commitment to its true element and cause, for 95 per cent of the faults that touched users.",
    ),
    metric(
        "restore-p50",
        "Time to restore, median",
        MetricUnit::Minutes,
        Better::Lower,
        "From the fault to service truly being back, whatever anyone believed, for half of the faults that touched users.",
    ),
    metric(
        "restore-p95",
        "Time to restore, 95th percentile",
        MetricUnit::Minutes,
        Better::Lower,
        "From the fault to service truly being back, whatever anyone believed, for 95 per cent of the faults that touched users.",
    ),
    metric(
        "unlocated",
        "Faults never located",
        MetricUnit::Share,
        Better::Lower,
        "Share of the faults that touched users to whose true element and cause nobody committed before the run ended.",
    ),
    metric(
        "unrestored",
        "Faults never restored",
        MetricUnit::Share,
        Better::Lower,
        "Share of the faults that touched users whose service was not back when the run ended.",
    ),
    metric(
        "dispatches",
        "Dispatches",
        MetricUnit::Count,
        Better::Lower,
        "Engineers sent out.",
    ),
    metric(
        "wrong-dispatches",
        "Wrong dispatches",
        MetricUnit::Count,
        Better::Lower,
        "Engineers sent to an element at which nothing was broken.",
    ),
    metric(
        "outage-user-minutes",
        "Outage",
        MetricUnit::UserMinutes,
        Better::Lower,
        "Users without service times the minutes for which they had none.",
    ),
    metric(
        "compensated-edge-throughput",
        "Edge throughput around sites out",
        MetricUnit::Mbps,
        Better::Higher,
        "Downlink throughput of the slowest tenth of the users in the areas of sites that were out.",
    ),
    metric(
        "compensated-served-share",
        "Served around sites out",
        MetricUnit::Share,
        Better::Higher,
        "Share of the users in the areas of sites that were out who had service, weighed by how long they were out.",
    ),
    metric(
        "energy",
        "Energy",
        MetricUnit::Kwh,
        Better::Lower,
        "What the base stations consumed.",
    ),
    metric(
        "energy-saved-share",
        "Energy saved",
        MetricUnit::Share,
        Better::Higher,
        "How much less the base stations consumed than in the same run without any saving, as far as measurements of sleep show it.",
    ),
    metric(
        "energy-saved-upper-share",
        "Energy saved, at most",
        MetricUnit::Share,
        Better::Higher,
        "The same if every saving mode saved as much as measurements do not exclude; no claim.",
    ),
    metric(
        "guarantee-breach-user-minutes",
        "Guarantees broken",
        MetricUnit::UserMinutes,
        Better::Lower,
        "Users below the guaranteed throughput times the minutes for which they were.",
    ),
    metric(
        "complaints-localised-right",
        "Complaints localised rightly",
        MetricUnit::Share,
        Better::Higher,
        "Share of the tickets that were put down to the right place: own domain, other province, or not the network.",
    ),
    metric(
        "complaint-reply-p50",
        "Time to reply to a complaint, median",
        MetricUnit::Minutes,
        Better::Lower,
        "From the ticket to the reply that ended it, for half of the tickets; one without a reply counts as longer than any.",
    ),
    metric(
        "complaints-unanswered",
        "Complaints without a reply",
        MetricUnit::Count,
        Better::Lower,
        "Tickets that had no reply when the run ended.",
    ),
    metric(
        "negotiation-rounds",
        "Negotiation rounds",
        MetricUnit::Count,
        Better::Neither,
        "Rounds of feasibility, fulfilment and result negotiations together.",
    ),
    metric(
        "messages",
        "Messages",
        MetricUnit::Count,
        Better::Neither,
        "Requests, replies and notifications between agents.",
    ),
    metric(
        "bytes",
        "Bytes",
        MetricUnit::Bytes,
        Better::Neither,
        "Their length after framing and before encryption.",
    ),
    metric(
        "model-calls",
        "Language-model calls",
        MetricUnit::Count,
        Better::Neither,
        "Calls of a language model.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_name_is_there_once_and_in_kebab_case() {
        let names: BTreeSet<_> = METRICS.iter().map(|m| m.name).collect();
        assert_eq!(names.len(), METRICS.len());
        for metric in METRICS {
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(metric.name.chars().all(kebab), "{}", metric.name);
            assert!(metric.description.ends_with('.'), "{}", metric.name);
            assert_eq!(Metric::named(metric.name), Some(metric));
        }
    }
}
