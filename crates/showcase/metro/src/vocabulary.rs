//! The names under which this network's equipment raises alarms.
//!
//! They are the equipment's own; nobody elsewhere has a name for any of them. Read next:
//! [`crate::cascade`], which says when each is raised.

use domain::telemetry::Severity;

/// A type of alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetroAlarmType {
    /// A port receives no light.
    RLos,
    /// A port is told that the far one receives nothing.
    RRdi,
    /// A port receives too little light.
    InPwrLow,
    /// A laser is about to end.
    LsrWillDie,
    /// Blocks arrive damaged at a port.
    B1Exc,
    /// A board reports its own hardware as broken.
    HardBad,
    /// A board does not answer.
    BdStatus,
    /// A card lost the session over an uplink.
    BfdDown,
    /// A card discards what its queue cannot hold.
    QueueDiscard,
    /// A router moved its tunnels to the other uplink.
    TunnelSwitched,
    /// A router misses the far end of a tunnel.
    MplsTunnelLocv,
    /// The management system cannot log in.
    NeNotLogin,
    /// A site receives nothing from above.
    EthLos,
    /// The mobile core lost a site.
    S1LinkBroken,
    /// A site lost the session with a neighbour.
    X2PathBroken,
    /// A site is without mains.
    PowerFail,
    /// The batteries of a site are low.
    BatLow,
    /// A site says that it ends now.
    DyingGasp,
    /// A radio unit does not answer its baseband.
    RruCommFail,
    /// An antenna reflects.
    VswrHigh,
    /// A cell is not on air.
    CellOos,
    /// A cell has more users than it serves well.
    CellOverload,
    /// It is too hot.
    TempOver,
    /// The satellite clock is not received.
    GpsLockLost,
    /// A door stands open.
    DoorOpen,
    /// A licence ends soon.
    LicenceExpiring,
}

impl MetroAlarmType {
    /// The name that alarms carry.
    pub fn name(self) -> &'static str {
        self.described().0
    }

    /// The severity.
    pub fn severity(self) -> Severity {
        self.described().1
    }

    fn described(self) -> (&'static str, Severity) {
        use Severity::{Critical, Major, Minor, Warning};
        match self {
            Self::RLos => ("R_LOS", Critical),
            Self::RRdi => ("R_RDI", Minor),
            Self::InPwrLow => ("IN_PWR_LOW", Major),
            Self::LsrWillDie => ("LSR_WILL_DIE", Major),
            Self::B1Exc => ("B1_EXC", Minor),
            Self::HardBad => ("HARD_BAD", Critical),
            Self::BdStatus => ("BD_STATUS", Major),
            Self::BfdDown => ("BFD_DOWN", Major),
            Self::QueueDiscard => ("QUEUE_DISCARD", Minor),
            Self::TunnelSwitched => ("TUNNEL_SWITCHED", Minor),
            Self::MplsTunnelLocv => ("MPLS_TUNNEL_LOCV", Critical),
            Self::NeNotLogin => ("NE_NOT_LOGIN", Critical),
            Self::EthLos => ("ETH_LOS", Critical),
            Self::S1LinkBroken => ("S1_LINK_BROKEN", Critical),
            Self::X2PathBroken => ("X2_PATH_BROKEN", Minor),
            Self::PowerFail => ("POWER_FAIL", Major),
            Self::BatLow => ("BAT_LOW", Major),
            Self::DyingGasp => ("DYING_GASP", Critical),
            Self::RruCommFail => ("RRU_COMM_FAIL", Major),
            Self::VswrHigh => ("VSWR_HIGH", Major),
            Self::CellOos => ("CELL_OOS", Critical),
            Self::CellOverload => ("CELL_OVERLOAD", Warning),
            Self::TempOver => ("TEMP_OVER", Minor),
            Self::GpsLockLost => ("GPS_LOCK_LOST", Minor),
            Self::DoorOpen => ("DOOR_OPEN", Warning),
            Self::LicenceExpiring => ("LICENCE_EXPIRING", Warning),
        }
    }
}
