//! Untrusted documents and modules before libyang.
//!
//! In a session documents pass the guard first (`guard::passed`); here they are any text. Modules
//! are texts to compile. Read next: `yang::Generation`.

use std::sync::{Arc, OnceLock};
use yang::{Generation, LoadError, ModuleSet, Tag, Violation};

/// The modules that Convoke serves.
fn convoke() -> &'static Arc<Generation> {
    static LOADED: OnceLock<Arc<Generation>> = OnceLock::new();
    LOADED.get_or_init(|| Generation::load(&ModuleSet::convoke()).expect("what ships compiles"))
}

/// Validates bytes as an operation, a notification, a reply, configuration and state.
pub fn data(data: &[u8]) {
    let Ok(xml) = std::str::from_utf8(data) else {
        return;
    };
    let all = convoke();
    told(&all.check_rpc(xml));
    // libyang leaks 128 bytes for an eventTime that is none; only what we send is checked as such.
    if !xml.contains("eventTime") {
        told(&all.check_notification(xml));
    }
    told(&all.check_structure("convoke-negotiation", "reply", xml));
    told(&all.check_reply(xml, xml));
    let (config, whole) = (all.check_config(xml), all.check_data(xml, false));
    let operational = all.check_data(xml, true);
    [&config, &whole, &operational].into_iter().for_each(told);
    // What must hold for a datastore to be whole need not hold for what is in operation.
    let is_datastore = config.is_ok() || whole.is_ok();
    assert!(!is_datastore || operational.is_ok(), "{operational:?}");
    assert_eq!(all.check_rpc(xml), all.check_rpc(xml), "twice the same");
}

/// A refusal has a reason.
fn told(verdict: &Result<(), Violation>) {
    if let Err(violation) = verdict {
        assert!(!violation.message.is_empty(), "{violation:?}");
    }
}

/// The modules that a module may import.
fn types() -> &'static ModuleSet {
    static TYPES: OnceLock<ModuleSet> = OnceLock::new();
    TYPES.get_or_init(|| {
        let name = "ietf-inet-types";
        let convoke = ModuleSet::convoke();
        ModuleSet::empty().with_import(name, convoke.text(name).expect("it ships"))
    })
}

/// Compiles bytes as the module `m`, which may import `ietf-inet-types`. A compiled module is
/// announced with its full text.
pub fn modules(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Generation::load(&types().clone().with_text("m", text)) {
        Ok(generation) => {
            assert_eq!(generation.schema("m", None), Some(text));
            let module = generation.module("m").expect("it is implemented");
            assert!(module.is_implemented() && !module.namespace.is_empty());
            let library = generation.yang_library_xml();
            if let Err(violation) = generation.check_data(library, true) {
                // libyang takes any text for a namespace, yang-library none that is no URI.
                assert_eq!(violation.tag, Tag::InvalidValue, "{violation}: {library}");
            }
            let ours = generation.schema_nodes().iter().filter(|n| n.module == "m");
            ours.for_each(|node| assert!(node.path.starts_with('/'), "{node:?}"));
        }
        Err(LoadError::Nul { .. }) => assert!(text.contains('\0')),
        Err(LoadError::Refused { message, .. }) => assert!(!message.is_empty()),
        Err(LoadError::Context) => panic!("libyang did not start"),
    }
}
