//! Histories and graphs that tests begin with, all invented.

use crate::graph::{CausalEdge, CausalGraph, RankedType};
use crate::history::{AlarmHistory, HistoryBuilder};
use crate::links::DeviceLinks;

/// Numbers that look random, the same for the same seed (SplitMix64).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// A number from 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number of seconds from 0 to below `end`.
    pub(crate) fn second(&mut self, end: i64) -> i64 {
        (self.share() * end as f64) as i64
    }

    /// A delay from one second to many, about as often at every scale up to five minutes.
    pub(crate) fn delay(&mut self) -> i64 {
        (self.share() * 300_f64.ln()).exp() as i64
    }
}

/// An alarm: its type, its device, its beginning.
pub(crate) type Alarm = (String, String, i64);

/// A history of these alarms.
pub(crate) fn history<'a>(
    alarms: impl IntoIterator<Item = &'a Alarm>,
    links: Option<&str>,
) -> AlarmHistory {
    let mut builder = HistoryBuilder::default();
    for (alarm_type, device, start_s) in alarms {
        let pushed = builder.push(alarm_type, device, *start_s);
        pushed.expect("tests keep to the bounds");
    }
    let links = links.map(|text| DeviceLinks::from_text(text).expect("tests write links"));
    let finished = builder.finish(links.as_ref());
    finished.expect("tests have alarms")
}

/// A graph of four types: power causes los, los causes bgp, and so power causes bgp; a fan by
/// itself.
pub(crate) fn small() -> CausalGraph {
    let ranked = |name: &str, alarms, order| RankedType {
        name: name.to_owned(),
        alarms,
        order,
        spreads: (name == "los").then_some(0.25),
    };
    let edge = |cause: &str, effect: &str, strength, delay_s| CausalEdge {
        cause: cause.to_owned(),
        effect: effect.to_owned(),
        strength,
        order_gap: 0.5,
        gain: Some(40.25),
        delay_s,
        seen: 8,
        same_device: Some(0.75),
        over_link: Some(0.25),
    };
    CausalGraph {
        alarms: 130,
        devices: 12,
        links: Some(14),
        first_s: 5,
        last_s: 90_000,
        time_reliability: 0.8,
        attributed: true,
        types: vec![
            ranked("power", 20, 1.25),
            ranked("los", 40, 0.5),
            ranked("fan", 10, 0.0),
            ranked("bgp", 60, -1.25),
        ],
        edges: vec![
            edge("power", "los", 31.5, Some(4)),
            edge("los", "bgp", 12.25, Some(-2)),
            edge("power", "bgp", 6.0, None),
        ],
    }
}
