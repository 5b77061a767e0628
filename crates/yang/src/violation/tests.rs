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
fn an_error_nobody_foresaw_is_an_invalid_value() {
    assert_eq!(
        classify(&error("Something new.", None, None)),
        (Tag::InvalidValue, None)
    );
}
