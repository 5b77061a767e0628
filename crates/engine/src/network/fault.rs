//! A fault of the simulated network as it really is, and why the network was not broken or mended so.
//!
//! Read next: [`crate::network::faults`].

use crate::Refusal;
use crate::refusal::{Field, InvalidInput, NotAvailable, NotFound};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;

/// A fault as it really is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// Its number, from 1; new with each start of the platform.
    pub id: u64,
    /// What happened.
    pub kind: Cause,
    /// To what.
    pub element: ElementId,
    /// When.
    pub began: Timestamp,
    /// When it was mended, or ended by itself.
    pub repaired: Option<Timestamp>,
    /// When all sites that it took out were back in service.
    pub restored: Option<Timestamp>,
    /// How many sites were out of service because of it at any time.
    pub sites_out: usize,
}

/// Why the network was not broken or mended so; [`crate::Refusal`] groups it, and says it in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultRefusal {
    /// The network has no such element.
    UnknownElement(ElementId),
    /// The element is of another kind than what breaks, or cannot break like this.
    OtherElement(String),
    /// How long it takes cannot be set to this.
    Duration(String),
    /// How bad it is cannot be set.
    Severity(String),
    /// Nothing here can break like this.
    Nowhere(String),
    /// No such fault goes on.
    Unknown {
        /// Its number.
        id: u64,
    },
}

impl From<FaultRefusal> for Refusal {
    fn from(refusal: FaultRefusal) -> Self {
        let (field, why) = match refusal {
            FaultRefusal::UnknownElement(element) => {
                let (field, element) = (Field::Element, element.to_string());
                return NotFound::Element { field, element }.into();
            }
            FaultRefusal::Unknown { id } => return NotFound::Fault { id }.into(),
            FaultRefusal::Nowhere(why) => return NotAvailable::Impossible { why }.into(),
            FaultRefusal::OtherElement(why) => (Field::Element, why),
            FaultRefusal::Duration(why) => (Field::Duration, why),
            FaultRefusal::Severity(why) => (Field::Severity, why),
        };
        InvalidInput::Fault { field, why }.into()
    }
}
