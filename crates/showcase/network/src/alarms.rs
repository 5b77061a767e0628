//! How management systems tell of conditions: late, twice, out of order, or not at all.
//!
//! Knows delays, losses and words; refuses to know causes: an alarm is made from a
//! [`Sighting`], which names what is seen and by whom, never why. Read next: [`crate::noise`].

use crate::chance::{between, happens};
use crate::state::Sighting;
use domain::telemetry::{Alarm, AlarmType, Severity};
use domain::time::{Dice, Timestamp};

/// How one type of alarm is noticed and delivered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manner {
    /// Seconds from the condition to the element's noticing: shortest and longest.
    pub notice_s: (f64, f64),
    /// Seconds from noticing to delivery, if all goes well.
    pub deliver_s: (f64, f64),
    /// Seconds from the end of the condition to the noticing of that.
    pub clear_s: (f64, f64),
    /// The share of alarms that never arrive.
    pub lost: f64,
    /// How bad it is.
    pub severity: Severity,
}

/// How alarms of `alarm_type` come. Light is missed at once, routing protocols wait for their
/// timers, management systems for heartbeats; a card's death is often hidden by its own silence.
pub fn manner(alarm_type: AlarmType) -> Manner {
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
    };
    Manner {
        notice_s,
        deliver_s,
        clear_s,
        lost,
        severity,
    }
}

/// The share of alarms that are delivered twice.
const TWICE: f64 = 0.07;
/// The share that comes minutes late.
const STRAGGLING: f64 = 0.05;
/// How late those are, in seconds.
const STRAGGLING_S: (f64, f64) = (120.0, 600.0);
/// The share of losses of light that flap once before they stay.
const FLAPPING: f64 = 0.08;
/// The share of links with both ends cut off that the routing protocol's view still reports.
const AGED_OUT: f64 = 0.25;

/// When a condition that begins at `begin` is noticed. `isolated`: neither end of the link can
/// report, so that only the ageing of what was announced tells, minutes later and seldom; then
/// none means that it is never noticed.
pub fn noticed(
    sighting: &Sighting,
    begin: Timestamp,
    isolated: bool,
    dice: &mut Dice,
) -> Option<Timestamp> {
    if isolated && sighting.alarm_type == AlarmType::LinkDown {
        return happens(dice, AGED_OUT).then(|| begin.plus_s(between(dice, 60.0, 180.0)));
    }
    let (low, high) = manner(sighting.alarm_type).notice_s;
    Some(begin.plus_s(between(dice, low, high)))
}

/// The deliveries of a condition noticed at `time`; empty if the alarm is lost.
pub fn raised(sighting: &Sighting, time: Timestamp, dice: &mut Dice) -> Vec<(Timestamp, Alarm)> {
    if happens(dice, manner(sighting.alarm_type).lost) {
        return Vec::new();
    }
    let alarm = alarm(sighting, time, false);
    let mut deliveries = delivered(&alarm, dice);
    if sighting.alarm_type == AlarmType::LossOfSignal && happens(dice, FLAPPING) {
        let pause = between(dice, 2.0, 8.0);
        for (after, cleared) in [(pause, true), (2.0 * pause, false)] {
            let again = self::alarm(sighting, time.plus_s(after), cleared);
            deliveries.extend(delivered(&again, dice));
        }
    }
    deliveries
}

/// The deliveries of the end, at `end`, of a condition that was reported. Never lost: management
/// systems compare their alarm lists (RFC 8632, §4.4) with the elements'.
pub fn cleared(sighting: &Sighting, end: Timestamp, dice: &mut Dice) -> Vec<(Timestamp, Alarm)> {
    let (low, high) = manner(sighting.alarm_type).clear_s;
    let time = end.plus_s(between(dice, low, high));
    delivered(&alarm(sighting, time, true), dice)
}

/// When `alarm` arrives: once, or twice.
pub fn delivered(alarm: &Alarm, dice: &mut Dice) -> Vec<(Timestamp, Alarm)> {
    let (low, high) = manner(alarm.alarm_type).deliver_s;
    let mut delay = between(dice, low, high);
    if happens(dice, STRAGGLING) {
        delay += between(dice, STRAGGLING_S.0, STRAGGLING_S.1);
    }
    let mut deliveries = vec![(alarm.time.plus_s(delay), alarm.clone())];
    if happens(dice, TWICE) {
        let again = delay + between(dice, 0.5, 40.0);
        deliveries.push((alarm.time.plus_s(again), alarm.clone()));
    }
    deliveries
}

/// The alarm itself, in words.
pub fn alarm(sighting: &Sighting, time: Timestamp, cleared: bool) -> Alarm {
    let Sighting {
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
        }
    };
    Alarm {
        resource: resource.clone(),
        alarm_type: *alarm_type,
        severity: manner(*alarm_type).severity,
        time,
        cleared,
        text,
    }
}
