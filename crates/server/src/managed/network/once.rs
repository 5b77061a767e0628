//! What a system tells once: with the commit that puts it on record, the engine notes how far the system was
//! heard.
//!
//! A death before that commit leaves the event to be replayed, one behind it leaves it on record. The note says no
//! more than what has left the queue: what waits there is replayed as well. Read next: [`super::super::position`],
//! [`engine::Engine::told`].

use super::{ManagedEvent, ManagedNetwork, Once};
use crate::managed::desk::{Dispatched, KeptDispatch};
use crate::managed::position::KeptPosition;
use crate::managed::system::System;
use crate::runtime::{Around, Network};
use crate::story::StoryEvent;
use bindings::netconf::manager::SystemReport;
use domain::inventory::Domain;
use domain::telemetry::Telemetry;
use domain::time::Timestamp;
use engine::{Engine, NetworkNote, ToldOnce};
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::error;

/// What the names of notes on dispatches begin with.
const DISPATCH: &str = "dispatch ";

/// What is noted at an engine, by name; none where that cannot be read, and then systems are heard as if for the
/// first time, but what is noted stays until there is something better.
pub(super) fn notes(engine: &Engine) -> Option<BTreeMap<String, String>> {
    let notes = engine.network_notes();
    let notes = notes.inspect_err(|cause| {
        error!("how far management systems were heard cannot be read: {cause}");
    });
    notes.ok()
}

/// How far a system was heard.
pub(super) fn kept(notes: &BTreeMap<String, String>, system: &str) -> Option<KeptPosition> {
    let text = notes.get(&name_of(system))?;
    let kept = KeptPosition::read(text);
    if kept.is_none() {
        error!(
            system,
            "how far management system '{system}' was heard cannot be read"
        );
    }
    kept
}

fn name_of(system: &str) -> String {
    format!("position {system}")
}

/// What was kept of dispatches of these systems.
pub(super) fn dispatches(
    notes: &BTreeMap<String, String>,
    systems: &[Arc<System>],
) -> BTreeMap<Dispatched, KeptDispatch> {
    let read = |(name, text): (&String, &String)| {
        let (number, of) = name.strip_prefix(DISPATCH)?.split_once(' ')?;
        let system = systems.iter().find(|system| system.plan.name == of)?;
        let kept = serde_json::from_str(text).ok()?;
        Some(((system.number, number.parse().ok()?), kept))
    };
    notes.iter().filter_map(read).collect()
}

/// True of what no list of a system has.
pub(super) fn is_told_once(report: &SystemReport) -> bool {
    matches!(
        report,
        SystemReport::Field(_)
            | SystemReport::Complaint(_)
            | SystemReport::Ticket(_)
            | SystemReport::CustomerAnswered { .. }
    )
}

impl ManagedNetwork {
    /// Tells what is told once, and notes that it was.
    pub(super) fn deliver_once(
        &mut self,
        once: Once,
        event: ManagedEvent,
        around: &mut Around<'_>,
    ) {
        let Once { system, at } = once;
        let (name, note) = {
            let managed = &mut self.systems[system];
            let kept = managed.kept.get_or_insert(KeptPosition::since(at.time));
            kept.take(at);
            (managed.system.plan.name.clone(), note(managed))
        };
        let heard = match event {
            ManagedEvent::Told(domain, telemetry) => {
                let heard = self.show(domain, &telemetry, around).into_iter();
                heard.map(|(agent, told)| (agent.clone(), told)).collect()
            }
            ManagedEvent::Field(agent, report) => {
                around.tell(StoryEvent::Field(report.clone()));
                vec![(agent, Telemetry::Field(report))]
            }
            other => {
                self.deliver(other, around);
                Vec::new()
            }
        };
        let key = format!("{name} {:016x}", at.mark);
        let told = heard.into_iter().map(|(agent, telemetry)| ToldOnce {
            agent,
            telemetry,
            key: key.clone(),
        });
        let now = around.now();
        let mut notes = self.dispatch_notes();
        notes.push(note);
        around.engine().told(notes, told.collect(), now);
    }

    /// Notes what is new of dispatches, if anything is.
    pub(super) fn note_dispatches(&mut self, around: &mut Around<'_>) {
        let notes = self.dispatch_notes();
        if !notes.is_empty() {
            around.engine().told(notes, Vec::new(), around.now());
        }
    }

    fn dispatch_notes(&mut self) -> Vec<NetworkNote> {
        let unwritten = self.desk.take_unwritten().into_iter();
        let note = |((system, number), kept): (Dispatched, Option<KeptDispatch>)| {
            let system = &self.systems[system].system.plan.name;
            let text = |kept| serde_json::to_string(&kept).expect("texts have a form in JSON");
            NetworkNote {
                name: format!("{DISPATCH}{number} {system}"),
                text: kept.map(text),
            }
        };
        unwritten.map(note).collect()
    }

    /// A system is listened to. What one tells that was never heard before is asked for again from here
    /// on, as far as the clocks agree: it has not said what time it is there.
    pub(super) fn is_heard_since(
        &mut self,
        system: usize,
        since: Timestamp,
        around: &mut Around<'_>,
    ) {
        let managed = &mut self.systems[system];
        let domain = managed.system.plan.defaults.domain;
        // The others tell nothing once.
        let is_known = managed.kept.is_some() || !self.notes_are_read;
        if is_known || !matches!(domain, Domain::Service | Domain::Business) {
            return;
        }
        managed.kept = Some(KeptPosition::since(since));
        let (note, now) = (note(managed), around.now());
        around.engine().told(vec![note], Vec::new(), now);
    }
}

fn note(of: &super::Managed) -> NetworkNote {
    NetworkNote {
        name: name_of(&of.system.plan.name),
        text: of.kept.as_ref().map(KeptPosition::text),
    }
}
