//! What can be done to the laboratory, and the cause that each is: the table that was published
//! before anything was scored (`docs/lab.md`).
//!
//! Refuses to know how it is done. Read next: [`crate::injector`].

use domain::cause::Cause;
use domain::inventory::ElementKind;

/// A fault, or a change that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabFault {
    /// An interface is shut at one end of a link.
    InterfaceDownOneEnd,
    /// The interfaces at both ends of a link are shut.
    InterfaceDownBothEnds,
    /// A link has no carrier at either end.
    FibreCut,
    /// No link of a duct has carrier.
    DuctCut,
    /// Every process of a router is stopped, and stays in memory.
    RouterFrozen,
    /// Every process of a router is ended, and its ports are dark.
    RouterKilled,
    /// The ospfd of a router is ended.
    OspfdKilled,
    /// A share of the packets of a link is lost, in one direction.
    PacketLoss,
    /// A port is shaped to less than is sent.
    BandwidthTooLow,
    /// The queue of a port holds one packet.
    QueueTooShort,
    /// The cost of a link is ten times as high at one end.
    WrongMetric,
    /// One end of a link is in another area.
    WrongArea,
    /// One end of a link has a smaller MTU.
    WrongMtu,
    /// One end of a link has other timers.
    WrongTimer,
    /// OSPF is passive at one end of a link.
    PassiveInterface,
    /// A router drops what it should forward to a site's prefix.
    PrefixFilter,
    /// A router has the address of a site's host.
    DuplicateAddress,
    /// A static route of a router discards what goes to a site's prefix.
    BlackHole,
    /// No fault: an engineer changes the cost of a link at both ends, as planned.
    PlannedMetric,
    /// No fault: an engineer describes a port anew.
    Description,
    /// No fault: nothing happens.
    Quiet,
}

impl LabFault {
    /// Every one: faults first, then what is none.
    pub const ALL: [Self; 21] = [
        Self::InterfaceDownOneEnd,
        Self::InterfaceDownBothEnds,
        Self::FibreCut,
        Self::DuctCut,
        Self::RouterFrozen,
        Self::RouterKilled,
        Self::OspfdKilled,
        Self::PacketLoss,
        Self::BandwidthTooLow,
        Self::QueueTooShort,
        Self::WrongMetric,
        Self::WrongArea,
        Self::WrongMtu,
        Self::WrongTimer,
        Self::PassiveInterface,
        Self::PrefixFilter,
        Self::DuplicateAddress,
        Self::BlackHole,
        Self::PlannedMetric,
        Self::Description,
        Self::Quiet,
    ];

    /// The name, in the book and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InterfaceDownOneEnd => "interface-down-one-end",
            Self::InterfaceDownBothEnds => "interface-down-both-ends",
            Self::FibreCut => "fibre-cut",
            Self::DuctCut => "duct-cut",
            Self::RouterFrozen => "router-frozen",
            Self::RouterKilled => "router-killed",
            Self::OspfdKilled => "ospfd-killed",
            Self::PacketLoss => "packet-loss",
            Self::BandwidthTooLow => "bandwidth-too-low",
            Self::QueueTooShort => "queue-too-short",
            Self::WrongMetric => "wrong-metric",
            Self::WrongArea => "wrong-area",
            Self::WrongMtu => "wrong-mtu",
            Self::WrongTimer => "wrong-timer",
            Self::PassiveInterface => "passive-interface",
            Self::PrefixFilter => "prefix-filter",
            Self::DuplicateAddress => "duplicate-address",
            Self::BlackHole => "black-hole",
            Self::PlannedMetric => "planned-metric",
            Self::Description => "description",
            Self::Quiet => "quiet",
        }
    }

    /// The one called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.as_str() == name)
    }

    /// The cause that it is; none for what is no fault.
    pub fn cause(self) -> Option<Cause> {
        Some(match self {
            Self::InterfaceDownOneEnd | Self::InterfaceDownBothEnds => Cause::InterfaceDown,
            Self::FibreCut => Cause::FibreCut,
            Self::DuctCut => Cause::DuctCut,
            Self::RouterFrozen | Self::RouterKilled => Cause::RouterFailure,
            Self::OspfdKilled => Cause::RoutingProcessDown,
            Self::PacketLoss => Cause::PacketLoss,
            Self::BandwidthTooLow => Cause::BandwidthTooLow,
            Self::QueueTooShort => Cause::QueueTooShort,
            Self::WrongMetric => Cause::WrongMetric,
            Self::WrongArea => Cause::AreaMismatch,
            Self::WrongMtu => Cause::MtuMismatch,
            Self::WrongTimer => Cause::TimerMismatch,
            Self::PassiveInterface => Cause::PassiveInterface,
            Self::PrefixFilter => Cause::PrefixFiltered,
            Self::DuplicateAddress => Cause::DuplicateAddress,
            Self::BlackHole => Cause::BlackHole,
            Self::PlannedMetric | Self::Description | Self::Quiet => return None,
        })
    }

    /// The kind of element that it is done to; none for what is done to nothing.
    pub fn strikes(self) -> Option<ElementKind> {
        match self {
            Self::Quiet => None,
            Self::PlannedMetric | Self::Description => Some(ElementKind::Link),
            fault => fault.cause().map(Cause::strikes),
        }
    }

    /// True if nobody can mend it from afar: a fibre, a duct, cords that lose packets.
    pub fn wants_engineer(self) -> bool {
        matches!(self, Self::FibreCut | Self::DuctCut | Self::PacketLoss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_name_and_a_cause_that_strikes_where_it_is_done() {
        for fault in LabFault::ALL {
            assert_eq!(LabFault::parse(fault.as_str()), Some(fault));
            if let Some(cause) = fault.cause() {
                assert_eq!(fault.strikes(), Some(cause.strikes()));
            }
        }
        let faults = LabFault::ALL.into_iter().filter(|f| f.cause().is_some());
        assert_eq!(faults.count(), 18);
        // Every cause that no simulated network has is one that is done here.
        let done = LabFault::ALL.map(LabFault::cause);
        let others = Cause::ALL.into_iter().filter(|cause| !cause.is_simulated());
        assert!(others.into_iter().all(|cause| done.contains(&Some(cause))));
    }
}
