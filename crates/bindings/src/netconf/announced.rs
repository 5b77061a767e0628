//! What sessions draw from one generation: made once, shared by all of them.
//!
//! Read next: [`super::session`].

use super::operation::plain;
use ::netconf::hello::Capabilities;
use ::netconf::names::capability as names;
use ::netconf::xml::{Document, Limits};
use std::sync::Arc;
use yang::{DefaultDeny, Generation};

/// A generation and what follows from it.
pub(super) struct Announced {
    pub(super) generation: Arc<Generation>,
    pub(super) capabilities: Capabilities,
    /// `/yang-library` and `/modules-state`, as libyang printed them.
    pub(super) yang_library: Document,
    pub(super) modules_state: Document,
    /// True if [`plain`] speaks for this generation.
    pub(super) plain_negotiations: bool,
    /// The rpcs that nobody may call without a rule (RFC 8341 §3.5), as (module, name).
    guarded: Vec<(String, String)>,
}

impl Announced {
    pub(super) fn of(generation: Arc<Generation>) -> Self {
        let guarded = generation
            .rpcs()
            .filter(|rpc| rpc.nacm_default_deny == Some(DefaultDeny::All))
            .map(|rpc| (rpc.module.clone(), rpc.name.clone()));
        let printed =
            |text: &str| Document::parse(text, &Limits::client()).expect("libyang prints XML");
        Self {
            yang_library: printed(generation.yang_library_xml()),
            modules_state: printed(generation.modules_state_xml()),
            guarded: guarded.collect(),
            capabilities: capabilities(&generation),
            plain_negotiations: plain::speaks_for(&generation),
            generation,
        }
    }

    pub(super) fn is_guarded(&self, module: &str, rpc: &str) -> bool {
        self.guarded
            .iter()
            .any(|(m, name)| m == module && name == rpc)
    }
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
