//! The YANG modules that define the rpcs served, or other nodes that are typed: their names, prefixes and
//! namespaces.
//!
//! A test holds names and namespaces of those with rpcs against the modules that are loaded; prefixes are
//! those of error paths, which bind them. Read next: [`super::operation`].

use ::netconf::names::namespace::{BASE, MONITORING, NMDA, NOTIFICATION};

/// The namespace of module irtf-agent.
pub const AGENT_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
/// The namespace of module convoke-negotiation.
pub const NEGOTIATION_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";
/// The namespace of module convoke-simulation.
pub const SIMULATION_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-simulation";
/// The namespace of module convoke-registry.
pub const REGISTRY_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
/// The namespace of module convoke-data.
pub const DATA_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-data";
/// The namespace of module convoke-audit.
pub const AUDIT_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-audit";
/// `convoke-schema`.
pub const SCHEMA_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-schema";
/// The namespace of module convoke-usage.
pub const USAGE_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-usage";
/// The namespace of module convoke-cluster.
pub const CLUSTER_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-cluster";
/// The namespace of module convoke-policy.
pub const POLICY_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-policy";
/// The namespace of module convoke-ems.
pub const EMS_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-ems";
/// The namespace of module ietf-alarms (RFC 8632).
pub const ALARMS_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-alarms";
/// The namespace of module ietf-network (RFC 8345).
pub const NETWORK_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-network";
/// The namespace of module ietf-network-topology (RFC 8345).
pub const TOPOLOGY_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-network-topology";

/// A YANG module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// Its name.
    pub(crate) name: &'static str,
    /// The prefix that error paths use for it.
    pub(crate) prefix: &'static str,
    /// Its namespace.
    pub(crate) namespace: &'static str,
}

const fn module(name: &'static str, prefix: &'static str, namespace: &'static str) -> Module {
    Module {
        name,
        prefix,
        namespace,
    }
}

pub(crate) static NETCONF: Module = module("ietf-netconf", "nc", BASE);
pub(crate) static NETCONF_NMDA: Module = module("ietf-netconf-nmda", "ncds", NMDA);
pub(crate) static NETCONF_MONITORING: Module = module("ietf-netconf-monitoring", "ncm", MONITORING);
pub(crate) static NOTIFICATIONS: Module = module("notifications", "ncEvent", NOTIFICATION);
pub(crate) static AGENT: Module = module("irtf-agent", "agt", AGENT_NAMESPACE);
pub(crate) static NEGOTIATION: Module = module("convoke-negotiation", "cvn", NEGOTIATION_NAMESPACE);
pub(crate) static REGISTRY: Module = module("convoke-registry", "cvr", REGISTRY_NAMESPACE);
pub(crate) static DATA: Module = module("convoke-data", "cvdata", DATA_NAMESPACE);
pub(crate) static AUDIT: Module = module("convoke-audit", "cva", AUDIT_NAMESPACE);
pub(crate) static SCHEMA: Module = module("convoke-schema", "cvschema", SCHEMA_NAMESPACE);
pub(crate) static SIMULATION: Module = module("convoke-simulation", "cvs", SIMULATION_NAMESPACE);
pub(crate) static USAGE: Module = module("convoke-usage", "cvu", USAGE_NAMESPACE);
pub(crate) static CLUSTER: Module = module("convoke-cluster", "cvcluster", CLUSTER_NAMESPACE);
pub(crate) static POLICY: Module = module("convoke-policy", "cvpolicy", POLICY_NAMESPACE);
pub(crate) static EMS: Module = module("convoke-ems", "cvems", EMS_NAMESPACE);
