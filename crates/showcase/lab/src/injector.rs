//! The injector: does faults to the laboratory by kernel and FRR, writes them into the book, and
//! undoes them.
//!
//! Misconfigurations are set as an engineer sets parameters, by [`crate::rack::parameters`]; the
//! rest by signals, by the patch panel, and by nftables there, which no router sees. Runs as root,
//! as nobody else's process. Read next: [`crate::fault`], [`crate::book`].

use crate::book::{Book, BookEntry, ChangedParameter};
use crate::bring_up::Laboratory;
use crate::error::LabError;
use crate::fault::LabFault;
use crate::frr;
use crate::plan::{LabPlan, PortOfLink};
use crate::rack::{device, parameters};
use crate::requirements::DAEMONS;
use crate::shell::{fed, ip_lines};
use domain::inventory::{ElementId, ElementKind};
use domain::time::{SeededRng, Timestamp};
use rand_chacha::rand_core::{Rng, SeedableRng};
use rustix::process::Signal;

/// The share of packets that a lossy link loses, in percent.
const LOST_PERCENT: [u64; 3] = [10, 20, 30];
/// What too little bandwidth is, in kbit/s.
const LITTLE_KBPS: u64 = 64;
/// What too short a queue holds, in bytes.
const SHORT_BYTES: u64 = 600;
/// What too small an MTU is, in bytes.
const SMALL_MTU: u64 = 1_400;

/// What is to be done: a kind, and the rest if it matters.
#[derive(Clone, Debug)]
pub struct BreakRequest {
    /// The kind.
    pub fault: LabFault,
    /// To what; any element of its kind if none.
    pub element: Option<ElementId>,
}

/// The injector of a laboratory.
#[derive(Debug)]
pub struct Injector {
    lab: Laboratory,
    book: Book,
}

impl Injector {
    /// The injector of a laboratory that stands.
    pub fn of(lab: &Laboratory) -> Self {
        Self {
            lab: lab.clone(),
            book: Book::of(&lab.folder),
        }
    }

