//! The sites' traffic, and the probes that are part of it (as in TWAMP, RFC 5357).
//!
//! A socket in the namespace of every site's host, and one at each end of every link. A packet
//! names who sent it, to whom and when; who gets it sends it back, and who gets it back counts it.
//! Probes over a link live for one hop. The sockets are opened within the namespaces by a thread
//! that enters one after the other. Read next: [`super::protocol`].

use super::protocol::{ProbeCounts, ProbeReport};
use crate::error::LabError;
use crate::plan::LabPlan;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::BTreeMap;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PORT: u16 = 4_747;
/// From one round of probes to the next.
const ROUND: Duration = Duration::from_millis(200);
/// The turns in which a round is sent. What was sent in one is answered before the next: however many
/// sites there are, what comes back does not wait until all was sent.
const TURNS: usize = 20;
/// The most sites that one sends to in a round.
const PEERS_A_ROUND: usize = 10;
/// The probes that are sent over a link in a round, so that one lost is not many of a hundred.
const LINK_PROBES_A_ROUND: usize = 4;
/// The size of a packet, in bytes.
const PACKET_BYTES: usize = 500;
const MAGIC: &[u8; 4] = b"cvlb";
/// The seconds over which a report counts, and the youngest ones that it leaves out, whose probes are under way.
const REPORTED_S: std::ops::Range<u64> = 1..5;
/// The seconds that are kept.
const KEPT_S: u64 = 8;

/// A relation that is probed: of sites by their places, or a link by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    Sites(u16, u16),
    Link(u16),
}

/// What was counted, by second.
#[derive(Debug, Default)]
pub(crate) struct TrafficCounts {
    seconds: BTreeMap<(u64, Relation), (u32, u32, f64)>,
    now_s: u64,
    names: Vec<String>,
    links: Vec<String>,
}

impl TrafficCounts {
    fn sent(&mut self, second: u64, relation: Relation) {
        self.seconds.entry((second, relation)).or_default().0 += 1;
    }

    fn returned(&mut self, second: u64, relation: Relation, delay_ms: f64) {
        if let Some((_, returned, delay)) = self.seconds.get_mut(&(second, relation)) {
            *returned += 1;
            *delay += delay_ms;
        }
    }

    fn turn(&mut self, now_s: u64) {
        if now_s == self.now_s {
            return;
        }
        self.now_s = now_s;
        let oldest = now_s.saturating_sub(KEPT_S);
        self.seconds = self.seconds.split_off(&(oldest, Relation::Sites(0, 0)));
    }

    /// What was counted of late.
    pub(crate) fn report(&self) -> ProbeReport {
        let mut sums: BTreeMap<Relation, (u32, u32, f64)> = BTreeMap::new();
        for ((second, relation), (sent, returned, delay)) in &self.seconds {
            if REPORTED_S.contains(&self.now_s.saturating_sub(*second)) {
                let sum = sums.entry(*relation).or_default();
                *sum = (sum.0 + sent, sum.1 + returned, sum.2 + delay);
            }
        }
        let mut report = ProbeReport::default();
        for (relation, (sent, returned, delay)) in sums {
            let delay_ms = if returned > 0 {
                delay / f64::from(returned)
            } else {
                0.0
            };
            let counts = ProbeCounts {
                sent,
                returned,
                delay_ms,
            };
            match relation {
                Relation::Sites(from, to) => {
                    let names = [from, to].map(|site| self.names[usize::from(site)].as_str());
                    report.sites.insert(names.join(" "), counts);
                }
                Relation::Link(link) => {
                    report
                        .links
                        .insert(self.links[usize::from(link)].clone(), counts);
                }
            }
        }
        report
    }
}

/// A socket, and what it stands for.
struct ProbeSocket {
    socket: UdpSocket,
    /// Whom it sends to in a round.
    targets: Vec<(Relation, SocketAddr)>,
    /// How many probes it sends in a round.
    a_round: usize,
    next: usize,
}

