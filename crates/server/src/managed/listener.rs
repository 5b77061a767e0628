//! The session that brings the notifications of a management system (RFC 5277).
//!
//! At each connection it learns what the system offers and documents, then subscribes, from the last
//! event that it saw if there was one, and has the alarm list read: of what happened meanwhile a
//! system may have kept only one of the two. The first subscription waits until it is known how far the
//! system was heard before, in another life or by another node. Read next: [`super::position`],
//! [`super::poller`].

use super::episode::Episode;
use super::position::Position;
use super::session::{Pauses, Purpose, SETTLED, SessionError, call, get, open};
use super::system::{Brought, Learnt, System};
use crate::client::Client;
use bindings::netconf::manager::{
    INTERFACES_FILTER, NETWORKS_FILTER, SystemInventory, SystemOffer, SystemReport,
    YANG_LIBRARY_FILTERS, read_interfaces, read_networks, read_report,
};
use domain::time::SeededRng;
use netconf::names::namespace::NOTIFICATION;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use tracing::{info, warn};

/// Listens to a system for as long as the runtime is there.
pub(super) async fn listen(system: Arc<System>, rng: SeededRng) {
    let mut troubles = Troubles {
        connection: Episode::new(&system.plan.name, "connection"),
        inventory: Episode::new(&system.plan.name, "inventory"),
    };
    let mut pauses = Pauses::new(rng);
    let mut position = None;
    while !system.events.is_closed() {
        let began = Instant::now();
        let ended = session(&system, &mut position, &mut troubles).await;
        // One that opens sessions and ends them at once is waited for ever longer.
        if began.elapsed() >= SETTLED {
            pauses.reset();
        }
        if let Err(why) = ended {
            let why = why.whole();
            troubles.connection.failed(&why);
            system.lost.send_replace(why.clone());
            system.trouble.send_replace(why);
        }
        pauses.wait().await;
    }
}

/// The troubles that go on from session to session.
struct Troubles {
    connection: Episode,
    inventory: Episode,
}

/// One session, until it ends.
async fn session(
    system: &System,
    position: &mut Option<Position>,
    lasting: &mut Troubles,
) -> Result<(), SessionError> {
    let mut client = open(system, Purpose::Reading).await?;
    learn(system, &mut client, &mut lasting.inventory).await?;
    system.trouble.send_replace(String::new());
    let position = match position {
        Some(position) => position,
        None => position.insert(Position::after(system.heard_before().await.as_ref())),
    };
    // How alarms stand is in the list, and what they were while nobody listened is no news.
    let passes_alarms = !position.has_heard();
    let replays = subscribe(system, &mut client, position).await?;
    lasting.connection.worked();
    system.alarms_due.notify_one();
    position.begins(replays);
    if !system.bring(Brought::Listening).await {
        return Ok(());
    }
    let mut live = !replays;
    let mut troubles = Episode::new(&system.plan.name, "notifications");
    loop {
        let received = client.notification().await?;
        let learnt = system.learnt();
        let (time, report) = read_report(&received, &learnt.offer, &learnt.read.names);
        let (mark, again) = position.note(received.raw(), time);
        match report {
            SystemReport::ReplayComplete => {
                live = true;
            }
            SystemReport::Complete => return Ok(()),
            SystemReport::Other => {}
            SystemReport::Unreadable => {
                let what = "a notification lacks what its kind has";
                troubles.failed(&what);
            }
            _ if again && !live => {}
            SystemReport::Alarm(_) if passes_alarms && !live && learnt.offer.alarms() => {}
            SystemReport::Period => {
                system.reports_figures.store(true, Relaxed);
                system.figures_due.notify_one();
            }
            report => {
                let brought = Brought::Report {
                    time,
                    live,
                    mark,
                    report,
                };
                if !system.bring(brought).await {
                    return Ok(());
                }
            }
        }
    }
}

