//! The session that reads alarm list, figures and interfaces of a management system.
//!
//! It is another than the one that listens, since a session with a subscription need not answer
//! anything else (RFC 5277 §6). Read next: [`super::listener`], which says when the alarm list is due.

use super::episode::Episode;
use super::session::{Pauses, Purpose, SETTLED, SessionError, get, open};
use super::system::{Brought, System};
use crate::client::Client;
use bindings::netconf::manager::{
    ALARM_LIST_FILTER, INTERFACES_FILTER, InterfaceReading, PERFORMANCE_FILTER, link_performance,
    read_alarm_list, read_interfaces, read_performance,
};
use domain::telemetry::Performance;
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

/// The least time between two readings of figures, in seconds, however often the system tells of them.
const FIGURES_EACH_S: f64 = 10.0;

/// What is due.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    Alarms,
    Figures,
    Interfaces,
}

/// The last reading of all interfaces.
type LastReading = Option<(Timestamp, BTreeMap<String, InterfaceReading>)>;

/// What goes on from session to session.
struct Progress {
    last: LastReading,
    /// When figures may be read again.
    figures_at: Instant,
    episode: Episode,
}

/// Reads from a system for as long as the runtime is there.
pub(super) async fn poll(system: Arc<System>, rng: SeededRng) {
    let mut progress = Progress {
        last: LastReading::None,
        figures_at: Instant::now(),
        episode: Episode::new(&system.plan.name, "reading"),
    };
    let mut pauses = Pauses::new(rng);
    // Before it is known what the system is, nothing is read.
    let mut learnt = system.learnt.subscribe();
    if learnt.wait_for(Option::is_some).await.is_err() {
        return;
    }
    while !system.events.is_closed() {
        let began = Instant::now();
        let ended = session(&system, &mut progress).await;
        // One that opens sessions and ends them soon is waited for ever longer.
        if began.elapsed() >= SETTLED {
            pauses.reset();
        }
        match ended {
            Ok(()) => return,
            Err(why) => {
                progress.episode.failed(&why.whole());
                // What was lost with the session is read by the next.
                system.alarms_due.notify_one();
            }
        }
        pauses.wait().await;
    }
}

/// One session; it ends with the runtime.
async fn session(system: &System, progress: &mut Progress) -> Result<(), SessionError> {
    let mut client = open(system, Purpose::Reading).await?;
    let every = |period| {
        let mut ticks = interval_at(Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks
    };
    let mut lists = every(system.plan.alarm_list);
    let mut polls = every(system.plan.poll);
    loop {
        let due = tokio::select! {
            () = system.alarms_due.notified() => Due::Alarms,
            () = figures_due(system, progress.figures_at) => Due::Figures,
            _ = lists.tick() => Due::Alarms,
            _ = polls.tick() => Due::Interfaces,
            () = system.events.closed() => return Ok(()),
        };
        let read = match due {
            Due::Alarms => alarms(system, &mut client).await,
            Due::Figures => {
                let again = system.clock.now().plus_s(FIGURES_EACH_S);
                progress.figures_at = Instant::now() + system.clock.until(again);
                figures(system, &mut client).await
            }
            Due::Interfaces => interfaces(system, &mut client, &mut progress.last).await,
        };
        match read {
            Ok(()) => progress.episode.worked(),
            Err(refused) if refused.is_refusal() => progress.episode.failed(&refused.whole()),
            Err(error) => return Err(error),
        }
    }
}

/// Waits until the system has told of figures, and they may be read.
async fn figures_due(system: &System, from: Instant) {
    sleep_until(from).await;
    system.figures_due.notified().await;
}

async fn alarms(system: &System, client: &mut Client) -> Result<(), SessionError> {
    let learnt = system.learnt();
    if !learnt.offer.alarms() {
        return Ok(());
    }
    let began = system.clock.now();
    let reply = get(client, ALARM_LIST_FILTER).await?;
    if let Some(data) = reply.data() {
        let list = read_alarm_list(data, &learnt.offer);
        drop(reply);
        system.bring(Brought::Alarms { began, list }).await;
    }
    Ok(())
}

async fn figures(system: &System, client: &mut Client) -> Result<(), SessionError> {
    let learnt = system.learnt();
    let reply = get(client, PERFORMANCE_FILTER).await?;
    let data = reply.data();
    if let Some(figures) = data.and_then(|data| read_performance(data, &learnt.read.names)) {
        let counted = false;
        system.bring(Brought::Figures { counted, figures }).await;
    }
    Ok(())
}

/// Reads the interfaces, and makes figures of them unless the system tells better ones.
async fn interfaces(
    system: &System,
    client: &mut Client,
    last: &mut LastReading,
) -> Result<(), SessionError> {
    let learnt = system.learnt();
    if !learnt.offer.interfaces() || system.reports_figures.load(Relaxed) {
        return Ok(());
    }
    let reply = get(client, INTERFACES_FILTER).await?;
    let Some(data) = reply.data() else {
        return Ok(());
    };
    let (until, read) = (system.clock.now(), read_interfaces(data));
    let before = last.replace((until, read.clone()));
    let Some((from, before)) = before else {
        return Ok(());
    };
    let links = link_performance(
        &before,
        &read,
        until.seconds_since(from),
        &learnt.read.names,
        system.plan.device.as_deref(),
        &learnt.read.inventory,
    );
    if !links.is_empty() {
        let figures = Performance {
            from,
            until,
            links,
            ..Performance::default()
        };
        let counted = true;
        system.bring(Brought::Figures { counted, figures }).await;
    }
    Ok(())
}
