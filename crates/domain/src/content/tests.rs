//! Sections are read in the spellings that people use; an unreadable content is refused with its
//! reason.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use schema::json::VALUES_MOST;
use serde_json::json;

#[test]
fn figure_7_is_read_stray_quotes_and_spelling_included() {
    let text = "<content namespace=\"prompt\">\n##target object\n<object\">site-1</object\">\n\
        ##task description\n<description\">diagnose</description\">\n\
        ##environmental infomation\n<environmentInput\">storm</environmentInput\">\n</content>";
    let content = Content::parse([text]).unwrap();
    assert_eq!(content.target_object, "site-1");
    assert_eq!(content.task_description, "diagnose");
    assert_eq!(content.environmental_information.as_deref(), Some("storm"));
}

#[test]
fn headings_in_any_case_with_space_colon_or_body_behind() {
    let content = Content::parse([
        "## Target Object: link-1\n##  TASK   description\ncheck\nit\n## notes\nx",
    ])
    .unwrap();
    assert_eq!(content.target_object, "link-1");
    assert_eq!(content.task_description, "check\nit");
    assert_eq!(content.others, [("notes".to_owned(), "x".to_owned())]);
    let content = Content::parse(["## target object site-9\n## task description go"]).unwrap();
    assert_eq!(
        (&*content.target_object, &*content.task_description),
        ("site-9", "go")
    );
}

#[test]
fn one_payload_is_read_and_a_second_refused() {
    let part = "##target object\na\n##task description\nb\n##structured payload\n\
        {\"schema_id\":\"fault_diagnosis_v1\",\"payload\":{\"target\":\"link:x\"}}";
    let content = Content::parse([part]).unwrap();
    let payload = content.payload.unwrap();
    assert_eq!(
        (payload.scenario(), payload.text("target")),
        ("fault_diagnosis", Some("link:x"))
    );
    assert_eq!(
        Content::parse([part, part]),
        Err(ContentError::SecondPayload)
    );
}

#[test]
fn what_is_not_a_payload_is_named() {
    let with = |json: &str| {
        Content::parse([format!(
            "##target object\na\n##task description\nb\n##structured payload\n{json}"
        )
        .as_str()])
    };
    assert!(matches!(with("{"), Err(ContentError::NotJson { .. })));
    assert_eq!(with("[]"), Err(ContentError::NotAPayload));
    assert_eq!(with(r#"{"schema_id":"x"}"#), Err(ContentError::NotAPayload));
    assert_eq!(
        with(r#"{"schema_id":"x","payload":{},"z":1}"#),
        Err(ContentError::NotAPayload)
    );
    assert!(matches!(
        with(r#"{"schema_id":"x","payload":{}} {}"#),
        Err(ContentError::NotJson { .. })
    ));
    assert_eq!(
        Content::parse(["## target object\nx"]),
        Err(ContentError::Missing("task description"))
    );
}

proptest! {
    #[test]
    fn parsing_undoes_writing(
        target in "[a-z:0-9-]{1,12}",
        description in "[A-Za-z][a-z ]{0,20}[a-z]",
        environment in proptest::option::of("[a-z]{1,9}"),
        asynchronous in proptest::option::of(any::<bool>()),
        number in any::<i32>(),
    ) {
        let mut content = Content::new(target, description)
            .with_payload(Payload::new("x_v1", json!({"number": number, "list": ["a", "b"]})));
        content.environmental_information = environment;
        content.asynchronous = asynchronous;
        prop_assert_eq!(Content::parse([content.render().as_str()]).unwrap(), content);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}", more in "(##|<|>|\\{|\"|\n|target object|content){0,40}") {
        let _ = Content::parse([text.as_str(), more.as_str()]);
    }
}

/// RFC 8259 §4, RFC 7493 §2.3: an object with two members of one name is refused.
#[test]
fn a_member_that_stands_twice_makes_no_payload() {
    for payload in [
        r#"{"schema_id":"a_v1","payload":{"x":1,"x":2}}"#,
        r#"{"schema_id":"a_v1","payload":{"x":[{"y":1,"y":1}]}}"#,
        r#"{"schema_id":"a_v1","schema_id":"b_v1","payload":{}}"#,
    ] {
        let text = format!(
            "## target object\na\n## task description\nb\n## structured payload\n{payload}"
        );
        let read = Content::parse([text.as_str()]);
        assert!(
            matches!(read, Err(ContentError::NotJson { .. })),
            "{read:?}"
        );
    }
}

/// Everything that takes more memory than its bytes is counted: values, sections and terms
/// together.
#[test]
fn more_than_is_read_of_a_message_is_too_big() {
    let with = |more: &str| {
        let text = format!("## target object\na\n## task description\nb\n{more}");
        Content::parse([text.as_str()])
    };
    let payload = |values: String| {
        let json = format!(r#"{{"schema_id":"x_v1","payload":{{"x":{values}}}}}"#);
        format!("## structured payload\n{json}\n")
    };
    let half = "## a\n".repeat(VALUES_MOST / 2);
    assert!(with(&half).is_ok());
    for more in [
        payload(format!("[{}0]", r#"{"":0},"#.repeat(VALUES_MOST / 2))),
        half.repeat(2),
        format!("## terms\n{}", "a:\n".repeat(VALUES_MOST)),
        format!(
            "{half}{}",
            payload(format!("[{}0]", "0,".repeat(VALUES_MOST / 2)))
        ),
    ] {
        assert_eq!(with(&more), Err(ContentError::TooBig(Excess::Values)));
    }
    let deep = payload(format!("{}{}", "[".repeat(70), "]".repeat(70)));
    assert_eq!(with(&deep), Err(ContentError::TooBig(Excess::Depth)));
}

/// The console reads contents by itself (`console/src/words.ts`), and by these vectors as we do: what a person is
/// shown is what is decided upon.
#[test]
fn sections_are_those_that_the_console_reads() {
    let vectors: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("sections.json")).unwrap();
    for vector in &vectors {
        let text = vector["text"].as_str().unwrap();
        let found = sections(&mut Budget::default(), text).unwrap();
        let named = found.into_iter().map(|(heading, body)| {
            let heading =
                heading.map_or_else(|other| other.to_lowercase(), |it| it.as_str().to_owned());
            json!([heading, body])
        });
        let named: serde_json::Value = named.collect();
        assert_eq!(named, vector["sections"], "{text:?}");
    }
}

proptest! {
    /// Of each section so much is left, and with it what can be read again; all of it if that is enough.
    #[test]
    fn a_shortened_content_is_bounded_and_begins_as_it_did(text in "[a-zé…\n ]{1,300}", most in 64_usize..200) {
        let mut content = Content::new("site-1", text.clone()).with_result(text.clone());
        content.terms = vec![("t".to_owned(), text.clone()); 3];
        content.others = vec![("o".to_owned(), text.clone()); 3];
        match content.shortened(most) {
            None => prop_assert!(content.bytes() <= most),
            Some(shorter) => {
                prop_assert!(shorter.bytes() <= 6 * most + 4 * '…'.len_utf8());
                let kept = shorter.task_description.trim_end_matches('…');
                prop_assert!(text.starts_with(kept) && kept.len() <= most);
                prop_assert_eq!(shorter.task_description == text, text.len() <= most);
                prop_assert_eq!(&shorter.target_object, "site-1");
            }
        }
    }
}
