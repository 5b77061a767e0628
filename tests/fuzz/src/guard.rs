//! The guard in front of all XML readers: its output is well-formed, within its limits, and
//! canonical. Read next: `netconf::xml`.

use netconf::xml::{Limits, XmlDocument, XmlElement};

/// Reads bytes under the limits of a server, and under narrow ones.
pub fn guard(data: &[u8]) {
    let narrow = Limits {
        message_bytes: 2_048,
        depth: 8,
        elements: 40,
        attributes: 3,
        namespaces: 2,
        name_bytes: 16,
    };
    let read = XmlDocument::parse(data, &Limits::default());
    match (&read, XmlDocument::parse(data, &narrow)) {
        (Ok(document), Ok(within)) => {
            bounded(&within, &narrow);
            assert_eq!(within.root().standalone(), document.root().standalone());
        }
        (Ok(_), Err(error)) => assert!(error.is_too_big(), "{error}"),
        (Err(_), Ok(_)) => panic!("narrow limits let more in"),
        (Err(_), Err(_)) => {}
    }
    if let Ok(document) = read {
        bounded(&document, &Limits::default());
        written(&document);
    }
}

/// The output of the guard for these bytes, as a standalone document.
pub fn passed(data: &[u8]) -> Option<String> {
    let document = XmlDocument::parse(data, &Limits::default()).ok()?;
    Some(document.root().standalone())
}

fn bounded(document: &XmlDocument, limits: &Limits) {
    let count = count(document.root(), 1, limits);
    assert_eq!(count, document.element_count());
    assert!(count <= limits.elements, "{count} elements");
}

fn count(element: XmlElement<'_>, depth: usize, limits: &Limits) -> usize {
    assert!(depth <= limits.depth, "{depth} deep");
    assert!(element.name().len() <= limits.name_bytes);
    assert!(element.attributes().count() <= limits.attributes);
    let below = element
        .children()
        .map(|child| count(child, depth + 1, limits));
    1 + below.sum::<usize>()
}

/// A document that was read survives writing and reading.
fn written(document: &XmlDocument) {
    let written = document.root().standalone();
    let again = XmlDocument::parse(written.as_bytes(), &Limits::client())
        .unwrap_or_else(|e| panic!("{e}: {written}"));
    assert_eq!(again.root().standalone(), written);
    assert_eq!(again.element_count(), document.element_count());
}
