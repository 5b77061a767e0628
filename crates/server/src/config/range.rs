//! The ranges of numbers in settings.
//!
//! Read next: [`super::error`], which says what is out of range.

use super::error::SettingsError;

/// Checks that a number, if given, is within its range.
pub(super) fn range(
    name: &'static str,
    value: Option<f64>,
    (least, most): (f64, f64),
    range: &'static str,
) -> Result<(), SettingsError> {
    match value {
        Some(value) if !(least..=most).contains(&value) => Err(SettingsError::Range {
            name,
            value: value.to_string(),
            range,
        }),
        _ => Ok(()),
    }
}

/// Checks that a number, if given, is from 1 to `most`.
pub(super) fn within(
    name: &'static str,
    value: Option<u64>,
    most: u64,
    range: &'static str,
) -> Result<(), SettingsError> {
    match value {
        Some(value) if !(1..=most).contains(&value) => Err(SettingsError::Range {
            name,
            value: value.to_string(),
            range,
        }),
        _ => Ok(()),
    }
}
