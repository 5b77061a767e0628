//! A user's own record of alarms, replayed as background.
//!
//! Knows the format of the NeurIPS 2023 set and how it is applied to a network; refuses to read
//! files. The text has one alarm per line under a heading, fields separated by commas, all
//! required:
//! ```text
//! alarm_id,device_id,start_timestamp,end_timestamp
//! 56,3,82475,82506
//! link-down,router:Berlin,82500.5,82530
//! ```
//! Times are seconds from the beginning of the simulation. An end that lies up to ten minutes before
//! its beginning counts as the same instant: clocks are set, and ten of the 30 691 alarms of that set
//! end 1 to 126 seconds before they begin (the first in line 8595). A type that is a name of
//! [`AlarmType`], or a probable cause of ITU-T X.733 that means one, is that type; another name is
//! [`AlarmType::Unknown`]; numbers are mapped to the five types of the background by rank of
//! frequency, cyclically. A device that is the name of an element of the network is that element; the others
//! are mapped to the network's routers and sites in order (numbers by value, names alphabetically),
//! cyclically. Types of links (light, adjacency, bit errors, drops) are raised on the first of the
//! device's links; all others on the device itself.

use super::{NoiseBurst, TYPES, is_device};
use crate::state::ObservableCondition;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::AlarmType;
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeMap;

/// One alarm of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its type: a name, or a number.
    pub alarm_type: String,
    /// The device that raised it: a name, or a number.
    pub device: String,
    /// Its beginning, in seconds from the beginning of the simulation.
    pub from_s: f64,
    /// Its end, in the same unit; not before its beginning.
    pub until_s: f64,
}

/// The reason why a text is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct AlarmRecordError {
    /// The line at fault, from 1.
    pub line: usize,
    /// The error.
    pub reason: String,
}

const COLUMNS: [&str; 4] = ["alarm_id", "device_id", "start_timestamp", "end_timestamp"];
/// The most by which an alarm may end before it begins, in seconds: a clock that was set meanwhile.
const CLOCK_SET_S: f64 = 600.0;
/// The latest time of an alarm: ten years, in seconds.
const LATEST_S: f64 = 10.0 * 365.0 * 86_400.0;

/// Reads a record; lines may end in CR LF, and empty ones are ignored.
///
/// # Errors
/// [`AlarmRecordError`] with the first line that is not understood.
pub fn parse(text: &str) -> Result<Vec<Recorded>, AlarmRecordError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut columns: Option<[usize; 4]> = None;
    let mut alarms = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line
            .split(',')
            .map(|f| f.trim().trim_matches('"'))
            .collect();
        if fields == [""] {
            continue;
        }
        let place = |reason: String| AlarmRecordError {
            line: index + 1,
            reason,
        };
        match columns {
            None => columns = Some(heading(&fields).map_err(place)?),
            Some(columns) => alarms.push(alarm(&fields, columns).map_err(place)?),
        }
    }
    match columns {
        Some(_) => Ok(alarms),
        None => Err(AlarmRecordError {
            line: 1,
            reason: format!("the heading '{}' is missing", COLUMNS.join(",")),
        }),
    }
}

/// The index of each column.
fn heading(fields: &[&str]) -> Result<[usize; 4], String> {
    let mut places = [0; 4];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        *place = fields
            .iter()
            .position(|field| field.eq_ignore_ascii_case(column))
            .ok_or_else(|| format!("the heading has no column '{column}'"))?;
    }
    Ok(places)
}

fn alarm(fields: &[&str], columns: [usize; 4]) -> Result<Recorded, String> {
    let mut found = [""; 4];
    for ((field, column), name) in found.iter_mut().zip(columns).zip(COLUMNS) {
        *field = fields
            .get(column)
            .copied()
            .filter(|field| !field.is_empty())
            .ok_or_else(|| format!("'{name}' is missing"))?;
    }
    let [alarm_type, device, from, until] = found;
    let (from_s, until_s) = (seconds(from, COLUMNS[2])?, seconds(until, COLUMNS[3])?);
    if until_s + CLOCK_SET_S < from_s {
        return Err(format!(
            "it ends at {until}, more than {CLOCK_SET_S} s before it begins at {from}"
        ));
    }
    Ok(Recorded {
        alarm_type: alarm_type.to_owned(),
        device: device.to_owned(),
        from_s,
        until_s: until_s.max(from_s),
    })
}

