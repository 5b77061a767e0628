//! Batteries of sites without mains: charge and endurance.
//!
//! Knows watt-hours and watts; a site's draw depends on its cells, so that sleep extends the
//! endurance. Refuses to know why mains is away ([`crate::state`]). Read next:
//! `simulation/mobile.rs`.

use domain::inventory::ElementId;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The share of its charge below which a battery is low.
pub const LOW: f64 = 0.3;
/// The time to recharge an empty battery once mains is back, in seconds.
const RECHARGE_S: f64 = 8.0 * 3600.0;

/// A threshold of a battery's charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Low, below [`LOW`].
    Low,
    /// Empty.
    Empty,
}

/// A threshold that a battery has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The threshold.
    pub level: Level,
    /// The trouble that took away the mains of its site.
    pub trouble: usize,
    /// The instant of the next check with its version; none if there is none.
    pub next: Option<(Timestamp, u32)>,
}

/// A battery that feeds its site, or did recently.
#[derive(Clone, Debug, PartialEq)]
struct Battery {
    /// Its capacity, in Wh.
    full_wh: f64,
    /// Its charge at `since`, in Wh.
    charge_wh: f64,
    since: Timestamp,
    /// The power its site draws from it, in watts; none with mains.
    drawn_w: Option<f64>,
    /// The trouble that took away the mains.
    trouble: usize,
    low: bool,
    version: u32,
}

/// All batteries that are not at rest and full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batteries {
    of: BTreeMap<ElementId, Battery>,
}

impl Battery {
    fn charge_at(&self, now: Timestamp) -> f64 {
        let seconds = now.seconds_since(self.since).max(0.0);
        let gained_w = self
            .drawn_w
            .map_or(self.full_wh / (RECHARGE_S / 3600.0), |w| -w);
        (self.charge_wh + gained_w * seconds / 3600.0).clamp(0.0, self.full_wh)
    }

    fn settle(&mut self, now: Timestamp) {
        self.charge_wh = self.charge_at(now);
        self.since = now;
        self.version += 1;
    }

    fn next(&self) -> Option<Timestamp> {
        let watts = self.drawn_w.filter(|w| *w > 0.0)?;
        let keeps = if self.low { 0.0 } else { LOW * self.full_wh };
        let seconds = (self.charge_wh - keeps).max(0.0) / watts * 3600.0;
        Some(self.since.plus_s(seconds))
    }
}

impl Batteries {
    /// Starts feeding a site from its battery, because `trouble` took away the mains; its capacity
    /// is `full_wh` if it was not in use lately. No effect if it feeds the site already.
    pub fn mains_lost(&mut self, site: &ElementId, trouble: usize, full_wh: f64, now: Timestamp) {
        let battery = self.of.entry(site.clone()).or_insert(Battery {
            full_wh,
            charge_wh: full_wh,
            since: now,
            drawn_w: None,
            trouble,
            low: false,
            version: 0,
        });
        if battery.drawn_w.is_none() {
            battery.settle(now);
            battery.drawn_w = Some(0.0);
            battery.trouble = trouble;
        }
    }

    /// Restores the mains of a site, unless another trouble keeps it away.
    pub fn mains_back(&mut self, site: &ElementId, other: Option<usize>, now: Timestamp) {
        if let Some(battery) = self.of.get_mut(site) {
            match other {
                Some(trouble) => battery.trouble = trouble,
                None => {
                    battery.settle(now);
                    battery.drawn_w = None;
                    battery.low = false;
                }
            }
        }
    }

    /// The sites that run on their batteries.
    pub fn sites(&self) -> impl Iterator<Item = &ElementId> {
        let feeding = self.of.iter().filter(|(_, b)| b.drawn_w.is_some());
        feeding.map(|(site, _)| site)
    }

    /// Sets the power that a site draws, in watts: returns the instant of the next check of its
    /// battery with the version of that check; none if nothing changed.
    pub fn draw(
        &mut self,
        site: &ElementId,
        watts: f64,
        now: Timestamp,
    ) -> Option<(Timestamp, u32)> {
        let battery = self.of.get_mut(site)?;
        let before = battery.drawn_w?;
        if (before - watts).abs() < 1e-6 {
            return None;
        }
        battery.settle(now);
        battery.drawn_w = Some(watts);
        battery.next().map(|at| (at, battery.version))
    }

    /// The threshold that a battery has reached at the check of `version`; none if the check is
    /// outdated.
    pub fn due(&mut self, site: &ElementId, version: u32, now: Timestamp) -> Option<Due> {
        let battery = self.of.get_mut(site)?;
        if battery.version != version || battery.drawn_w.is_none() {
            return None;
        }
        battery.settle(now);
        let level = match battery.low {
            true => Level::Empty,
            false => Level::Low,
        };
        battery.low = true;
        let ahead = battery.next().filter(|_| level == Level::Low);
        Some(Due {
            level,
            trouble: battery.trouble,
            next: ahead.map(|at| (at, battery.version)),
        })
    }

    /// The remaining charge of a battery that feeds its site, 0 to 100 %.
    pub fn percent(&self, site: &ElementId, now: Timestamp) -> Option<f64> {
        let battery = self.of.get(site)?;
        battery.drawn_w?;
        Some(100.0 * battery.charge_at(now) / battery.full_wh)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Timestamp {
        Timestamp::from_ms(1_000_000).plus_s(seconds)
    }

    #[test]
    fn a_battery_lasts_as_long_as_what_is_drawn_lets_it() {
        let site = ElementId::new("site:X-001");
        let mut batteries = Batteries::default();
        batteries.mains_lost(&site, 3, 100.0, at(0.0));
        let (low, version) = batteries.draw(&site, 100.0, at(0.0)).unwrap();
        assert_eq!(low, at(0.7 * 3600.0));
        assert_eq!(batteries.percent(&site, at(1800.0)), Some(50.0));
        // Half of the cells go to sleep after half an hour.
        let (low, second) = batteries.draw(&site, 50.0, at(1800.0)).unwrap();
        assert_eq!(low, at(1800.0 + 0.4 * 3600.0));
        assert_eq!(batteries.draw(&site, 50.0, at(1801.0)), None);
        assert_eq!(batteries.due(&site, version, at(2520.0)), None);
        let due = batteries.due(&site, second, low).unwrap();
        assert_eq!((due.level, due.trouble), (Level::Low, 3));
        let (empty, third) = due.next.unwrap();
        assert_eq!(empty, at(1800.0 + 3600.0));
        let end = batteries.due(&site, third, empty).unwrap();
        assert_eq!((end.level, end.next), (Level::Empty, None));
        batteries.mains_back(&site, None, at(7200.0));
        assert_eq!(batteries.percent(&site, at(7200.0)), None);
        // Four hours of eight: half of it is there again.
        batteries.mains_lost(&site, 4, 100.0, at(7200.0 + 4.0 * 3600.0));
        let percent = batteries.percent(&site, at(7200.0 + 4.0 * 3600.0)).unwrap();
        assert!((percent - 50.0).abs() < 1e-6, "{percent}");
    }
}
