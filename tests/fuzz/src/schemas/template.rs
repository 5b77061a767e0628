//! An untrusted template: read, linted, written, rendered.

use super::{json, render, shaped};
use schema::canonical;
use schema::contract::Contract;
use schema::language::Language;
use schema::lint::{self, TemplateOrigin};
use schema::render::json_schema;
use schema::template::Template;
use schema::{read, write};
use serde_json::Value;

/// Reads bytes as a template, as our own and as a peer's. An accepted one is written and read
/// again, used to validate payloads, and rendered in all forms.
pub fn template(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        // The text itself, with whatever is wrong with it as JSON.
        told(read::template(text, TemplateOrigin::Own).err());
    }
    let Some(source) = json(data, shaped::template) else {
        return;
    };
    exact(&source);
    match read::template(&source, TemplateOrigin::Own) {
        Ok(reading) => own(&reading.template),
        Err(findings) => told(Some(findings)),
    }
    match read::template(&source, TemplateOrigin::Peer) {
        Ok(reading) => peers(&reading.template),
        Err(findings) => told(Some(findings)),
    }
}

/// A refused template has a reason.
fn told(findings: Option<Vec<lint::LintFinding>>) {
    assert!(findings.is_none_or(|findings| !lint::passes(&findings)));
}

/// The canonical form has the same meaning, and is its own canonical form.
fn exact(source: &Value) {
    let text = canonical::text(source);
    let again: Value = serde_json::from_str(&text).expect("canonical JSON is JSON");
    assert_eq!(canonical::text(&again), text);
}

/// Checks the guarantees for a template of our own.
fn own(template: &Template) {
    let findings = lint::template(template, TemplateOrigin::Own);
    assert!(lint::passes(&findings), "{findings:?}");
    let authored = write::authored(template);
    let again = read::template(&authored, TemplateOrigin::Own);
    assert_eq!(
        again.map(|r| r.template).as_ref(),
        Ok(template),
        "{authored}"
    );
    for tag in ["en", "zh-CN", "de"] {
        let language = Language::parse(tag).expect("a tag");
        let sent = write::template(template, Some(&language));
        let again = read::template(&sent, TemplateOrigin::Own);
        let again = again.unwrap_or_else(|f| panic!("{f:?}\n{sent}")).template;
        let names = |t: &Template| {
            t.keys
                .iter()
                .map(|k| k.key_name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&again), names(template));
    }
    Contract::new(template).expect("what passes lint can be checked against");
    let rendered = json_schema(template, &template.language);
    jsonschema::draft202012::new(&rendered).unwrap_or_else(|e| panic!("{e}\n{rendered}"));
    render(template);
}

/// A peer's template may be odd, but all processing of it terminates.
fn peers(template: &Template) {
    lint::template(template, TemplateOrigin::Peer);
    write::template(template, None);
    drop(Contract::new(template));
    render(template);
}
