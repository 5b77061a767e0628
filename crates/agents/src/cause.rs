//! The causes of faults that the agents tell apart.
//!
//! A cause belongs to one kind of element: a duct is cut, a card fails. Knows nothing of how a
//! cause shows itself; read [`crate::topology`] and [`crate::oss_fault`] for that.

use domain::inventory::{Domain, ElementKind};
use std::fmt;

/// Why service was lost.
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
    /// The mains supply of a zone is gone and its sites' batteries are empty.
    MainsFailure,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Cause; 5] = [
        Self::FibreCut,
        Self::DuctCut,
        Self::CardFailure,
        Self::RouterFailure,
        Self::MainsFailure,
    ];

    /// The name that payloads carry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FibreCut => "fibre-cut",
            Self::DuctCut => "duct-cut",
            Self::CardFailure => "card-failure",
            Self::RouterFailure => "router-failure",
            Self::MainsFailure => "mains-failure",
        }
    }

    /// The cause called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.as_str() == name)
    }

    /// The cause that elements of `kind` can be; sites are where faults show, not where they lie.
    pub fn of(kind: ElementKind) -> Option<Self> {
        match kind {
            ElementKind::Link => Some(Self::FibreCut),
            ElementKind::Duct => Some(Self::DuctCut),
            ElementKind::LineCard => Some(Self::CardFailure),
            ElementKind::Router => Some(Self::RouterFailure),
            ElementKind::PowerZone => Some(Self::MainsFailure),
            ElementKind::Site => None,
        }
    }

    /// Whose agent can confirm it.
    pub fn domain(self) -> Domain {
        match self {
            Self::MainsFailure => Domain::Wireless,
            _ => Domain::Ip,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
