//! Settings are read, refused and told as they are documented; each error has its rate.

use super::*;

#[test]
fn settings_are_taken_and_told_again() {
    let mut errors = TelemetryErrors::none();
    errors.set_all("false-alarms=60, lost=0.33").unwrap();
    assert_eq!((errors.false_alarms, errors.lost), (60.0, 0.33));
    insta::assert_snapshot!(errors, @"ideal false-alarms=60,lost=0.33");
    insta::assert_snapshot!(TelemetryErrors::none(), @"ideal");
    let mut errors = TelemetryErrors::erring();
    insta::assert_snapshot!(errors, @"erring");
    errors.set("drift", "0").unwrap();
    insta::assert_snapshot!(errors, @"erring drift=0");
    assert!(!errors.is_none() && TelemetryErrors::none().is_none());
}

#[test]
fn what_is_told_is_what_was_set() {
    for world in TelemetryErrors::WORLDS {
        for key in &KEYS {
            let mut errors = TelemetryErrors::of_world(world).unwrap();
            for bound in [key.range.0, key.range.1] {
                errors.set(key.name, &bound.to_string()).unwrap();
                let told = errors.to_string();
                let (base, differences) = told.split_once(' ').unwrap_or((&told, ""));
                let mut again = TelemetryErrors::of_world(base).unwrap();
                if !differences.is_empty() {
                    again.set_all(differences).unwrap();
                }
                assert_eq!(again, errors, "{told}");
            }
        }
    }
}

#[test]
fn what_is_not_understood_is_refused_in_words() {
    let refused = |settings: &str| {
        let mut errors = TelemetryErrors::none();
        errors.set_all(settings).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refused("lost"), @"'lost' is not KEY=VALUE");
    insta::assert_snapshot!(refused("lost=2"), @"lost: '2' is not a number from 0 to 1");
    insta::assert_snapshot!(refused("lost=nan"), @"lost: 'nan' is not a number from 0 to 1");
    insta::assert_snapshot!(refused("late-s=0"), @"late-s: '0' is not a number from 1 to 86400");
    assert!(
        refused("rain=1").starts_with("'rain' is no error of telemetry; there are false-alarms")
    );
}
