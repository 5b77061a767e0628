//! The delivery of alarms by management systems: late, duplicated, out of order, or lost.
//!
//! Knows delays, losses and alarm texts; refuses to know causes: an alarm is made from a
//! [`ObservableCondition`], which names the condition and its observer, never the reason. What errs
//! besides is in [`crate::errors`]. Read next: [`crate::noise`].

use crate::chance::{between, happens};
use crate::state::ObservableCondition;
use domain::telemetry::{Alarm, AlarmType, Severity};
use domain::time::{SeededRng, Timestamp};

/// The timing, loss and severity of one type of alarm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlarmTiming {
    /// Seconds from the condition to its detection by the element: shortest and longest.
    pub notice_s: (f64, f64),
    /// Seconds from detection to delivery, unless the alarm straggles: shortest and longest.
    pub deliver_s: (f64, f64),
    /// Seconds from the end of the condition to the detection of that: shortest and longest.
    pub clear_s: (f64, f64),
    /// The share of alarms that never arrive, 0 to 1.
    pub lost: f64,
    /// The perceived severity (RFC 8632).
    pub severity: Severity,
}

/// The timing and loss of alarms of `alarm_type`. Loss of light is detected at once, routing
/// protocols wait for their timers, management systems for heartbeats; a card that fails often
/// cannot report it.
pub fn manner(alarm_type: AlarmType) -> AlarmTiming {
    let (notice_s, deliver_s, clear_s, lost, severity) = match alarm_type {
        AlarmType::LossOfSignal => ((0.1, 2.0), (4.0, 30.0), (0.5, 3.0), 0.05, Severity::Major),
        AlarmType::LinkDown => ((3.0, 12.0), (4.0, 45.0), (5.0, 15.0), 0.06, Severity::Major),
        AlarmType::CardFailure => (
            (2.0, 12.0),
            (5.0, 30.0),
            (5.0, 30.0),
            0.30,
            Severity::Critical,
        ),
        AlarmType::NodeUnreachable => (
            (50.0, 110.0),
            (3.0, 15.0),
            (20.0, 60.0),
            0.04,
            Severity::Critical,
        ),
        AlarmType::SiteUnreachable => (
            (58.0, 165.0),
            (2.0, 15.0),
            (20.0, 90.0),
            0.06,
            Severity::Critical,
        ),
        AlarmType::CellsOutOfService => (
            (50.0, 120.0),
            (5.0, 60.0),
            (30.0, 150.0),
            0.07,
            Severity::Critical,
        ),
        AlarmType::MainsFailure => ((1.0, 5.0), (4.0, 40.0), (2.0, 10.0), 0.10, Severity::Major),
        AlarmType::SignalDegraded => ((1.0, 5.0), (4.0, 60.0), (2.0, 10.0), 0.03, Severity::Minor),
        AlarmType::TemperatureHigh => ((1.0, 5.0), (4.0, 60.0), (2.0, 10.0), 0.03, Severity::Minor),
        AlarmType::AntennaMismatch => ((1.0, 5.0), (4.0, 60.0), (2.0, 10.0), 0.03, Severity::Minor),
        AlarmType::ClockUnsynchronised => {
            ((1.0, 5.0), (4.0, 60.0), (2.0, 10.0), 0.03, Severity::Minor)
        }
        AlarmType::Congestion => (
            (1.0, 5.0),
            (4.0, 60.0),
            (2.0, 10.0),
            0.03,
            Severity::Warning,
        ),
        AlarmType::OpticalPowerLow => (
            (30.0, 90.0),
            (4.0, 30.0),
            (5.0, 30.0),
            0.05,
            Severity::Minor,
        ),
        AlarmType::CellUnavailable => (
            (5.0, 30.0),
            (3.0, 30.0),
            (10.0, 60.0),
            0.05,
            Severity::Major,
        ),
        AlarmType::CellDegraded => (
            (300.0, 900.0),
            (3.0, 30.0),
            (300.0, 900.0),
            0.05,
            Severity::Minor,
        ),
        AlarmType::InterferenceHigh => (
            (60.0, 300.0),
            (3.0, 30.0),
            (60.0, 300.0),
            0.08,
            Severity::Minor,
        ),
        AlarmType::BatteryLow => ((1.0, 5.0), (3.0, 30.0), (2.0, 10.0), 0.10, Severity::Major),
        AlarmType::Unknown => ((1.0, 5.0), (4.0, 60.0), (2.0, 10.0), 0.03, Severity::Minor),
    };
    AlarmTiming {
        notice_s,
        deliver_s,
        clear_s,
        lost,
        severity,
    }
}

/// The share of alarms that are delivered twice.
const TWICE: f64 = 0.07;
/// The share of alarms that are delayed by minutes.
const STRAGGLING: f64 = 0.05;
/// Their delay, in seconds.
const STRAGGLING_S: (f64, f64) = (120.0, 600.0);
/// The share of losses of light that flap once before they persist.
const FLAPPING: f64 = 0.08;
/// The share of links with both ends cut off that the routing protocol's database still reports.
const AGED_OUT: f64 = 0.25;