    /// The book.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// The elements to which a fault can be done.
    pub fn candidates(&self, fault: LabFault) -> Vec<ElementId> {
        let plan = &self.lab.plan;
        match fault.strikes() {
            Some(ElementKind::Link) => plan.links.iter().map(|link| link.id.clone()).collect(),
            Some(ElementKind::Router) => plan.routers.iter().map(|r| r.id()).collect(),
            Some(ElementKind::Duct) => {
                let ducts = plan.links.iter().filter_map(|link| link.duct.clone());
                let ducts: std::collections::BTreeSet<ElementId> = ducts.collect();
                ducts.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Does something, now, and writes it into the book before it shows.
    ///
    /// # Errors
    /// [`LabError::Request`] if there is no such element; [`LabError`] if it cannot be done.
    pub fn strike(
        &self,
        request: &BreakRequest,
        rng: &mut SeededRng,
        now: Timestamp,
    ) -> Result<BookEntry, LabError> {
        let fault = request.fault;
        let candidates = self.candidates(fault);
        let element = match &request.element {
            Some(element) if candidates.contains(element) => Some(element.clone()),
            Some(element) => {
                let kind = fault.as_str();
                return Err(LabError::Request(format!(
                    "{kind} cannot be done to '{element}'"
                )));
            }
            None if candidates.is_empty() => None,
            None => Some(candidates[below(rng, candidates.len())].clone()),
        };
        let changed = match &element {
            Some(element) => self.changes(fault, element, rng)?,
            None => Vec::new(),
        };
        let entry = self.book.change(|entries| {
            let entry = BookEntry {
                id: entries.len() as u64 + 1,
                fault: fault.as_str().to_owned(),
                element,
                from: now,
                until: None,
                changed,
            };
            entries.push(entry.clone());
            entry
        })?;
        self.carry_out(&entry, fault, rng)?;
        Ok(entry)
    }

    /// Undoes an entry: everything is as before, whoever has repaired what meanwhile.
    ///
    /// # Errors
    /// [`LabError::Request`] if there is no such entry; [`LabError`] if it cannot be undone.
    pub fn mend(&self, id: u64, now: Timestamp) -> Result<(), LabError> {
        let entries = self.book.entries()?;
        let entry = entries.iter().find(|entry| entry.id == id);
        let entry =
            entry.ok_or_else(|| LabError::Request(format!("the book has no entry {id}")))?;
        self.mend_entry(entry, now)
    }

    /// Undoes what an entry says, whatever the book says meanwhile, and closes the entry of that number.
    ///
    /// # Errors
    /// [`LabError`] if it cannot be undone.
    pub fn mend_entry(&self, entry: &BookEntry, now: Timestamp) -> Result<(), LabError> {
        let fault = LabFault::parse(&entry.fault)
            .ok_or_else(|| LabError::Request(format!("'{}' is no fault", entry.fault)))?;
        self.undo(entry, fault)?;
        self.book.change(|entries| {
            entries.retain(|known| known.id != entry.id);
            entries.push(BookEntry {
                until: entry.until.or(Some(now)),
                ..entry.clone()
            });
            entries.sort_by_key(|known| known.id);
        })
    }

    /// The parameters that a fault changes, with what they are now.
    fn changes(
        &self,
        fault: LabFault,
        element: &ElementId,
        rng: &mut SeededRng,
    ) -> Result<Vec<ChangedParameter>, LabError> {
        let plan = &self.lab.plan;
        let on_ends = |which: &[&PortOfLink], parameter: &str, is: &dyn Fn(&str) -> String| {
            let each = which.iter().map(|end| {
                let name = format!("{}/{parameter}", end.port);
                let told = device::configuration(&plan.namespace(end.router))?;
                let was = told.get(&name).cloned().unwrap_or_default();
                Ok(ChangedParameter {
                    router: plan.routers[end.router].name.clone(),
                    parameter: name,
                    is: is(&was),
                    was,
                })
            });
            each.collect::<Result<Vec<_>, LabError>>()
        };
        let link = plan.links.iter().find(|link| link.id == *element);
        if let Some(link) = link {
            let both = [&link.a, &link.b];
            let one = [both[below(rng, 2)]];
            let fixed = |value: String| move |_: &str| value.clone();
            let number = |was: &str| was.parse::<u64>().unwrap_or(1);
            return match fault {
                LabFault::InterfaceDownOneEnd => on_ends(&one, "admin", &fixed("down".into())),
                LabFault::InterfaceDownBothEnds => on_ends(&both, "admin", &fixed("down".into())),
                LabFault::BandwidthTooLow => {
                    on_ends(&one, "rate-kbps", &fixed(LITTLE_KBPS.to_string()))
                }
                LabFault::QueueTooShort => {
                    on_ends(&one, "queue-bytes", &fixed(SHORT_BYTES.to_string()))
                }
                LabFault::WrongMetric => {
                    on_ends(&one, "ospf-cost", &|was| (number(was) * 10).to_string())
                }
                LabFault::WrongArea => on_ends(&one, "ospf-area", &fixed("0.0.0.1".into())),
                LabFault::WrongMtu => on_ends(&one, "mtu", &fixed(SMALL_MTU.to_string())),
                LabFault::WrongTimer => {
                    on_ends(&one, "ospf-hello-s", &|was| (number(was) + 1).to_string())
                }
                LabFault::PassiveInterface => on_ends(&one, "ospf-passive", &fixed("true".into())),
                LabFault::PlannedMetric => {
                    on_ends(&both, "ospf-cost", &|was| (number(was) + 5).to_string())
                }
                LabFault::Description => {
                    let words = format!("to the other side, checked {}", below(rng, 1_000));
                    on_ends(&one, "description", &fixed(words))
                }
                _ => Ok(Vec::new()),
            };
        }
        let Some(router) = plan.routers.iter().position(|r| r.id() == *element) else {
            return Ok(Vec::new());
        };
        let step = 1 + below(rng, plan.routers.len() - 1);
        let other = &plan.routers[(router + step) % plan.routers.len()];
        let (parameter, is) = match fault {
            LabFault::OspfdKilled => ("ospfd".to_owned(), "stopped"),
            LabFault::PrefixFilter => (format!("filter/{}", other.prefix()), "drop"),
            LabFault::DuplicateAddress => (format!("address/{}/32", other.host), "present"),
            LabFault::BlackHole => (format!("route/{}", other.prefix()), "blackhole"),
            _ => return Ok(Vec::new()),
        };
        let was = if fault == LabFault::OspfdKilled {
            "running"
        } else {
            "none"
        };
        Ok(vec![ChangedParameter {
            router: plan.routers[router].name.clone(),
            parameter,
            was: was.to_owned(),
            is: is.to_owned(),
        }])
    }

    fn carry_out(
        &self,
        entry: &BookEntry,
        fault: LabFault,
        rng: &mut SeededRng,
    ) -> Result<(), LabError> {
        let plan = &self.lab.plan;
        match fault {
            LabFault::FibreCut | LabFault::DuctCut => self.plug(entry, "down"),
            LabFault::RouterFrozen => {
                let namespace = self.struck(entry)?;
                for daemon in DAEMONS {
                    frr::signal(&namespace, daemon, Signal::STOP);
                }
                Ok(())
            }
            LabFault::RouterKilled => {
                let namespace = self.struck(entry)?;
                for daemon in DAEMONS {
                    frr::end(&namespace, daemon);
                }
                self.ports(&namespace, "down")
            }
            LabFault::PacketLoss => {
                let port = self.panel_ports(entry)[below(rng, 2)].clone();
                let lost = LOST_PERCENT[below(rng, LOST_PERCENT.len())];
                let loss = loss_table(entry);
                let table = format!(
                    "table netdev {loss} {{ chain loss {{ type filter hook ingress device \"{port}\" \
                     priority 0; numgen random mod 100 < {lost} drop; }}; }}\n"
                );
                let arguments = ["netns", "exec", &plan.panel(), "nft", "-f", "-"];
                Ok(fed("ip", &arguments, &table).map(drop)?)
            }
            _ => entry.changed.iter().try_for_each(|c| self.set(c, &c.is)),
        }
    }

    fn undo(&self, entry: &BookEntry, fault: LabFault) -> Result<(), LabError> {
        let plan = &self.lab.plan;
        match fault {
            LabFault::FibreCut | LabFault::DuctCut => self.plug(entry, "up"),
            LabFault::RouterFrozen => {
                let namespace = self.struck(entry)?;
                for daemon in DAEMONS {
                    frr::signal(&namespace, daemon, Signal::CONT);
                }
                self.revive(&namespace)
            }
            LabFault::RouterKilled => {
                let namespace = self.struck(entry)?;
                self.ports(&namespace, "up")?;
                self.revive(&namespace)
            }
            LabFault::PacketLoss => {
                let loss = loss_table(entry);
                let table = format!("table netdev {loss} {{}}\ndelete table netdev {loss}\n");
                let arguments = ["netns", "exec", &plan.panel(), "nft", "-f", "-"];
                Ok(fed("ip", &arguments, &table).map(drop)?)
            }
            _ => entry.changed.iter().try_for_each(|c| self.restore(c)),
        }
    }

    /// Starts what of a router does not run.
    fn revive(&self, namespace: &str) -> Result<(), LabError> {
        let dead = DAEMONS
            .into_iter()
            .filter(|daemon| frr::process(namespace, daemon).is_none());
        let mut dead = dead.collect::<Vec<_>>().into_iter();
        dead.try_for_each(|daemon| frr::start(namespace, daemon, &self.lab.folder))
    }

    fn restore(&self, changed: &ChangedParameter) -> Result<(), LabError> {
        let plan = &self.lab.plan;
        let Some(router) = plan.router_named(&changed.router) else {
            return Ok(());
        };
        let told = device::configuration(&plan.namespace(router))?;
        let now = told.get(&changed.parameter).map_or("none", String::as_str);
        match now == changed.was {
            true => Ok(()),
            false => self.set(changed, &changed.was),
        }
    }

    fn set(&self, changed: &ChangedParameter, value: &str) -> Result<(), LabError> {
        let plan = &self.lab.plan;
        let router = plan.router_named(&changed.router);
        let router = router.ok_or_else(|| LabError::Request(changed.router.clone()))?;
        let namespace = plan.namespace(router);
        parameters::set(&namespace, &changed.parameter, value, &self.lab.folder)
    }

    fn struck(&self, entry: &BookEntry) -> Result<String, LabError> {
        let plan = &self.lab.plan;
        let mut routers = plan.routers.iter();
        let place = routers.position(|router| Some(router.id()) == entry.element);
        let place =
            place.ok_or_else(|| LabError::Request("the book names no router".to_owned()))?;
        Ok(plan.namespace(place))
    }

    fn ports(&self, namespace: &str, word: &str) -> Result<(), LabError> {
        let plan = &self.lab.plan;
        let router = (0..plan.routers.len()).find(|r| plan.namespace(*r) == namespace);
        let ports = router.map(|router| plan.ports(router)).unwrap_or_default();
        let lines = ports
            .iter()
            .map(|(port, _)| format!("link set {port} {word}"));
        Ok(ip_lines(Some(namespace), &lines.collect::<Vec<_>>())?)
    }

    /// The ports of the patch panel of the link that was struck, or of the duct's links.
    fn panel_ports(&self, entry: &BookEntry) -> Vec<String> {
        let links = self.lab.plan.links.iter().enumerate();
        let struck = links.filter(|(_, link)| {
            entry.element.as_ref() == Some(&link.id)
                || (link.duct.is_some() && link.duct == entry.element)
        });
        let both = |place: usize| ["a", "b"].map(|end| LabPlan::panel_port(place, end));
        struck.flat_map(|(place, _)| both(place)).collect()
    }

    fn plug(&self, entry: &BookEntry, word: &str) -> Result<(), LabError> {
        let ports = self.panel_ports(entry);
        let lines = ports.iter().map(|port| format!("link set {port} {word}"));
        let lines: Vec<String> = lines.collect();
        Ok(ip_lines(Some(&self.lab.plan.panel()), &lines)?)
    }
}

/// The table of the panel in which an entry's loss is: several stand beside each other.
fn loss_table(entry: &BookEntry) -> String {
    format!("loss{}", entry.id)
}

/// A number below another, drawn.
fn below(rng: &mut SeededRng, limit: usize) -> usize {
    (rng.next_u64() % limit.max(1) as u64) as usize
}

/// What a seed draws.
pub fn seeded(seed: u64) -> SeededRng {
    SeededRng::seed_from_u64(seed)
}