/// The sites' traffic.
pub(crate) struct Traffic {
    sockets: Vec<ProbeSocket>,
    counts: Arc<Mutex<TrafficCounts>>,
    began: Instant,
}

impl Traffic {
    /// Opens the sockets.
    ///
    /// # Errors
    /// [`LabError::File`] if a namespace cannot be entered, or an address is not there.
    pub(crate) fn open(plan: &LabPlan) -> Result<Self, LabError> {
        let to_open = plan.clone();
        let opened = std::thread::spawn(move || open(&to_open));
        let sockets = opened.join().expect("opening does not panic")?;
        let counts = TrafficCounts {
            names: plan.routers.iter().map(|r| r.name.clone()).collect(),
            links: plan.links.iter().map(|l| l.id.to_string()).collect(),
            ..TrafficCounts::default()
        };
        Ok(Self {
            sockets,
            counts: Arc::new(Mutex::new(counts)),
            began: Instant::now(),
        })
    }

    /// What is counted.
    pub(crate) fn counts(&self) -> Arc<Mutex<TrafficCounts>> {
        Arc::clone(&self.counts)
    }

    /// Sends and answers until the process ends.
    pub(crate) fn flow(mut self) {
        let mut next = Instant::now();
        let mut turns = (0..TURNS).cycle();
        loop {
            let now = Instant::now();
            if now >= next {
                self.send(turns.next().expect("they go round"));
                next = (next + ROUND / TURNS as u32).max(now);
            }
            self.answer(next.saturating_duration_since(Instant::now()));
        }
    }

    /// Sends from the sockets whose turn it is.
    fn send(&mut self, turn: usize) {
        let mut counts = self.counts.lock().expect("no holder panics");
        counts.turn(self.began.elapsed().as_secs());
        for own in self.sockets.iter_mut().skip(turn).step_by(TURNS) {
            for _ in 0..own.a_round {
                let at = self.began.elapsed();
                let (relation, to) = own.targets[own.next % own.targets.len()];
                own.next += 1;
                counts.sent(at.as_secs(), relation);
                // What cannot be sent is lost, and is counted so.
                let _ = own.socket.send_to(&packet(b'?', relation, at), to);
            }
        }
    }

    /// Answers what comes in, and counts what comes back, for this long.
    fn answer(&self, longest: Duration) {
        let mut polled: Vec<PollFd<'_>> = self
            .sockets
            .iter()
            .map(|own| PollFd::from_borrowed_fd(own.socket.as_fd(), PollFlags::IN))
            .collect();
        let wait = Timespec {
            tv_sec: 0,
            tv_nsec: longest.as_nanos().min(999_999_999) as _,
        };
        if poll(&mut polled, Some(&wait)).is_err() {
            return;
        }
        let ready = polled.iter().map(|p| !p.revents().is_empty());
        let ready: Vec<bool> = ready.collect();
        let mut bytes = [0; PACKET_BYTES];
        for (own, _) in self.sockets.iter().zip(ready).filter(|(_, ready)| *ready) {
            while let Ok((read, from)) = own.socket.recv_from(&mut bytes) {
                let Some((kind, relation, sent)) = parsed(&bytes[..read]) else {
                    continue;
                };
                match kind {
                    b'?' => {
                        bytes[4] = b'!';
                        let _ = own.socket.send_to(&bytes[..read], from);
                    }
                    _ => {
                        let delay = self.began.elapsed().saturating_sub(sent);
                        let mut counts = self.counts.lock().expect("no holder panics");
                        counts.returned(sent.as_secs(), relation, 1_000.0 * delay.as_secs_f64());
                    }
                }
            }
        }
    }
}

fn packet(kind: u8, relation: Relation, at: Duration) -> [u8; PACKET_BYTES] {
    let mut bytes = [0; PACKET_BYTES];
    let (of, one, other) = match relation {
        Relation::Sites(from, to) => (b's', from, to),
        Relation::Link(link) => (b'l', link, 0),
    };
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4] = kind;
    bytes[5] = of;
    bytes[6..8].copy_from_slice(&one.to_be_bytes());
    bytes[8..10].copy_from_slice(&other.to_be_bytes());
    bytes[10..18].copy_from_slice(&(at.as_nanos() as u64).to_be_bytes());
    bytes
}

