//! Names: `schema_id`, `scenario`, `key_name`.

use super::{Findings, LintRule, NAME_CHARACTERS_MAX, Place};
use crate::template::Template;

/// True for `^[a-z][a-z0-9]*(_[a-z0-9]+)*$` of at most 64 characters.
pub(super) fn is_snake_case(name: &str) -> bool {
    let word = |w: &str| {
        !w.is_empty()
            && w.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.len() <= NAME_CHARACTERS_MAX
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('_').all(word)
}

/// The scenario and the version that a `schema_id` of ours is made of: `{scenario}_v{N}`, N ≥ 1
/// without leading zeros.
pub(super) fn schema_id_of(schema_id: &str) -> Option<(&str, u32)> {
    let (scenario, version) = schema_id.rsplit_once("_v")?;
    let plain = !version.starts_with('0') && version.bytes().all(|b| b.is_ascii_digit());
    let version = version.parse().ok().filter(|_| plain)?;
    is_snake_case(scenario).then_some((scenario, version))
}

pub(super) fn schema_id(template: &Template, at: &Place, findings: &mut Findings) {
    let at = at.member("schema_id");
    let id = &template.schema_id;
    match schema_id_of(id) {
        None => findings.note(
            LintRule::SchemaId,
            &at,
            format!("'{id}' is not a scenario in snake_case, _v and a number from 1"),
        ),
        Some(_) => element_name(id, &at, LintRule::SchemaId, findings),
    }
}

pub(super) fn scenario(template: &Template, at: &Place, findings: &mut Findings) {
    let scenario = &template.scenario;
    let expected = schema_id_of(&template.schema_id).map(|(scenario, _)| scenario);
    let message = match expected {
        Some(expected) if expected != scenario => {
            format!("the scenario of '{}' is '{expected}'", template.schema_id)
        }
        None if !is_snake_case(scenario) => format!("'{scenario}' is not in snake_case"),
        _ => return,
    };
    findings.note(LintRule::Scenario, &at.member("scenario"), message);
}

pub(super) fn response(template: &Template, at: &Place, findings: &mut Findings) {
    let Some(response) = &template.response_schema_id else {
        return;
    };
    let message = if schema_id_of(response).is_none() {
        format!("'{response}' is not a scenario in snake_case, _v and a number from 1")
    } else if *response == template.schema_id {
        "a template is not the template of its own result".to_owned()
    } else {
        return;
    };
    findings.note(
        LintRule::ResponseSchema,
        &at.member("response_schema_id"),
        message,
    );
}

/// Checks a `key_name` or the name of a property.
pub(super) fn member_name(name: &str, at: &Place, findings: &mut Findings) {
    if !is_snake_case(name) {
        let message =
            format!("'{name}' is not snake_case of at most {NAME_CHARACTERS_MAX} characters");
        findings.note(LintRule::KeyName, at, message);
    } else {
        element_name(name, at, LintRule::KeyName, findings);
    }
}

/// A name becomes a YANG identifier and an XML element, and those that begin with "xml" are kept
/// for XML itself (XML 1.0 §2.3).
fn element_name(name: &str, at: &Place, rule: LintRule, findings: &mut Findings) {
    if name.starts_with("xml") {
        findings.note(
            rule,
            at,
            format!("'{name}' begins with xml, which XML keeps for itself"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D26, Q26.
    #[test]
    fn snake_case_is_lower_ascii_words_with_single_lines_between() {
        let longest = "a".repeat(64);
        for name in [
            "a",
            "passenger_count",
            "pm25",
            "a_1",
            "x2_y3",
            longest.as_str(),
        ] {
            assert!(is_snake_case(name), "{name}");
        }
        let too_long = "a".repeat(65);
        for name in [
            "",
            "_a",
            "a_",
            "a__b",
            "A",
            "passengerCount",
            "1a",
            "größe",
            "名",
            "a-b",
            "a b",
            too_long.as_str(),
        ] {
            assert!(!is_snake_case(name), "{name}");
        }
    }

    /// D23: the version is part of the id.
    #[test]
    fn a_schema_id_is_a_scenario_and_a_version() {
        assert_eq!(
            schema_id_of("flight_booking_v1"),
            Some(("flight_booking", 1))
        );
        assert_eq!(schema_id_of("a_v1_v12"), Some(("a_v1", 12)));
        for id in [
            "flight_booking",
            "flight_v0",
            "flight_v01",
            "flight_v+1",
            "_v1",
            "Flight_v1",
            "f_v",
        ] {
            assert_eq!(schema_id_of(id), None, "{id}");
        }
    }
}