fn seconds(text: &str, what: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|seconds| (0.0..=LATEST_S).contains(seconds))
        .ok_or_else(|| format!("{what} '{text}' is not a number from 0 to {LATEST_S}"))
}

/// Applies `alarms` to `inventory`, from the instant `start` on, in order of time.
pub(super) fn lay(
    inventory: &Inventory,
    alarms: &[Recorded],
    start: Timestamp,
    rng: &mut SeededRng,
) -> Vec<NoiseBurst> {
    let types = types(alarms);
    let devices = devices(inventory, alarms);
    let mut grumbles: Vec<NoiseBurst> = alarms
        .iter()
        .filter_map(|alarm| {
            let device = devices.get(alarm.device.as_str())?;
            let alarm_type = *types.get(alarm.alarm_type.as_str())?;
            let sighting = sighting(inventory, device, alarm_type);
            let (from, until) = (start.plus_s(alarm.from_s), start.plus_s(alarm.until_s));
            Some(NoiseBurst::of(sighting, from, until, rng))
        })
        .collect();
    grumbles.sort_by_key(|grumble| grumble.from);
    grumbles
}

fn types(alarms: &[Recorded]) -> BTreeMap<&str, AlarmType> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for alarm in alarms {
        *counts.entry(&alarm.alarm_type).or_default() += 1;
    }
    let mut numbered: Vec<(&str, usize)> = counts
        .iter()
        .filter(|(name, _)| named(name).is_none())
        .map(|(name, count)| (*name, *count))
        .collect();
    numbered.sort_by_key(|(_, count)| usize::MAX - count);
    let known = counts.keys().filter_map(|name| Some((*name, named(name)?)));
    let numbered = numbered.into_iter().zip(TYPES.iter().cycle());
    numbered
        .map(|((name, _), (alarm_type, _))| (name, *alarm_type))
        .chain(known)
        .collect()
}

/// The type that a name means; none for numbers, which mean nothing here.
fn named(name: &str) -> Option<AlarmType> {
    if name.parse::<f64>().is_ok() {
        return None;
    }
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let by_cause = || PROBABLE_CAUSES.iter().find(|(cause, _)| *cause == plain);
    let known = AlarmType::parse(name).or_else(|| Some(by_cause()?.1));
    Some(known.unwrap_or(AlarmType::Unknown))
}

/// Probable causes of ITU-T X.733 (and M.3100), without case and hyphens, that mean a type here.
const PROBABLE_CAUSES: [(&str, AlarmType); 9] = [
    ("lossofsignal", AlarmType::LossOfSignal),
    ("degradedsignal", AlarmType::SignalDegraded),
    ("excessivebiterrorrate", AlarmType::SignalDegraded),
    ("congestion", AlarmType::Congestion),
    ("powerproblem", AlarmType::MainsFailure),
    ("timingproblem", AlarmType::ClockUnsynchronised),
    ("temperatureunacceptable", AlarmType::TemperatureHigh),
    (
        "heatingventcoolingsystemproblem",
        AlarmType::TemperatureHigh,
    ),
    ("equipmentmalfunction", AlarmType::CardFailure),
];

fn devices<'a>(inventory: &Inventory, alarms: &'a [Recorded]) -> BTreeMap<&'a str, ElementId> {
    let mut names: Vec<&str> = alarms.iter().map(|alarm| alarm.device.as_str()).collect();
    names.sort_by_key(|name| (name.parse::<u64>().ok(), *name));
    names.dedup();
    let known = |name: &str| {
        let id = ElementId::new(name);
        inventory.element(&id).map(|_| id)
    };
    let network: Vec<&ElementId> = inventory
        .elements
        .values()
        .filter(|element| is_device(element))
        .map(|element| &element.id)
        .collect();
    let mut free = network.into_iter().cycle();
    names
        .into_iter()
        .filter_map(|name| Some((name, known(name).or_else(|| free.next().cloned())?)))
        .collect()
}

