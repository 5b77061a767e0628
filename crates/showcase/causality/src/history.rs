//! A history of alarms: which type began at which device when, and which devices are adjacent.
//!
//! Ends of alarms are not kept: nothing is learnt from them. All is sorted by name, numbers by
//! value, so that the order of lines leaves no trace. Read next: `neighbourhood`.

use crate::links::DeviceLinks;
use std::collections::BTreeMap;
use std::ops::Range;

/// The most alarms of a history.
pub const ALARMS_MAX: usize = 10_000_000;
/// The most alarm types of a history.
pub const TYPES_MAX: usize = 1_000;
/// The most devices of a history.
pub const DEVICES_MAX: usize = 100_000;
/// The most bytes of the name of a type or of a device.
pub const NAME_BYTES_MAX: usize = 256;

/// The reason why alarms are no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// There is no alarm.
    #[error("it holds no alarm")]
    Empty,
    /// There are too many alarms.
    #[error("there are more than {ALARMS_MAX} alarms")]
    Alarms,
    /// There are too many types.
    #[error("there are more than {TYPES_MAX} alarm types")]
    Types,
    /// There are too many devices.
    #[error("there are more than {DEVICES_MAX} devices")]
    Devices,
    /// A name is too long.
    #[error("a name is longer than {NAME_BYTES_MAX} bytes")]
    Name,
    /// The topology is of other devices.
    #[error("no link of the topology joins two devices that have alarms")]
    ForeignLinks,
}

/// A history of alarms.
#[derive(Clone, Debug)]
pub struct AlarmHistory {
    types: Vec<String>,
    devices: usize,
    /// Beginnings in seconds, by device, then by type, then ascending.
    starts: Vec<i64>,
    /// Of each device the types that it raised, with their place in `starts`.
    raised: Vec<Vec<(usize, Range<usize>)>>,
    /// Of each device its adjacent ones; none without a topology.
    adjacent: Option<Vec<Vec<usize>>>,
    span_s: [i64; 2],
}

impl AlarmHistory {
    /// The names of the alarm types.
    pub fn types(&self) -> &[String] {
        &self.types
    }

    /// The number of devices that raised alarms.
    pub fn devices(&self) -> usize {
        self.devices
    }

    /// The number of alarms.
    pub fn alarms(&self) -> usize {
        self.starts.len()
    }

    /// The number of links between devices that raised alarms; none without a topology.
    pub fn links(&self) -> Option<usize> {
        let adjacent = self.adjacent.as_ref()?;
        Some(adjacent.iter().map(Vec::len).sum::<usize>() / 2)
    }

    /// The first and the last beginning of an alarm, in seconds.
    pub fn span_s(&self) -> [i64; 2] {
        self.span_s
    }

    /// The number of alarms of each type.
    pub fn alarms_by_type(&self) -> Vec<usize> {
        let mut counts = vec![0; self.types.len()];
        for (alarm_type, place) in self.raised.iter().flatten() {
            counts[*alarm_type] += place.len();
        }
        counts
    }

    /// The length of the history in seconds, its last second included.
    pub(crate) fn length_s(&self) -> f64 {
        (self.span_s[1] + 1 - self.span_s[0]) as f64
    }

    /// The types that a device raised, ascending, each with its times.
    pub(crate) fn raised(&self, device: usize) -> impl Iterator<Item = (usize, &[i64])> {
        let raised = self.raised[device].iter();
        raised.map(|(alarm_type, place)| (*alarm_type, &self.starts[place.clone()]))
    }

    /// The times of one type at a device.
    pub(crate) fn times(&self, device: usize, alarm_type: usize) -> &[i64] {
        let raised = &self.raised[device];
        match raised.binary_search_by_key(&alarm_type, |(raised, _)| *raised) {
            Ok(place) => &self.starts[raised[place].1.clone()],
            Err(_) => &[],
        }
    }

    /// The devices adjacent to this one.
    pub(crate) fn adjacent(&self, device: usize) -> &[usize] {
        let adjacent = self.adjacent.as_ref();
        adjacent.map_or(&[], |adjacent| &adjacent[device])
    }
}

/// A history that grows alarm by alarm.
#[derive(Debug, Default)]
pub struct HistoryBuilder {
    types: BTreeMap<String, usize>,
    devices: BTreeMap<String, usize>,
    alarms: Vec<RaisedAlarm>,
}

/// An alarm, its names by the order in which they were first met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RaisedAlarm {
    device: u32,
    alarm_type: u32,
    start_s: i64,
}

impl HistoryBuilder {
    /// Adds an alarm by its type, its device and its beginning in seconds.
    ///
    /// # Errors
    /// [`HistoryError`] if a bound is exceeded.
    pub fn push(
        &mut self,
        alarm_type: &str,
        device: &str,
        start_s: i64,
    ) -> Result<(), HistoryError> {
        if self.alarms.len() >= ALARMS_MAX {
            return Err(HistoryError::Alarms);
        }
        let alarm_type = known(&mut self.types, alarm_type, TYPES_MAX, HistoryError::Types)?;
        let device = known(
            &mut self.devices,
            device,
            DEVICES_MAX,
            HistoryError::Devices,
        )?;
        self.alarms.push(RaisedAlarm {
            device,
            alarm_type,
            start_s,
        });
        Ok(())
    }

