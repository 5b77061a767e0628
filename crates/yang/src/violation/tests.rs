//! Tests of `violation.rs`.
use super::*;

fn error(message: &str, path: Option<&str>, app_tag: Option<&str>) -> LibraryError {
    LibraryError {
        message: message.to_owned(),
        data_path: path.map(str::to_owned),
        app_tag: app_tag.map(str::to_owned),
        ..LibraryError::default()
    }
}

#[test]
fn predicates_are_left_out_quotes_minded() {
    assert_eq!(
        without_predicates("/m:a[b='x]/y']/c[.=\"'\"]/n:d"),
        "/m:a/c/n:d"
    );
}

#[test]
fn prefixes_are_found_outside_quotes_only() {
    assert_eq!(
        prefixes_in("/m:a[n:b='u:v']/o:c[.='w:x']/m:d"),
        ["m", "n", "o"]
    );
}

#[test]
fn application_tags_of_rfc_7950_decide_before_messages() {
    for (app_tag, tag) in [
        ("instance-required", Tag::DataMissing),
        ("missing-choice", Tag::DataMissing),
        ("must-violation", Tag::OperationFailed),
        ("data-not-unique", Tag::OperationFailed),
        ("too-many-elements", Tag::OperationFailed),
        ("too-few-elements", Tag::OperationFailed),
    ] {
        // The message is the schema's own.
        assert_eq!(
            classify(&error("Duplicate instance of ours.", None, Some(app_tag))).0,
            tag
        );
    }
}

#[test]
fn a_path_that_leads_nowhere_is_not_told() {
    let error = error("Unsatisfied range.", Some("/m:orphan/x"), None);
    let violation = Violation::from_library(&error, |_| None, |_| false);
    assert_eq!(
        (violation.path, violation.element.as_deref()),
        (None, Some("x"))
    );
}

#[test]
fn of_an_attribute_its_name_its_element_and_the_element_s_path_are_told() {
    for (message, path, tag) in [
        (
            "Annotation definition for attribute \"n:k\" not found.",
            "/m:a/b",
            Tag::UnknownAttribute,
        ),
        (
            "Invalid enumeration value \"x\".",
            "/m:a/b/@n:k",
            Tag::BadAttribute,
        ),
    ] {
        let told = Violation::from_library(&error(message, Some(path), None), |_| None, |_| true);
        assert_eq!(told.tag, tag);
        assert_eq!(told.path.as_deref(), Some("/m:a/b"));
        assert_eq!(told.attribute.as_deref(), Some("k"));
        assert_eq!(told.element.as_deref(), Some("b"));
    }
}

#[test]
fn an_at_sign_in_a_value_begins_no_attribute() {
    let path = "/m:a[m:k='x/@y']/b";
    assert_eq!(without_attribute(path), (path, None));
    let path = "/m:a[.='x/@y']";
    assert_eq!(without_attribute(path), (path, None));
}

#[test]
fn a_missing_choice_is_named() {
    let message = "Mandatory choice \"source\" data do not exist.";
    let error = error(message, Some("/m:a"), Some("missing-choice"));
    let told = Violation::from_library(&error, |_| None, |_| true);
    assert_eq!(
        (told.choice.as_deref(), told.element),
        (Some("source"), None)
    );
}

#[test]
fn an_error_nobody_foresaw_is_an_invalid_value() {
    assert_eq!(
        classify(&error("Something new.", None, None)),
        (Tag::InvalidValue, None)
    );
}