/// The sighting that an alarm of this type from `device` reports.
fn sighting(
    inventory: &Inventory,
    device: &ElementId,
    alarm_type: AlarmType,
) -> ObservableCondition {
    let node = inventory.node_of(device);
    let of_link = matches!(
        alarm_type,
        AlarmType::SignalDegraded
            | AlarmType::Congestion
            | AlarmType::LossOfSignal
            | AlarmType::LinkDown
    );
    let is_link = inventory.element(device).map(|e| e.kind) == Some(ElementKind::Link);
    let mut links = inventory.links.iter();
    let own = links.find(|(_, link)| {
        of_link && (inventory.node_of(&link.a) == node || inventory.node_of(&link.b) == node)
    });
    let seen_by = match inventory.links.get(device) {
        Some(link) => inventory.node_of(&link.a),
        None => node,
    };
    ObservableCondition {
        resource: match own {
            Some((link, _)) if !is_link => link.clone(),
            _ => device.clone(),
        },
        alarm_type,
        seen_by: seen_by.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::build::{Parameters, inventory};
    use crate::chance::stream;
    use crate::topology::Backbone;
    use proptest::prelude::*;

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    const HEAD: &str = "alarm_id,device_id,start_timestamp,end_timestamp\n";

    #[test]
    fn refusals_name_the_line() {
        insta::assert_snapshot!(refusal(""), @"line 1: the heading 'alarm_id,device_id,start_timestamp,end_timestamp' is missing");
        insta::assert_snapshot!(refusal("\na,b\n"), @"line 2: the heading has no column 'alarm_id'");
        insta::assert_snapshot!(refusal(&format!("{HEAD}1,2,3\n")), @"line 2: 'end_timestamp' is missing");
        insta::assert_snapshot!(refusal(&format!("{HEAD}1,2,3,4\n\n1,2,x,4")), @"line 4: start_timestamp 'x' is not a number from 0 to 315360000");
        insta::assert_snapshot!(refusal(&format!("{HEAD}1,2,900,4\n")), @"line 2: it ends at 4, more than 600 s before it begins at 900");
    }

    #[test]
    fn numbers_and_names_are_laid_over_the_network_in_order() {
        let polska = Backbone::named("Polska").unwrap();
        let network = inventory(&polska, &Parameters::default(), 1);
        let text = format!(
            "{HEAD}7,10,60,90\r\n7,9,30,40\nlink-down,router:Lodz,5,6\n8,9,100,100.5\n\
             cell-degraded,10,7,8\n"
        );
        let laid = lay(
            &network,
            &parse(&text).unwrap(),
            Timestamp::from_ms(0),
            &mut stream(1, 0),
        );
        let told: Vec<String> = laid
            .iter()
            .map(|g| {
                let s = &g.sighting;
                let at = g.from.as_ms();
                format!(
                    "{at} {} {} by {}",
                    s.alarm_type.as_str(),
                    s.resource,
                    s.seen_by
                )
            })
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        5000 link-down link:Katowice-Lodz by router:Lodz
        7000 cell-degraded router:Bydgoszcz by router:Bydgoszcz
        30000 signal-degraded link:Bialystok-BI-001 by router:Bialystok
        60000 signal-degraded link:Bydgoszcz-BY-001 by router:Bydgoszcz
        100000 congestion link:Bialystok-BI-001 by router:Bialystok
        ");
    }

    #[test]
    fn a_clock_that_was_set_makes_an_alarm_without_length() {
        let alarms = parse(&format!("{HEAD}30,12,397878,397877\n")).unwrap();
        assert_eq!(
            (alarms[0].from_s, alarms[0].until_s),
            (397_878.0, 397_878.0)
        );
    }

    #[test]
    fn names_are_kept_where_they_mean_something_and_unknown_where_not() {
        assert_eq!(named("link-down"), Some(AlarmType::LinkDown));
        assert_eq!(named("lossOfSignal"), Some(AlarmType::LossOfSignal));
        assert_eq!(named("degraded-signal"), Some(AlarmType::SignalDegraded));
        assert_eq!(named("flux-capacitor"), Some(AlarmType::Unknown));
        assert_eq!(named("56"), None);
    }

    #[test]
    fn the_first_word_of_each_column_may_stand_anywhere() {
        let text = "end_timestamp,DEVICE_ID,alarm_id,start_timestamp\n9,d,t,4\n";
        let alarms = parse(text).unwrap();
        assert_eq!((alarms[0].from_s, alarms[0].until_s), (4.0, 9.0));
        assert_eq!((&*alarms[0].device, &*alarms[0].alarm_type), ("d", "t"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-z0-9,.\\n\\r\" -]{0,200}", head in any::<bool>()) {
            let text = if head { format!("{HEAD}{text}") } else { text };
            if let Ok(alarms) = parse(&text) {
                prop_assert!(alarms.iter().all(|a| a.until_s >= a.from_s));
            }
        }
    }
}
