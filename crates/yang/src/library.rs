//! The announcement of the modules: capability URIs and yang-library.
//!
//! Knows RFC 6020 §5.6.4, RFC 7895 and RFC 8525; writes XML with a few
//! `format!` because the tree is small and fixed.

use std::fmt::Write as _;

use crate::module::{Conformance, Module};

const NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-library";
const DATASTORES: &str = "urn:ietf:params:xml:ns:yang:ietf-datastores";

/// `namespace?module=…&revision=…&features=…&deviations=…`
pub(crate) fn capability(module: &Module) -> String {
    let mut uri = format!("{}?module={}", module.namespace, module.name);
    let deviations: Vec<_> = module
        .deviations
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    for (parameter, value) in [
        ("revision", module.revision.clone()),
        ("features", module.features.join(",")),
        ("deviations", deviations.join(",")),
    ] {
        if !value.is_empty() {
            let _ = write!(uri, "&{parameter}={value}");
        }
    }
    uri
}

/// `<yang-library>` (RFC 8525 §4).
pub(crate) fn yang_library(modules: &[Module], content_id: &str) -> String {
    let mut xml = format!("<yang-library xmlns=\"{NAMESPACE}\"><module-set><name>convoke</name>");
    for module in modules.iter().filter(|module| module.is_implemented()) {
        xml.push_str("<module>");
        leaf(&mut xml, "name", &module.name);
        optional(&mut xml, "revision", &module.revision);
        leaf(&mut xml, "namespace", &module.namespace);
        submodules(&mut xml, module);
        for feature in &module.features {
            leaf(&mut xml, "feature", feature);
        }
        for (name, _) in &module.deviations {
            leaf(&mut xml, "deviation", name);
        }
        xml.push_str("</module>");
    }
    for module in modules.iter().filter(|module| !module.is_implemented()) {
        xml.push_str("<import-only-module>");
        leaf(&mut xml, "name", &module.name);
        // The revision is a key here: empty for a module that has none.
        leaf(&mut xml, "revision", &module.revision);
        leaf(&mut xml, "namespace", &module.namespace);
        submodules(&mut xml, module);
        xml.push_str("</import-only-module>");
    }
    xml.push_str(
        "</module-set><schema><name>convoke</name><module-set>convoke</module-set></schema>",
    );
    for datastore in ["running", "operational"] {
        let _ = write!(
            xml,
            "<datastore><name xmlns:ds=\"{DATASTORES}\">ds:{datastore}</name><schema>convoke</schema></datastore>"
        );
    }
    leaf(&mut xml, "content-id", content_id);
    xml.push_str("</yang-library>");
    xml
}

/// `<modules-state>` (RFC 7895 §2.2, deprecated by RFC 8525).
pub(crate) fn modules_state(modules: &[Module], content_id: &str) -> String {
    let mut xml = format!("<modules-state xmlns=\"{NAMESPACE}\">");
    leaf(&mut xml, "module-set-id", content_id);
    for module in modules {
        xml.push_str("<module>");
        leaf(&mut xml, "name", &module.name);
        leaf(&mut xml, "revision", &module.revision);
        leaf(&mut xml, "namespace", &module.namespace);
        for feature in &module.features {
            leaf(&mut xml, "feature", feature);
        }
        for (name, revision) in &module.deviations {
            xml.push_str("<deviation>");
            leaf(&mut xml, "name", name);
            leaf(&mut xml, "revision", revision);
            xml.push_str("</deviation>");
        }
        let conformance = match module.conformance {
            Conformance::Implement => "implement",
            Conformance::Import => "import",
        };
        leaf(&mut xml, "conformance-type", conformance);
        submodules(&mut xml, module);
        xml.push_str("</module>");
    }
    xml.push_str("</modules-state>");
    xml
}

fn submodules(xml: &mut String, module: &Module) {
    for (name, revision) in &module.submodules {
        xml.push_str("<submodule>");
        leaf(xml, "name", name);
        optional(xml, "revision", revision);
        xml.push_str("</submodule>");
    }
}

fn optional(xml: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        leaf(xml, name, value);
    }
}

fn leaf(xml: &mut String, name: &str, value: &str) {
    let value = value.replace('&', "&amp;").replace('<', "&lt;");
    let _ = write!(xml, "<{name}>{value}</{name}>");
}
