//! The causes of faults, under the names that payloads, reports and the simulated network share.
//!
//! A cause belongs to one kind of element: a duct is cut, a card fails; a kind may have several. Knows nothing of how a
//! cause shows itself, nor of how it is repaired. Read next: [`crate::inventory`].

use crate::inventory::{Domain, ElementId, ElementKind};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The cause of a loss of service.
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// One link's fibre is broken.
    FibreCut,
    /// A duct is cut, and with it every fibre it holds.
    DuctCut,
    /// A line card is dead.
    CardFailure,
    /// A router is dead.
    RouterFailure,
    /// The mains supply of a zone is gone; its sites live on their batteries while these last.
    MainsFailure,
    /// An optical module sends less and less light: bit errors at first, darkness at the end.
    OpticalModuleAgeing,
    /// The hardware of a cell is broken.
    CellHardwareFailure,
    /// A parameter of a cell is not as planned.
    Misconfiguration,
    /// Something foreign transmits on a cell's carrier.
    Interference,
    /// A link is given more than it can carry.
    Congestion,
    /// An interface of a link was shut, at one end or at both.
    InterfaceDown,
    /// A link loses packets that it has room for.
    PacketLoss,
    /// A port of a link is shaped to less than is sent through it.
    BandwidthTooLow,
    /// The queue of a port of a link holds less than arrives at once.
    QueueTooShort,
    /// The metric of a link at one end is not what it should be.
    WrongMetric,
    /// The ends of a link are in different areas of OSPF.
    AreaMismatch,
    /// The ends of a link have different maximum transmission units.
    MtuMismatch,
    /// The ends of a link have different hello or dead timers.
    TimerMismatch,
    /// OSPF is passive on an interface of a link, which should have a neighbour there.
    PassiveInterface,
    /// The routing process of a router does not run, although the router does.
    RoutingProcessDown,
    /// A filter of a router drops what goes to a prefix.
    PrefixFiltered,
    /// A router has an address that is another's.
    DuplicateAddress,
    /// A static route of a router discards what goes to a prefix.
    BlackHole,
}

crate::named! {
    /// The name, everywhere: `fibre-cut`.
    Cause
}

impl Cause {
    /// The kind of element that it strikes.
    pub fn strikes(self) -> ElementKind {
        match self {
            Self::FibreCut
            | Self::Congestion
            | Self::InterfaceDown
            | Self::PacketLoss
            | Self::BandwidthTooLow
            | Self::QueueTooShort
            | Self::WrongMetric
            | Self::AreaMismatch
            | Self::MtuMismatch
            | Self::TimerMismatch
            | Self::PassiveInterface => ElementKind::Link,
            Self::DuctCut => ElementKind::Duct,
            Self::CardFailure => ElementKind::LineCard,
            Self::RouterFailure
            | Self::RoutingProcessDown
            | Self::PrefixFiltered
            | Self::DuplicateAddress
            | Self::BlackHole => ElementKind::Router,
            Self::MainsFailure => ElementKind::PowerZone,
            Self::OpticalModuleAgeing => ElementKind::Optic,
            Self::CellHardwareFailure | Self::Misconfiguration | Self::Interference => {
                ElementKind::Cell
            }
        }
    }

    /// The cause to think of first at elements of `kind`; sites are where faults show, not where they
    /// lie.
    pub fn of(kind: ElementKind) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.strikes() == kind)
    }

    /// The cause to think of first at an element, by its identifier alone: that of its kind; a
    /// site's own trouble is its power.
    pub fn usual_of(element: &ElementId) -> Self {
        let kind = element.as_str().split(':').next().unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|c| c.strikes().as_str() == kind)
            .unwrap_or(Self::MainsFailure)
    }

    /// The causes that the simulated network knows, which has neither protocols nor packets.
    pub fn simulated() -> impl Iterator<Item = Self> + Clone {
        Self::ALL.into_iter().filter(|cause| cause.is_simulated())
    }

    /// True if the simulated network knows it; the others are of the software, the configuration and
    /// the ports of real routers.
    pub fn is_simulated(self) -> bool {
        self <= Self::Congestion
    }

    /// The domain whose agent can confirm it.
    pub fn domain(self) -> Domain {
        match self {
            Self::MainsFailure
            | Self::CellHardwareFailure
            | Self::Misconfiguration
            | Self::Interference => Domain::Wireless,
            _ => Domain::Ip,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_has_one_name_and_strikes_one_kind_of_element() {
        for cause in Cause::ALL {
            assert_eq!(Cause::parse(cause.as_str()), Some(cause));
            let usual = Cause::of(cause.strikes()).expect("what is struck has a cause");
            assert_eq!(usual.strikes(), cause.strikes());
            let element = ElementId::new(format!("{}:x", cause.strikes().as_str()));
            assert_eq!(Cause::usual_of(&element), usual);
        }
        assert_eq!(Cause::of(ElementKind::Link), Some(Cause::FibreCut));
        assert_eq!(
            Cause::of(ElementKind::Cell),
            Some(Cause::CellHardwareFailure)
        );
        assert_eq!(Cause::of(ElementKind::Router), Some(Cause::RouterFailure));
        assert_eq!(Cause::simulated().count(), 10);
        assert_eq!(Cause::parse("Fibre-Cut"), None);
        assert_eq!(Cause::of(ElementKind::Site), None);
        let site = ElementId::new("site:BE-017");
        assert_eq!(Cause::usual_of(&site), Cause::MainsFailure);
    }
}