    /// The history, with the links between its devices if there is a topology.
    ///
    /// # Errors
    /// [`HistoryError::Empty`] without alarms; [`HistoryError::ForeignLinks`] if no link of the
    /// topology joins two of its devices.
    pub fn finish(mut self, links: Option<&DeviceLinks>) -> Result<AlarmHistory, HistoryError> {
        let (types, type_places) = sorted(&self.types);
        let (devices, device_places) = sorted(&self.devices);
        for alarm in &mut self.alarms {
            alarm.alarm_type = type_places[alarm.alarm_type as usize];
            alarm.device = device_places[alarm.device as usize];
        }
        self.alarms.sort_unstable();
        let times = || self.alarms.iter().map(|alarm| alarm.start_s);
        let span_s = times().min().zip(times().max());
        let (first, last) = span_s.ok_or(HistoryError::Empty)?;
        Ok(AlarmHistory {
            adjacent: links.map(|links| adjacency(links, &devices)).transpose()?,
            raised: raised(&self.alarms, devices.len()),
            starts: times().collect(),
            span_s: [first, last],
            devices: devices.len(),
            types,
        })
    }
}

/// The number of a name, a new one if it is met for the first time.
fn known(
    names: &mut BTreeMap<String, usize>,
    name: &str,
    most: usize,
    over: HistoryError,
) -> Result<u32, HistoryError> {
    let number = match names.get(name) {
        Some(number) => *number,
        None if name.len() > NAME_BYTES_MAX => return Err(HistoryError::Name),
        None if names.len() >= most => return Err(over),
        None => {
            let number = names.len();
            names.insert(name.to_owned(), number);
            number
        }
    };
    Ok(u32::try_from(number).expect("the bounds are below"))
}

/// The names in order, numbers by value; and of each number that was given its place there.
fn sorted(names: &BTreeMap<String, usize>) -> (Vec<String>, Vec<u32>) {
    let mut order: Vec<(&String, usize)> = names.iter().map(|(name, n)| (name, *n)).collect();
    order.sort_by_key(|(name, _)| (name.parse::<u64>().ok(), *name));
    let mut places = vec![0; order.len()];
    for (place, (_, number)) in (0..).zip(&order) {
        places[*number] = place;
    }
    let names = order.into_iter().map(|(name, _)| name.clone()).collect();
    (names, places)
}

/// The runs of equal type in sorted alarms, device by device.
fn raised(alarms: &[RaisedAlarm], devices: usize) -> Vec<Vec<(usize, Range<usize>)>> {
    let mut raised = vec![Vec::new(); devices];
    let mut from = 0;
    for run in alarms.chunk_by(|a, b| (a.device, a.alarm_type) == (b.device, b.alarm_type)) {
        let place = from..from + run.len();
        from = place.end;
        raised[run[0].device as usize].push((run[0].alarm_type as usize, place));
    }
    raised
}

fn adjacency(links: &DeviceLinks, devices: &[String]) -> Result<Vec<Vec<usize>>, HistoryError> {
    let places: BTreeMap<&str, usize> = devices.iter().map(String::as_str).zip(0..).collect();
    let mut adjacent = vec![Vec::new(); devices.len()];
    for (a, b) in links.pairs() {
        let (Some(&a), Some(&b)) = (places.get(a), places.get(b)) else {
            continue;
        };
        if a != b {
            adjacent[a].push(b);
            adjacent[b].push(a);
        }
    }
    for devices in &mut adjacent {
        devices.sort_unstable();
        devices.dedup();
    }
    match adjacent.iter().all(Vec::is_empty) {
        true => Err(HistoryError::ForeignLinks),
        false => Ok(adjacent),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_links_between_strangers_ignored() {
        let mut builder = HistoryBuilder::default();
        for (alarm_type, device, start_s) in [("10", "b", 7), ("9", "a", 5), ("los", "a", 6)] {
            builder.push(alarm_type, device, start_s).unwrap();
        }
        let links = DeviceLinks::from_text("a,b\nb,a\na,a\na,z\n").unwrap();
        let history = builder.finish(Some(&links)).unwrap();
        assert_eq!(history.types(), ["los", "9", "10"]);
        assert_eq!((history.devices(), history.links()), (2, Some(1)));
        assert_eq!(
            history.raised(0).collect::<Vec<_>>(),
            [(0, &[6][..]), (1, &[5])]
        );
        assert_eq!(history.times(1, 2), [7]);
        assert!(history.times(1, 0).is_empty());
        assert_eq!(history.adjacent(1), [0]);
    }

    #[test]
    fn a_topology_of_other_devices_is_refused() {
        let mut builder = HistoryBuilder::default();
        builder.push("t", "a", 1).unwrap();
        let links = DeviceLinks::from_text("x,y\n").unwrap();
        let refused = builder.finish(Some(&links)).unwrap_err();
        assert_eq!(refused, HistoryError::ForeignLinks);
    }
}
