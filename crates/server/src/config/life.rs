//! The section `[life]`: spontaneous faults and users of the simulated network, which is otherwise
//! at rest.
//!
//! The presence of the section enables them; missing settings have defaults. The rates at 1 are in
//! `network::fault::LIFE`, and the pace in `network::fault::PACE`; the simulated network uses these
//! figures. Read next: [`crate::config`].

use super::error::SettingsError;
use super::range::range;
use serde::Deserialize;

/// The section `[life]`, as far as it is given.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LifeSettings {
    /// `faults`: the rate of spontaneous faults, storms among them, 0 to 100 times that of a day of
    /// `simulate`, which is ten real ones; 1 by default.
    pub faults: Option<f64>,
    /// `drivers`: the number of connected vehicles whose drivers complain, 0 to 200; 120 by
    /// default.
    pub drivers: Option<usize>,
    /// `stadiums-per-day`: the number of stadium events a day, 0 to 24; 1 by default.
    pub stadiums_per_day: Option<f64>,
}

impl LifeSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            faults: self.faults.or(below.faults),
            drivers: self.drivers.or(below.drivers),
            stadiums_per_day: self.stadiums_per_day.or(below.stadiums_per_day),
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        range("faults of [life]", self.faults, (0.0, 100.0), "0 to 100")?;
        let drivers = self.drivers.map(|n| n as f64);
        range("drivers of [life]", drivers, (0.0, 200.0), "0 to 200")?;
        let stadiums = self.stadiums_per_day;
        range(
            "stadiums-per-day of [life]",
            stadiums,
            (0.0, 24.0),
            "0 to 24",
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Settings;
    use super::super::tests::refused;
    use super::*;

    #[test]
    fn what_cannot_be_is_named_with_its_range() {
        for good in ["[life]", "[life]\nfaults = 0\ndrivers = 0", "speed = 600"] {
            assert_eq!(refused(good), None, "{good}");
        }
        for (text, why) in [
            (
                "[life]\nfaults = -1",
                "faults of [life] is -1; it must be 0 to 100",
            ),
            (
                "[life]\nfaults = nan",
                "faults of [life] is NaN; it must be 0 to 100",
            ),
            (
                "[life]\ndrivers = 201",
                "drivers of [life] is 201; it must be 0 to 200",
            ),
            (
                "[life]\nstadiums-per-day = 25",
                "stadiums-per-day of [life] is 25; it must be 0 to 24",
            ),
            ("speed = 0.5", "speed is 0.5; it must be 1 to 600"),
            ("speed = inf", "speed is inf; it must be 1 to 600"),
        ] {
            assert_eq!(refused(text).as_deref(), Some(why));
        }
        assert!(
            refused("[life]\nstorms = 1")
                .unwrap()
                .contains("unknown field")
        );
    }

    #[test]
    fn a_flag_makes_it_live_as_the_file_says() {
        let parsed = |text| toml::from_str::<Settings>(text).unwrap();
        let flag = Settings {
            life: Some(LifeSettings::default()),
            ..Settings::default()
        };
        let both = flag.clone().over(parsed("[life]\nfaults = 3"));
        assert_eq!(both.life.unwrap().faults, Some(3.0));
        assert_eq!(flag.over(parsed("")).life, Some(LifeSettings::default()));
        assert_eq!(Settings::default().over(parsed("")).life, None);
    }
}
