//! Namespaces and capability URIs, each under the name its RFC gives it.
//!
//! Only constants: the capabilities that a server announces are set in
//! [`crate::session::SessionConfig`]; those of a peer are in [`crate::hello::Capabilities`].

/// XML namespaces.
pub mod namespace {
    /// NETCONF messages and base operations (RFC 6241 §3.1).
    pub const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
    /// Event notifications: `<notification>`, `<create-subscription>` (RFC 5277).
    pub const NOTIFICATION: &str = "urn:ietf:params:xml:ns:netconf:notification:1.0";
    /// Event streams of RFC 5277 §3.2.5.
    pub const NETMOD_NOTIFICATION: &str = "urn:ietf:params:xml:ns:netmod:notification";
    /// The parameter `<with-defaults>` (RFC 6243, module ietf-netconf-with-defaults).
    pub const WITH_DEFAULTS: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults";
    /// The attribute `wd:default` (RFC 6243 §6).
    pub const DEFAULT_ATTRIBUTE: &str = "urn:ietf:params:xml:ns:netconf:default:1.0";
    /// Module ietf-netconf-monitoring: `<get-schema>`, `/netconf-state` (RFC 6022).
    pub const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
    /// Module ietf-netconf-notifications (RFC 6470).
    pub const NETCONF_NOTIFICATIONS: &str =
        "urn:ietf:params:xml:ns:yang:ietf-netconf-notifications";
    /// Module ietf-netconf-nmda: `<get-data>`, `<edit-data>` (RFC 8526).
    pub const NMDA: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda";
    /// Module ietf-datastores (RFC 8342).
    pub const DATASTORES: &str = "urn:ietf:params:xml:ns:yang:ietf-datastores";
    /// Module ietf-origin (RFC 8342).
    pub const ORIGIN: &str = "urn:ietf:params:xml:ns:yang:ietf-origin";
    /// Module ietf-yang-library (RFC 8525).
    pub const YANG_LIBRARY: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-library";
    /// Module ietf-netconf-acm (RFC 8341).
    pub const ACCESS_CONTROL: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-acm";
    /// Module ietf-restconf: `<errors>`, `<restconf>` (RFC 8040).
    pub const RESTCONF: &str = "urn:ietf:params:xml:ns:yang:ietf-restconf";
    /// Module ietf-restconf-monitoring: `<restconf-state>` (RFC 8040 §9).
    pub const RESTCONF_MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-restconf-monitoring";
    /// Module ietf-subscribed-notifications (RFC 8639).
    pub const SUBSCRIBED_NOTIFICATIONS: &str =
        "urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications";
    /// Module ietf-yang-push (RFC 8641).
    pub const YANG_PUSH: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-push";
    /// Module ietf-yang-types and friends use none on the wire; the YANG 1
    /// meta namespace of `<missing-choice>` and the like (RFC 7950 §14).
    pub const YANG: &str = "urn:ietf:params:xml:ns:yang:1";
    /// The prefix `xml`, bound everywhere (Namespaces in XML §3).
    pub const XML: &str = "http://www.w3.org/XML/1998/namespace";
    /// The prefix `xmlns`, never to be declared (Namespaces in XML §3).
    pub const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
}

/// Capability URIs without their parameters.
pub mod capability {
    /// End-of-message framing (RFC 4741; RFC 6242 §4.3).
    pub const BASE_1_0: &str = "urn:ietf:params:netconf:base:1.0";
    /// Chunked framing (RFC 6241; RFC 6242 §4.2).
    pub const BASE_1_1: &str = "urn:ietf:params:netconf:base:1.1";
    /// `select` filters (RFC 6241 §8.9).
    pub const XPATH: &str = "urn:ietf:params:netconf:capability:xpath:1.0";
    /// `<create-subscription>` (RFC 5277).
    pub const NOTIFICATION: &str = "urn:ietf:params:netconf:capability:notification:1.0";
    /// Operations beside a running subscription (RFC 5277 §6).
    pub const INTERLEAVE: &str = "urn:ietf:params:netconf:capability:interleave:1.0";
    /// Handling of defaults; needs `?basic-mode=…` (RFC 6243).
    pub const WITH_DEFAULTS: &str = "urn:ietf:params:netconf:capability:with-defaults:1.0";
    /// YANG library; needs `?revision=…&content-id=…` (RFC 8526 §2).
    pub const YANG_LIBRARY_1_1: &str = "urn:ietf:params:netconf:capability:yang-library:1.1";
    /// YANG library of RFC 7895; needs `?revision=…&module-set-id=…` (RFC 7950 §5.6.4).
    pub const YANG_LIBRARY_1_0: &str = "urn:ietf:params:netconf:capability:yang-library:1.0";
    /// Writable running datastore (RFC 6241 §8.2).
    pub const WRITABLE_RUNNING: &str = "urn:ietf:params:netconf:capability:writable-running:1.0";
    /// Candidate datastore (RFC 6241 §8.3).
    pub const CANDIDATE: &str = "urn:ietf:params:netconf:capability:candidate:1.0";
    /// Rollback on error (RFC 6241 §8.5).
    pub const ROLLBACK_ON_ERROR: &str = "urn:ietf:params:netconf:capability:rollback-on-error:1.0";
    /// Validation (RFC 6241 §8.6).
    pub const VALIDATE: &str = "urn:ietf:params:netconf:capability:validate:1.1";
    /// Startup datastore (RFC 6241 §8.7).
    pub const STARTUP: &str = "urn:ietf:params:netconf:capability:startup:1.0";
}
