//! Where the API resources of RESTCONF are (RFC 8040 §3.1), as both protocols name them: `/restconf-state` tells it, and
//! the server serves it. Read next: [`super::encode`], [`crate::restconf`].

use engine::Endpoint;

/// The path of the platform's API resource at the server.
pub const ROOT: &str = "/restconf";

/// The path before it, with their names between, of the API resources of management systems: `/ems/ip/restconf`.
pub const SYSTEMS: &str = "/ems";

/// The path of the API resource of an endpoint; none if it has none.
pub(super) fn path(endpoint: &Endpoint) -> Option<String> {
    match endpoint {
        Endpoint::Platform => Some(ROOT.to_owned()),
        Endpoint::Ems(ems) => Some(format!("{SYSTEMS}/{}{ROOT}", ems.as_str())),
        Endpoint::Agent(_) => None,
    }
}