fn parsed(bytes: &[u8]) -> Option<(u8, Relation, Duration)> {
    let head: &[u8; 18] = bytes.first_chunk()?;
    if head[..4] != *MAGIC {
        return None;
    }
    let number = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let relation = match head[5] {
        b's' => Relation::Sites(number(6), number(8)),
        _ => Relation::Link(number(6)),
    };
    let sent = u64::from_be_bytes(*head.last_chunk()?);
    Some((head[4], relation, Duration::from_nanos(sent)))
}

fn open(plan: &LabPlan) -> Result<Vec<ProbeSocket>, LabError> {
    let mut sockets = Vec::new();
    let at = |address: Ipv4Addr| SocketAddr::from((address, PORT));
    for (from, router) in plan.routers.iter().enumerate() {
        enter(&plan.host_namespace(from))?;
        let others = (0..plan.routers.len()).filter(|to| *to != from);
        let targets = others.map(|to| {
            let relation = Relation::Sites(from as u16, to as u16);
            (relation, at(plan.routers[to].host))
        });
        sockets.push(socket(router.host, targets.collect(), None)?);
    }
    for (place, link) in plan.links.iter().enumerate() {
        let relation = Relation::Link(place as u16);
        for (end, targets) in [
            (&link.a, vec![(relation, at(link.b.address))]),
            (&link.b, Vec::new()),
        ] {
            enter(&plan.namespace(end.router))?;
            sockets.push(socket(end.address, targets, Some(1))?);
        }
    }
    Ok(sockets)
}

/// Moves this thread into a namespace.
fn enter(namespace: &str) -> Result<(), LabError> {
    let path = Path::new("/run/netns").join(namespace);
    let file = File::open(&path).map_err(|e| LabError::file(&path, e))?;
    move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))
        .map_err(|e| LabError::file(&path, e.into()))
}

fn socket(
    address: Ipv4Addr,
    targets: Vec<(Relation, SocketAddr)>,
    hops: Option<u32>,
) -> Result<ProbeSocket, LabError> {
    let opened = || -> std::io::Result<UdpSocket> {
        let socket = UdpSocket::bind((address, PORT))?;
        socket.set_nonblocking(true)?;
        if let Some(hops) = hops {
            socket.set_ttl(hops)?;
        }
        Ok(socket)
    };
    let failed = |e| LabError::file(Path::new(&format!("{address}:{PORT}")), e);
    let a_round = match (hops, targets.len()) {
        (Some(_), 1..) => LINK_PROBES_A_ROUND,
        (_, targets) => targets.min(PEERS_A_ROUND),
    };
    Ok(ProbeSocket {
        socket: opened().map_err(failed)?,
        next: 0,
        a_round,
        targets,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_says_who_sent_it_and_when() {
        for relation in [Relation::Sites(3, 700), Relation::Link(65_535)] {
            let at = Duration::from_millis(1_234);
            let bytes = packet(b'?', relation, at);
            assert_eq!(parsed(&bytes), Some((b'?', relation, at)));
        }
        assert_eq!(parsed(b"cvlb"), None);
        assert_eq!(parsed(&[0; PACKET_BYTES]), None);
    }

    #[test]
    fn a_report_leaves_out_what_is_under_way() {
        let mut counts = TrafficCounts {
            links: vec!["link:x".to_owned()],
            ..TrafficCounts::default()
        };
        for second in 0..=10 {
            counts.turn(second);
            counts.sent(second, Relation::Link(0));
            if second % 2 == 0 {
                counts.returned(second, Relation::Link(0), 8.0);
            }
        }
        let link = counts.report().links["link:x"];
        assert_eq!((link.sent, link.returned, link.delay_ms), (4, 2, 8.0));
        assert_eq!(link.loss(), 0.5);
    }
}
