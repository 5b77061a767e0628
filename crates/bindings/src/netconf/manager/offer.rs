//! Which modules a management system offers, from its hello and its YANG library.
//!
//! YANG 1 modules stand in the hello (RFC 6020 §5.6.4), YANG 1.1 modules in the library alone (RFC
//! 7950 §5.6.4). A library that may not be read says nothing: then everything is tried, and what
//! the system refuses is not there. Read next: [`super::actions`].

use super::INTERFACES_NAMESPACE;
use super::text::{entries, identifier};
use crate::netconf::{ALARMS_NAMESPACE, EMS_NAMESPACE, NETWORK_NAMESPACE};
use ::netconf::hello::Capabilities;
use ::netconf::names::capability::NOTIFICATION;
use ::netconf::names::namespace::YANG_LIBRARY;
use ::netconf::xml::XmlElement;
use std::collections::BTreeMap;

/// The most modules that are taken of a system.
const MODULES: usize = 10_000;

/// Subtree filters for the names and namespaces of all modules: RFC 8525, and the older RFC 7895.
pub const YANG_LIBRARY_FILTERS: [&str; 2] = [
    "<yang-library xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-library\"><module-set><module>\
     <name/><namespace/></module></module-set></yang-library>",
    "<modules-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-library\"><module><name/>\
     <namespace/></module></modules-state>",
];

/// What a management system offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemOffer {
    /// The names of its modules, by namespace.
    modules: BTreeMap<String, String>,
    /// True if all of its modules are known.
    known: bool,
    /// True if it notifies (RFC 5277).
    pub notifies: bool,
}

impl SystemOffer {
    /// What its hello says.
    pub fn of_hello(capabilities: &Capabilities) -> Self {
        let mut offer = Self {
            notifies: capabilities.has(NOTIFICATION),
            ..Self::default()
        };
        for uri in capabilities.iter().take(MODULES) {
            let Some((namespace, parameters)) = uri.split_once('?') else {
                continue;
            };
            let mut parameters = parameters.split('&');
            if let Some(name) = parameters.find_map(|p| p.strip_prefix("module=")) {
                offer.add(namespace, name);
            }
        }
        // Who has no YANG library has said everything.
        offer.known = !offer.modules.is_empty() && !has_library(capabilities);
        offer
    }

    /// Adds what the YANG library says; `data` is the element `<data>` of the reply.
    pub fn read_library(&mut self, data: XmlElement<'_>) {
        let library = data.child(YANG_LIBRARY, "yang-library");
        let sets = library
            .into_iter()
            .flat_map(|library| entries(library, YANG_LIBRARY, "module-set", 16));
        let state = data.child(YANG_LIBRARY, "modules-state").into_iter();
        for holder in sets.chain(state) {
            for module in entries(holder, YANG_LIBRARY, "module", MODULES) {
                let part = |name| identifier(module, YANG_LIBRARY, name);
                if let (Some(namespace), Some(name)) = (part("namespace"), part("name")) {
                    self.add(namespace, name);
                    self.known = true;
                }
            }
        }
    }

    fn add(&mut self, namespace: &str, name: &str) {
        if self.modules.len() < MODULES {
            self.modules.insert(namespace.to_owned(), name.to_owned());
        }
    }

    /// True if it has the module of this namespace, or does not say.
    fn has(&self, namespace: &str) -> bool {
        !self.known || self.modules.contains_key(namespace)
    }

    /// True if it has alarms (ietf-alarms).
    pub fn alarms(&self) -> bool {
        self.has(ALARMS_NAMESPACE)
    }

    /// True if it has an inventory (ietf-network).
    pub fn networks(&self) -> bool {
        self.has(NETWORK_NAMESPACE)
    }

    /// True if it has interfaces (ietf-interfaces).
    pub fn interfaces(&self) -> bool {
        self.has(INTERFACES_NAMESPACE)
    }

    /// True if it has performance figures and actions (convoke-ems).
    pub fn actions(&self) -> bool {
        self.has(EMS_NAMESPACE)
    }

    /// The module of a namespace: as the system says, or the end of the namespace.
    pub fn module_of<'a>(&'a self, namespace: &'a str) -> &'a str {
        let known = self.modules.get(namespace).map(String::as_str);
        known.unwrap_or_else(|| namespace.rsplit([':', '/']).next().unwrap_or(namespace))
    }
}

fn has_library(capabilities: &Capabilities) -> bool {
    let mut uris = capabilities.iter();
    uris.any(|uri| {
        uri.starts_with("urn:ietf:params:netconf:capability:yang-library:")
            || uri.starts_with(YANG_LIBRARY)
    })
}
