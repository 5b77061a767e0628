//! The load of links, and what is measured of it: utilisation, loss and delay.
//!
//! Knows queues; refuses to know paths. Read next: [`super`], which routes what links carry.

use domain::inventory::ElementId;
use domain::telemetry::LinkPerformance;
use std::collections::BTreeMap;

/// Propagation delay per kilometre of fibre, in milliseconds.
const MS_PER_KM: f64 = 0.005;
/// The packet size: 1 500 bytes, in bits.
const PACKET_BITS: f64 = 12_000.0;
/// The mean number of packets in a burst; assumed.
const BUNCH: f64 = 100.0;
/// The longest queueing delay, limited by buffers, in milliseconds.
const BUFFER_MS: f64 = 50.0;
/// The ratio of offered traffic to capacity from which a link is congested.
const CONGESTED: f64 = 1.001;

/// The traffic in one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// The offered traffic, in Mbit/s.
    pub offered_mbps: f64,
    /// The traffic that arrives at its end, in Mbit/s.
    pub carried_mbps: f64,
}

/// Both directions of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// From its end A to its end B.
    pub forth: Way,
    /// From its end B to its end A.
    pub back: Way,
    /// Its capacity in each direction, in Mbit/s.
    pub capacity_mbps: f64,
    /// Its length in kilometres.
    pub length_km: f64,
}

/// The current traffic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flows {
    /// The links that work.
    pub links: BTreeMap<ElementId, Load>,
    /// The traffic offered by all sources, in Mbit/s.
    pub offered_mbps: f64,
    /// The traffic that arrives, in Mbit/s.
    pub delivered_mbps: f64,
    /// The traffic dropped by links, in Mbit/s.
    pub dropped_mbps: f64,
    /// The traffic without a path, in Mbit/s.
    pub pathless_mbps: f64,
    /// The share of its traffic that each site gets, 0 to 1; sites that get all are left out.
    pub sites: BTreeMap<ElementId, f64>,
}

impl Load {
    fn ways(&self) -> [Way; 2] {
        [self.forth, self.back]
    }

    /// The utilisation of the busier direction: offered traffic over capacity; may exceed 1.
    pub fn utilisation(&self) -> f64 {
        let most = self.forth.offered_mbps.max(self.back.offered_mbps);
        most / self.capacity_mbps.max(1e-9)
    }

    /// True if it is offered more than its capacity.
    pub fn is_congested(&self) -> bool {
        self.utilisation() > CONGESTED
    }

    /// The share lost in the worse direction, 0 to 1.
    pub fn loss(&self) -> f64 {
        self.ways()
            .into_iter()
            .filter(|way| way.offered_mbps > 0.0)
            .map(|way| (1.0 - way.carried_mbps / way.offered_mbps).clamp(0.0, 1.0))
            .fold(0.0, f64::max)
    }

    /// End-to-end delay: propagation plus queueing as of M/M/1 with bursts of packets, limited by
    /// the buffer.
    pub fn latency_ms(&self) -> f64 {
        let busy = self.utilisation();
        let bunch_ms = BUNCH * PACKET_BITS / (self.capacity_mbps.max(1e-9) * 1_000.0);
        let queue_ms = if busy < 1.0 {
            (bunch_ms * busy / (1.0 - busy)).min(BUFFER_MS)
        } else {
            BUFFER_MS
        };
        self.length_km * MS_PER_KM + queue_ms
    }

    /// The performance as its management system measures it.
    pub fn performance(&self) -> LinkPerformance {
        LinkPerformance {
            utilisation: self.utilisation(),
            traffic_mbps: self.forth.carried_mbps.max(self.back.carried_mbps),
            latency_ms: self.latency_ms(),
            loss: self.loss(),
        }
    }
}

impl Flows {
    /// The links that are offered more than their capacity.
    pub fn congested(&self) -> impl Iterator<Item = &ElementId> {
        let links = self.links.iter();
        links
            .filter(|(_, load)| load.is_congested())
            .map(|(id, _)| id)
    }
}