/// Learns what the system offers and documents. That it tells of nothing takes back nothing of what it
/// documented before.
async fn learn(
    system: &System,
    client: &mut Client,
    trouble: &mut Episode,
) -> Result<(), SessionError> {
    let offer = offered(client).await?;
    let told = documented(system, client, &offer).await?;
    let before = system.learnt();
    let mut learnt = if before.outlasts(&told) {
        let since = before.read_at;
        trouble.failed(&format!(
            "none is told, or may be read: what was documented at {since} goes on to count"
        ));
        Learnt {
            offer,
            ..Learnt::clone(&before)
        }
    } else {
        trouble.worked();
        Learnt {
            offer,
            read: told,
            read_at: system.clock.now(),
        }
    };
    if learnt.offer.interfaces()
        && let Some(reply) = unless_refused(get(client, INTERFACES_FILTER).await)?
        && let Some(data) = reply.data()
    {
        let interfaces = read_interfaces(data);
        let names = interfaces.keys().map(String::as_str);
        let device = system.plan.device.as_deref();
        learnt.read.names.found_interfaces(names, device);
    }
    tell_of_inventory(system, &learnt);
    system.learnt.send_replace(Some(Arc::new(learnt)));
    Ok(())
}

/// What the system offers.
async fn offered(client: &mut Client) -> Result<SystemOffer, SessionError> {
    let mut offer = SystemOffer::of_hello(client.capabilities());
    for filter in YANG_LIBRARY_FILTERS {
        if let Some(reply) = unless_refused(get(client, filter).await)?
            && let Some(data) = reply.data()
        {
            offer.read_library(data);
        }
    }
    Ok(offer)
}

/// What the system documents; nothing if it has no inventory, or refuses it.
async fn documented(
    system: &System,
    client: &mut Client,
    offer: &SystemOffer,
) -> Result<SystemInventory, SessionError> {
    if offer.networks()
        && let Some(reply) = unless_refused(get(client, NETWORKS_FILTER).await)?
        && let Some(data) = reply.data()
    {
        return Ok(read_networks(data, &system.plan.defaults));
    }
    Ok(SystemInventory::default())
}

/// Logs what cannot be read, and what differs from the inventory that agents have.
fn tell_of_inventory(system: &System, learnt: &Learnt) {
    let name = &system.plan.name;
    let (before, read) = (system.learnt(), &learnt.read);
    if read.unreadable > before.read.unreadable {
        let number = read.unreadable;
        warn!(
            system = name,
            "management system '{name}': {number} nodes and links of its inventory cannot be read"
        );
    }
    if read.outside > 0 && read.outside != before.read.outside {
        let (number, domain) = (read.outside, system.plan.defaults.domain.as_str());
        info!(
            system = name,
            "management system '{name}' also documents {number} elements outside of domain {domain} or \
             of its province: they are left to the systems that manage them"
        );
    }
    let known = !before.read.inventory.elements.is_empty();
    if known && before.read.inventory != read.inventory {
        let (was, is) = (
            before.read.inventory.elements.len(),
            read.inventory.elements.len(),
        );
        warn!(
            system = name,
            "management system '{name}' documents another network than before ({was} elements, \
             now {is}): agents know it after the next start"
        );
    }
}

/// None for what the system refuses.
fn unless_refused<T>(answer: Result<T, SessionError>) -> Result<Option<T>, SessionError> {
    match answer {
        Ok(reply) => Ok(Some(reply)),
        Err(refused) if refused.is_refusal() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Subscribes; true if what was missed is replayed.
async fn subscribe(
    system: &System,
    client: &mut Client,
    position: &Position,
) -> Result<bool, SessionError> {
    if !system.learnt().offer.notifies {
        return Ok(false);
    }
    let subscription = |inside: &str| {
        format!("<create-subscription xmlns=\"{NOTIFICATION}\">{inside}</create-subscription>")
    };
    if let Some(last) = position.replays_from() {
        let from = subscription(&format!("<startTime>{last}</startTime>"));
        // Refused if it has no replay, or its clock was set back (RFC 5277 §2.1.1).
        if unless_refused(call(client, &from).await)?.is_some() {
            return Ok(true);
        }
    }
    call(client, &subscription("")).await?;
    Ok(false)
}
