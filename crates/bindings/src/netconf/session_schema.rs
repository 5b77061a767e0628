//! What sessions draw from one generation: made once, shared by all of them.
//!
//! Read next: [`super::session`].

use super::fast_path::PlainInputs;
use ::netconf::hello::Capabilities;
use ::netconf::names::capability as names;
use ::netconf::xml::{Limits, XmlDocument};
use ::netconf::xpath::Keys;
use std::collections::BTreeMap;
use std::sync::Arc;
use yang::{DefaultDeny, Generation, SchemaNode};

/// A generation and what follows from it.
pub(super) struct SessionSchema {
    pub(super) generation: Arc<Generation>,
    pub(super) capabilities: Capabilities,
    /// `/yang-library` and `/modules-state`, as libyang printed them.
    pub(super) yang_library: XmlDocument,
    pub(super) modules_state: XmlDocument,
    /// The inputs that libyang need not look at.
    pub(super) plain_inputs: PlainInputs,
    /// The rpcs that nobody may call without a rule (RFC 8341 §3.5), as (module, name).
    guarded: Vec<(String, String)>,
    /// Which leaves are keys, for what a search selects.
    pub(super) keys: Keys,
    /// Values and numbers of enumerations, by path.
    pub(super) enumerations: BTreeMap<String, Vec<(String, i64)>>,
}

impl SessionSchema {
    pub(super) fn of(generation: Arc<Generation>) -> Self {
        let guarded = generation
            .rpcs()
            .filter(|rpc| rpc.nacm_default_deny == Some(DefaultDeny::All))
            .map(|rpc| (rpc.module.clone(), rpc.name.clone()));
        let printed =
            |text: &str| XmlDocument::parse(text, &Limits::client()).expect("libyang prints XML");
        Self {
            yang_library: printed(generation.yang_library_xml()),
            modules_state: printed(generation.modules_state_xml()),
            guarded: guarded.collect(),
            capabilities: capabilities(&generation),
            plain_inputs: PlainInputs::of(&generation),
            keys: keys(&generation),
            enumerations: enumerations(&generation),
            generation,
        }
    }

    pub(super) fn is_guarded(&self, module: &str, rpc: &str) -> bool {
        self.guarded
            .iter()
            .any(|(m, name)| m == module && name == rpc)
    }
}

/// The key leaves of all data.
fn keys(generation: &Generation) -> Keys {
    let mut keys = Keys::default();
    for node in data(generation).filter(|node| node.is_key) {
        let mut namespace = "";
        let steps = node.path.split('/').skip(1).map(|step| {
            let (module, name) = step.split_once(':').unwrap_or(("", step));
            namespace = generation.namespace_of(module).unwrap_or(namespace);
            (namespace, name)
        });
        keys.insert(steps);
    }
    keys
}

fn enumerations(generation: &Generation) -> BTreeMap<String, Vec<(String, i64)>> {
    let with_values = data(generation).filter(|node| !node.enumeration.is_empty());
    with_values
        .map(|node| (node.path.clone(), node.enumeration.clone()))
        .collect()
}

/// The schema nodes of data and events.
fn data(generation: &Generation) -> impl Iterator<Item = &SchemaNode> {
    let nodes = generation.schema_nodes().iter();
    nodes.filter(|node| !node.in_operation)
}

/// What the server announces: base, options, and the YANG 1 modules with their deviations.
fn capabilities(generation: &Generation) -> Capabilities {
    let with_defaults = format!(
        "{}?basic-mode=explicit&also-supported=report-all,report-all-tagged,trim",
        names::WITH_DEFAULTS
    );
    let options = [
        names::BASE_1_0.to_owned(),
        names::BASE_1_1.to_owned(),
        names::XPATH.to_owned(),
        names::NOTIFICATION.to_owned(),
        names::INTERLEAVE.to_owned(),
        with_defaults,
        generation.yang_library_capability(),
    ];
    Capabilities::new(options.into_iter().chain(generation.capabilities()))
}
