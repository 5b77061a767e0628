//! What nodes of a cluster are asked for (module convoke-cluster).
//!
//! Types alone: what carries an operation out says what it is. Read next: [`crate::cluster::lead`].

/// `drain-node`: asks a node not to lead, until it is started again or asked to lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainNode {
    /// Its name.
    pub node: String,
}

/// `move-lead`: asks a node to lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveLead {
    /// Its name.
    pub node: String,
}
