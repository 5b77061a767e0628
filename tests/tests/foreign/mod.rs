//! Clients that were not written here, by protocol: what each does at a platform and is to be told. Of that they know no
//! more than an [`Entrance`](crate::support::entrance::Entrance), so that it may be one process or several nodes.

pub(crate) mod a2a;
pub(crate) mod mcp;
pub(crate) mod netconf;
pub(crate) mod restconf;
pub(crate) mod telecom;
