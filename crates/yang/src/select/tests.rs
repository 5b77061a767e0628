//! Tests of `select.rs`.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, LazyLock};

use crate::{Generation, ModuleSet, XPathError};

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";

static CONVOKE: LazyLock<Arc<Generation>> =
    LazyLock::new(|| Generation::load(&ModuleSet::convoke()).unwrap());

/// Selects from a small datastore; the namespace declarations are left out of
/// the answer, for the reader.
fn selected(xpath: &str) -> Result<String, XPathError> {
    let data = format!(
        "<agent xmlns=\"{AGENT}\"><name>a</name><skills>\
         <skill><skill-name>s1</skill-name><skill-tags>x</skill-tags><skill-tags>y</skill-tags></skill>\
         <skill><skill-name>s2</skill-name></skill></skills><capability/></agent>\
         <data-params xmlns=\"{AGENT}\"><id>d1</id><dataType>text</dataType><url>u</url></data-params>\
         <data-params xmlns=\"{AGENT}\"><id>d2</id><dataType>smell</dataType></data-params>\
         <tasks xmlns=\"{AGENT}\"><task-id>t</task-id></tasks>"
    );
    let answer = CONVOKE.select(&data, xpath, &[("a", AGENT), ("z", "urn:z"), ("", AGENT)])?;
    Ok(answer.replace(&format!(" xmlns=\"{AGENT}\""), ""))
}

#[test]
fn what_is_selected_comes_with_its_keys_and_ancestors() {
    for (xpath, expected) in [
        ("/a:tasks", "<tasks><task-id>t</task-id></tasks>"),
        (
            "/a:data-params[a:id='d1']/a:url",
            "<data-params><id>d1</id><url>u</url></data-params>",
        ),
        (
            "/a:data-params[a:id='d1']",
            "<data-params><id>d1</id><dataType>text</dataType><url>u</url></data-params>",
        ),
        (
            "//a:skill[a:skill-name='s1']/a:skill-tags",
            "<agent><skills><skill><skill-name>s1</skill-name><skill-tags>x</skill-tags><skill-tags>y</skill-tags></skill></skills></agent>",
        ),
        (
            "//a:id",
            "<data-params><id>d1</id></data-params><data-params><id>d2</id></data-params>",
        ),
        (
            "/a:tasks/a:task-id | /a:agent/a:name | /a:agent/a:name",
            "<agent><name>a</name></agent><tasks><task-id>t</task-id></tasks>",
        ),
        // A node and one below it: the whole subtree, once.
        (
            "/a:tasks | /a:tasks/a:task-id",
            "<tasks><task-id>t</task-id></tasks>",
        ),
        // Empty containers, for which libyang's printer answers NULL.
        ("/a:agent/a:capability", "<agent><capability/></agent>"),
        ("/a:tasks/a:content", ""),
        ("/a:nope", ""),
        ("/a:tasks/text()", ""),
    ] {
        assert_eq!(selected(xpath).unwrap(), expected, "{xpath}");
    }
}

#[test]
fn the_root_selects_everything() {
    let all = selected("/").unwrap();
    assert!(
        all.contains("<capability/>") && all.contains("<id>d2</id>") && all.contains("<task-id>")
    );
    assert_eq!(selected("/*").unwrap(), all);
}

#[test]
fn data_that_no_schema_allows_take_part_as_they_are() {
    // `smell` is no dataType.
    assert_eq!(
        selected("/a:data-params[a:id='d2']").unwrap(),
        "<data-params><id>d2</id><dataType>smell</dataType></data-params>"
    );
}

#[test]
fn wrong_expressions_are_told_with_and_without_data() {
    for xpath in [
        "/a:tasks[",
        "foo(",
        "",
        "/b:tasks",
        "/tasks",
        "/z:x",
        "$x",
        "/a:tasks/@x",
    ] {
        assert!(
            matches!(selected(xpath), Err(XPathError::Expression { .. })),
            "{xpath}"
        );
        let empty = CONVOKE.select("", xpath, &[("a", AGENT), ("z", "urn:z")]);
        assert!(
            matches!(empty, Err(XPathError::Expression { .. })),
            "{xpath} of nothing"
        );
    }
    for xpath in ["count(/a:tasks)", "'text'", "1", "true()", "/a:tasks = 1"] {
        assert_eq!(selected(xpath), Err(XPathError::NotANodeSet), "{xpath}");
    }
}

#[test]
fn of_nothing_nothing_is_selected() {
    assert_eq!(CONVOKE.select("", "/a:tasks", &[("a", AGENT)]).unwrap(), "");
    assert_eq!(CONVOKE.select("", "/", &[]).unwrap(), "");
    assert_eq!(CONVOKE.select("", "//*", &[]).unwrap(), "");
}

#[test]
fn nul_bytes_and_broken_data_are_errors() {
    let place = |outcome: Result<String, XPathError>| match outcome {
        Err(XPathError::Nul { place }) => place,
        other => panic!("{other:?}"),
    };
    assert_eq!(place(CONVOKE.select("", "a\0", &[])), "the expression");
    assert_eq!(place(CONVOKE.select("", "/", &[("a\0", "b")])), "a prefix");
    assert_eq!(
        place(CONVOKE.select("", "/", &[("a", "b\0")])),
        "a namespace"
    );
    assert_eq!(place(CONVOKE.select("\0", "/", &[])), "the data");
    assert!(matches!(
        CONVOKE.select("<a", "/", &[]),
        Err(XPathError::Data { .. })
    ));
}

#[test]
fn values_are_escaped_in_the_answer() {
    let data = format!("<tasks xmlns=\"{AGENT}\"><task-id>a&lt;b&amp;c</task-id></tasks>");
    assert_eq!(
        CONVOKE.select(&data, "/a:tasks", &[("a", AGENT)]).unwrap(),
        data
    );
}

#[test]
fn events_are_selected_by_functions_and_predicates() {
    let event = format!(
        "<condition-notifications xmlns=\"{AGENT}\"><task-id>t2</task-id></condition-notifications>"
    );
    let selects = |xpath| CONVOKE.selects_event(&event, xpath, &[("a", AGENT)]);
    for xpath in [
        "/",
        "//a:task-id",
        "/a:condition-notifications[contains(a:task-id, '2')]",
    ] {
        assert_eq!(selects(xpath), Ok(true), "{xpath}");
    }
    for xpath in [
        "/a:tasks",
        "/a:condition-notifications[contains(a:task-id, '3')]",
    ] {
        assert_eq!(selects(xpath), Ok(false), "{xpath}");
    }
    assert!(selects("/a:condition-notifications[").is_err());
}