/// The instant at which a condition that begins at `begin` is detected. `isolated` means that
/// neither end of the link can report: then only the ageing of the link-state database reveals it,
/// minutes later and seldom, and none means never.
pub fn noticed(
    sighting: &ObservableCondition,
    begin: Timestamp,
    isolated: bool,
    rng: &mut SeededRng,
) -> Option<Timestamp> {
    if isolated && sighting.alarm_type == AlarmType::LinkDown {
        return happens(rng, AGED_OUT).then(|| begin.plus_s(between(rng, 60.0, 180.0)));
    }
    let (low, high) = manner(sighting.alarm_type).notice_s;
    Some(begin.plus_s(between(rng, low, high)))
}

/// The deliveries of an alarm for a condition detected at `time`; empty if the alarm is lost.
pub fn raised(
    sighting: &ObservableCondition,
    time: Timestamp,
    rng: &mut SeededRng,
) -> Vec<(Timestamp, Alarm)> {
    if happens(rng, manner(sighting.alarm_type).lost) {
        return Vec::new();
    }
    let alarm = alarm(sighting, time, false);
    let mut deliveries = delivered(&alarm, rng);
    if sighting.alarm_type == AlarmType::LossOfSignal && happens(rng, FLAPPING) {
        let pause = between(rng, 2.0, 8.0);
        for (after, cleared) in [(pause, true), (2.0 * pause, false)] {
            let again = self::alarm(sighting, time.plus_s(after), cleared);
            deliveries.extend(delivered(&again, rng));
        }
    }
    deliveries
}

/// The deliveries of the clearing, at `end`, of an alarm that was reported. Never lost: management
/// systems synchronise their alarm lists (RFC 8632, §4.4) with the elements.
pub fn cleared(
    sighting: &ObservableCondition,
    end: Timestamp,
    rng: &mut SeededRng,
) -> Vec<(Timestamp, Alarm)> {
    let (low, high) = manner(sighting.alarm_type).clear_s;
    let time = end.plus_s(between(rng, low, high));
    delivered(&alarm(sighting, time, true), rng)
}

/// The one or two instants at which `alarm` arrives.
pub fn delivered(alarm: &Alarm, rng: &mut SeededRng) -> Vec<(Timestamp, Alarm)> {
    let (low, high) = manner(alarm.alarm_type).deliver_s;
    let mut delay = between(rng, low, high);
    if happens(rng, STRAGGLING) {
        delay += between(rng, STRAGGLING_S.0, STRAGGLING_S.1);
    }
    let mut deliveries = vec![(alarm.time.plus_s(delay), alarm.clone())];
    if happens(rng, TWICE) {
        let again = delay + between(rng, 0.5, 40.0);
        deliveries.push((alarm.time.plus_s(again), alarm.clone()));
    }
    deliveries
}

/// The alarm of a sighting, with its text.
pub fn alarm(sighting: &ObservableCondition, time: Timestamp, cleared: bool) -> Alarm {
    let ObservableCondition {
        resource,
        alarm_type,
        seen_by,
    } = sighting;
    let text = if cleared {
        format!("{} on {resource} cleared", alarm_type.as_str())
    } else {
        match alarm_type {
            AlarmType::LossOfSignal => format!("no light from {resource} arrives at {seen_by}"),
            AlarmType::LinkDown => format!("adjacency over {resource} lost"),
            AlarmType::CardFailure => format!("{resource} does not answer {seen_by}"),
            AlarmType::NodeUnreachable => format!("{resource} does not answer polls"),
            AlarmType::SiteUnreachable => format!("heartbeats of {resource} are missing"),
            AlarmType::CellsOutOfService => format!("no cell of {resource} carries traffic"),
            AlarmType::MainsFailure => format!("{resource} has no mains and runs on battery"),
            AlarmType::SignalDegraded => format!("bit errors on {resource} above threshold"),
            AlarmType::TemperatureHigh => format!("cabinet temperature of {resource} too high"),
            AlarmType::AntennaMismatch => format!("antenna of {resource} reflects too much"),
            AlarmType::ClockUnsynchronised => format!("{resource} has lost its time reference"),
            AlarmType::Congestion => format!("packets dropped at {resource}"),
            AlarmType::OpticalPowerLow => format!("{resource} sends too little light"),
            AlarmType::CellUnavailable => format!("{resource} is not on air"),
            AlarmType::CellDegraded => format!("{resource} serves its users badly"),
            AlarmType::InterferenceHigh => format!("foreign power on the carrier of {resource}"),
            AlarmType::BatteryLow => format!("the batteries of {resource} are nearly empty"),
            AlarmType::Unknown => format!("an alarm on {resource} that has no name here"),
        }
    };
    Alarm {
        resource: resource.clone(),
        alarm_type: *alarm_type,
        qualifier: String::new(),
        severity: manner(*alarm_type).severity,
        time,
        cleared,
        text,
    }
}
