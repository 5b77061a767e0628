//! Recording of runs, for replay and drawing (`report::record`).
//!
//! Records what a listener is told, and from time to time the state of the network; the truth is
//! added by [`Recorder::end`] only, when the run is over. Read next: [`server::story`].

use domain::content::Content;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::reply::Reply;
use domain::telemetry::FieldReport;
use domain::time::Timestamp;
use network::{Simulation, Truth};
use report::record::{MapLink, NetworkMap, Site, Town};
use report::{Moment, RecordedEvent, Run, Score};
use server::story::{StoryEntry, StoryEvent, acted, outcome_in_words};
use std::collections::BTreeSet;

/// The interval of recording the network's state, in seconds.
const STATE_EACH_S: f64 = 900.0;

/// The receiver of the lines of a record.
pub type Sink = Box<dyn FnMut(String) + Send>;

/// A run that is being recorded.
pub struct Recorder {
    sink: Sink,
    state_at: Option<Timestamp>,
    out: BTreeSet<ElementId>,
}

/// The positions and links of an inventory, in the format of records.
pub fn network(inventory: &Inventory) -> NetworkMap {
    let towns = inventory.of_kind(ElementKind::Router).map(|router| Town {
        name: router.place.clone(),
        lon: router.position.0,
        lat: router.position.1,
        province: inventory
            .provinces
            .get(&router.place)
            .cloned()
            .unwrap_or_default(),
        core: inventory.cores.contains(&router.id),
    });
    let place = |end: &ElementId| {
        let node = inventory.element(inventory.node_of(end));
        node.map_or_else(String::new, |e| e.place.clone())
    };
    let backbone = inventory.links.iter().filter(|(_, link)| link.backbone);
    let links = backbone.map(|(id, link)| MapLink {
        id: id.to_string(),
        a: place(&link.a),
        b: place(&link.b),
    });
    let sites = inventory.of_kind(ElementKind::Site).map(|site| Site {
        id: site.id.to_string(),
        town: site.place.clone(),
        lon: site.position.0,
        lat: site.position.1,
    });
    NetworkMap {
        towns: towns.collect(),
        links: links.collect(),
        sites: sites.collect(),
    }
}

impl Recorder {
    /// Begins a record with its first line.
    pub fn begin(run: &Run, mut sink: Sink) -> Self {
        sink(run.line());
        Self {
            sink,
            state_at: None,
            out: BTreeSet::new(),
        }
    }

    /// Records an event.
    pub fn tell(&mut self, told: &StoryEntry) {
        if let Some(what) = what(&told.happened) {
            self.write(told.at, what);
        }
    }

    /// Records the state of the network, if it has changed or the interval has passed.
    pub fn look(&mut self, simulation: &Simulation, now: Timestamp) {
        let out = simulation.sites_out();
        let due = self
            .state_at
            .is_none_or(|at| now.seconds_since(at) >= STATE_EACH_S);
        if !due && *out == self.out {
            return;
        }
        self.state_at = Some(now);
        self.out.clone_from(out);
        let tally = simulation.tally();
        let state = RecordedEvent::Network {
            sites_out: out.len() as u64,
            out: out.iter().map(ElementId::to_string).collect(),
            served_share: simulation.mobile().carried_share(),
            energy_kwh_so_far: Some((tally.energy_kwh * 1_000.0).round() / 1_000.0),
        };
        self.write(now, state);
    }

    /// Ends the record with the true faults and the score.
    pub fn end(&mut self, truths: &[Truth], score: &Score) {
        for truth in truths {
            let told = |mended, words: String| RecordedEvent::Truth {
                fault: truth.fault.kind.as_str().to_owned(),
                element: truth.fault.element.to_string(),
                mended,
                words,
            };
            let words = format!("{} sites out of service", truth.sites_out.len());
            self.write(truth.fault.at, told(false, words));
            if let Some(at) = truth.repaired_at {
                self.write(at, told(true, "mended".to_owned()));
            }
        }
        (self.sink)(score.line());
    }

    fn write(&mut self, at: Timestamp, what: RecordedEvent) {
        let moment = Moment { at, what };
        (self.sink)(moment.line());
    }
}

fn what(happened: &StoryEvent) -> Option<RecordedEvent> {
    Some(match happened {
        StoryEvent::Broke => return None,
        StoryEvent::Alarm(alarm) => RecordedEvent::Alarm {
            resource: alarm.resource.to_string(),
            alarm_type: alarm.alarm_type.as_str().to_owned(),
            severity: alarm.severity.as_str().to_owned(),
            cleared: alarm.cleared,
        },
        StoryEvent::Complaint(complaint) => RecordedEvent::Complaint {
            words: format!("{}: {}", complaint.site, complaint.text),
        },
        StoryEvent::Ticket(ticket) => RecordedEvent::Ticket {
            words: format!("{} ({}): {}", ticket.ticket, ticket.from, ticket.text),
        },
        StoryEvent::Answered { ticket, text } => RecordedEvent::Ticket {
            words: format!("{ticket}, answered: {text}"),
        },
        StoryEvent::Field(report) => field(report),
        StoryEvent::Sent { from, to, message } => RecordedEvent::Message {
            from: from.clone(),
            to: to.clone(),
            verb: message.verb.as_str().to_owned(),
            task: message.task.to_string(),
            parent: message.conditions.parent.as_ref().map(ToString::to_string),
            schema: message
                .content
                .payload
                .as_ref()
                .map(|p| p.schema_id.clone()),
            words: gist(&message.content),
            bytes: None,
        },
        StoryEvent::Replied { from, to, reply } => {
            let (verdict, words) = match reply {
                Ok(reply) => (reply.verdict.as_str().to_owned(), reply_summary(reply)),
                Err(undelivered) => (undelivered.tag.clone(), undelivered.message.clone()),
            };
            RecordedEvent::Reply {
                from: from.clone(),
                to: to.clone(),
                verdict,
                words,
                task: None,
            }
        }
        StoryEvent::Notified {
            from,
            to,
            notification,
        } => RecordedEvent::Notification {
            from: from.clone(),
            to: to.clone(),
            status: notification.status.to_string(),
            task: notification.task.to_string(),
            words: gist(&notification.content),
        },
        StoryEvent::Acted { agent, action } => {
            let elements = action.elements().into_iter();
            RecordedEvent::Action {
                agent: agent.clone(),
                words: acted(action),
                elements: elements.map(ElementId::to_string).collect(),
            }
        }
        StoryEvent::Outcome { agent, outcome } => RecordedEvent::Outcome {
            agent: agent.clone(),
            words: outcome_in_words(outcome),
        },
        StoryEvent::Note { agent, text } => RecordedEvent::Note {
            agent: agent.clone(),
            words: text.clone(),
        },
    })
}

fn field(report: &FieldReport) -> RecordedEvent {
    let (element, words) = match report {
        FieldReport::Arrived {
            element, question, ..
        } => (element, question.clone()),
        FieldReport::Ended {
            element,
            repaired: true,
            finding,
            ..
        } => (element, format!("repaired: {finding}")),
        FieldReport::Ended {
            element, finding, ..
        } => (element, format!("nothing repaired: {finding}")),
    };
    RecordedEvent::Field {
        words,
        element: element.to_string(),
    }
}

fn gist(content: &Content) -> String {
    match &content.result {
        Some(result) => result.clone(),
        None => content.task_description.clone(),
    }
}

fn reply_summary(reply: &Reply) -> String {
    let reasons = reply.reasons.iter().map(|r| r.message.clone());
    let contents = reply.content.iter().map(gist);
    reasons.chain(contents).collect::<Vec<_>>().join("; ")
}
