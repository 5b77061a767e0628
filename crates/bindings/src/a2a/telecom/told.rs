//! A task as its A2A-T peer is told it.
//!
//! Everything is told as to anybody, and besides in the metadata: the result as the section that the
//! prompt expects, what waits for the peer's word as a message of the negotiation. To who did not begin
//! a task in A2A-T nothing changes. Refuses to know streams and pushes: both tell what is told here.
//! Read next: [`super::subscribed`], of which less is told.

use super::super::cards::ServedAgent;
use super::super::event::status;
use super::super::task::{from_agent, parts};
use super::kept;
use super::negotiation_record::{of_task, rendered};
use super::subscribed::Subscribed;
use a2a::event::StreamResponse;
use a2a::message::{Message, Part};
use a2a::task::{Artifact, Task as Told, TaskState, TaskStatus};
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::negotiation::{Context, ask_in_words};
use a2a::telecom::repertoire::TemplateCatalogue;
use a2a::telecom::translator::outcome;
use domain::access::Principal;
use domain::content::Content;
use domain::negotiation::{Kind, Side};
use domain::notification::Notification;
use domain::task::{Awaits, Status, Task};
use domain::time::Timestamp;
use engine::Engine;
use schema::template::Template;
use std::borrow::Cow;
use std::sync::Arc;

/// The agent that tells, and its listener.
pub(in crate::a2a) struct Teller<'a> {
    pub(in crate::a2a) engine: &'a Engine,
    pub(in crate::a2a) who: &'a Principal,
    pub(in crate::a2a) repertoire: Cow<'a, TemplateCatalogue>,
    pub(in crate::a2a) templates: Cow<'a, [Arc<Template>]>,
}

/// A task that a peer speaks of, and how it speaks.
struct Spoken<'t> {
    task: &'t Task,
    envelope: TelecomEnvelope,
}

/// A state as it was reached.
struct Moment<'t> {
    said: Option<&'t Content>,
    awaits: Option<Awaits>,
    at: Timestamp,
}

impl Spoken<'_> {
    /// What an agent asks in its own words.
    fn question(&self, asked: &Content) -> TelecomEnvelope {
        let context = Context {
            id: self.task.id.to_string(),
            round: 1,
            max_rounds: Context::MAX_ROUNDS,
            performative: None,
        };
        let text_language = self.envelope.text_language();
        let asked = ask_in_words(&asked.task_description, &context, text_language);
        let context = Some(asked.context);
        self.envelope
            .answer(asked.template_uri, asked.text, context)
    }
}

/// True if a task was begun in A2A-T.
pub(in crate::a2a) fn is_spoken_of(task: &Task) -> bool {
    kept::envelope(&task.content).is_some()
}

impl<'a> Teller<'a> {
    /// Of tasks of an agent with this card.
    pub(in crate::a2a) fn of(
        engine: &'a Engine,
        who: &'a Principal,
        served: &'a ServedAgent,
    ) -> Self {
        Self {
            engine,
            who,
            repertoire: Cow::Borrowed(&served.telecom),
            templates: Cow::Borrowed(&served.templates),
        }
    }
}

impl Teller<'_> {
    /// A task, as it is.
    pub(in crate::a2a) fn task(&self, task: &Task, mut told: Told) -> Told {
        let Some(envelope) = kept::envelope(&task.content) else {
            return told;
        };
        if let Some(subscribed) = Subscribed::of(task, &envelope, &self.repertoire) {
            return subscribed.task(told);
        }
        let spoken = Spoken { task, envelope };
        let artifacts = told.artifacts.iter_mut().flatten();
        for (artifact, result) in artifacts.zip(&task.result) {
            self.result(&spoken, artifact, result);
        }
        let moment = Moment {
            said: task.said.as_ref(),
            awaits: task.awaits,
            at: task.changed_at,
        };
        self.beside(&spoken, &mut told.status, &moment);
        told
    }

    /// A change of a task, which others are told by these events.
    pub(in crate::a2a) fn events(
        &self,
        task: &Task,
        change: &Notification,
        sequence: u64,
        events: Vec<StreamResponse>,
    ) -> Vec<StreamResponse> {
        let Some(envelope) = kept::envelope(&task.content) else {
            return events;
        };
        if let Some(subscribed) = Subscribed::of(task, &envelope, &self.repertoire) {
            return subscribed.events(change, sequence, events);
        }
        let spoken = Spoken { task, envelope };
        let moment = Moment {
            said: Some(&change.content),
            awaits: change.awaits,
            at: change.time,
        };
        let told = events.into_iter().map(|mut event| {
            match &mut event {
                StreamResponse::Artifact(update) => {
                    self.result(&spoken, &mut update.artifact, &change.content);
                }
                StreamResponse::Status(update) => {
                    self.beside(&spoken, &mut update.status, &moment);
                }
                StreamResponse::Task(_) | StreamResponse::Message(_) => {}
            }
            event
        });
        let told: Vec<StreamResponse> = told.collect();
        at_work(task, change, &told)
            .into_iter()
            .chain(told)
            .collect()
    }

    /// A task as these events leave it.
    pub(in crate::a2a) fn left(&self, events: &[StreamResponse], mut left: Told) -> Told {
        for event in events {
            match event {
                StreamResponse::Artifact(update) => {
                    left.artifacts = Some(vec![update.artifact.clone()])
                }
                StreamResponse::Status(update) => left.status = update.status.clone(),
                StreamResponse::Task(_) | StreamResponse::Message(_) => {}
            }
        }
        left
    }

    /// The result as the prompt expects it, beside its parts.
    fn result(&self, spoken: &Spoken<'_>, artifact: &mut Artifact, result: &Content) {
        if let Some(told) = self.outcome(spoken, result) {
            let families = told.texts.keys();
            artifact.extensions = families.map(|it| told.extension(*it).uri()).collect();
            artifact.metadata.extend(told.write());
        }
    }

    /// What came of a task, or comes of it so far, if a content is that.
    fn outcome(&self, spoken: &Spoken<'_>, content: &Content) -> Option<TelecomEnvelope> {
        let payload = content.payload.as_ref()?;
        let assigned = spoken.task.content.payload.as_ref()?;
        let translator = self.repertoire.for_schema(&assigned.schema_id)?;
        let response = translator.schema().response_schema_id.as_ref();
        response.filter(|it| **it == payload.schema_id)?;
        let mut templates = self.templates.iter();
        let schema = templates.find(|it| it.schema_id == payload.schema_id)?;
        let text = outcome(schema, &payload.values, spoken.envelope.text_language());
        let uri = translator.uri().clone();
        Some(spoken.envelope.answer(uri, text, None))
    }

    /// Adds the outcome so far, the question of an agent or a turn of the negotiation to a state that is
    /// not the last.
    fn beside(&self, spoken: &Spoken<'_>, status: &mut TaskStatus, moment: &Moment<'_>) {
        if status.state.is_terminal() {
            return;
        }
        let told = moment.said.and_then(|said| match moment.awaits {
            Some(Awaits::Answer) => Some(spoken.question(said)),
            _ => self.outcome(spoken, said),
        });
        if let (Some(message), Some(told)) = (&mut status.message, told) {
            message.metadata.extend(told.write());
        }
        if let Some(turn) = self.turn(spoken, moment.at) {
            match &mut status.message {
                Some(message) => message.metadata.extend(turn.metadata),
                None => status.message = Some(turn),
            }
        }
    }

    /// The executor's turn in the negotiation of the task at a time.
    fn turn(&self, spoken: &Spoken<'_>, at: Timestamp) -> Option<Message> {
        let (task, kind) = (spoken.task, Kind::Fulfillment);
        let found = of_task(self.engine, self.who, &task.id, kind);
        let mut negotiation = found.ok().flatten()?;
        negotiation.turns.retain(|turn| turn.at <= at);
        let last = negotiation.turns.last().cloned();
        let last = last.filter(|turn| turn.by == Side::Executor && turn.at == at)?;
        let metadata = rendered(&negotiation, &spoken.envelope, &self.repertoire)?;
        let contents = last.speech.contents.iter();
        let mut said: Vec<Part> = contents.flat_map(|it| parts(it, &|_| false)).collect();
        if said.is_empty() {
            said.push(Part::text(last.speech.stance.as_str()));
        }
        let id = format!("turn/{}", last.round);
        Some(from_agent(task, &id, said, metadata))
    }
}

/// A task whose result came at once was at work before that.
fn at_work(
    task: &Task,
    change: &Notification,
    events: &[StreamResponse],
) -> Option<StreamResponse> {
    let is_done = events
        .iter()
        .any(|it| matches!(it, StreamResponse::Artifact(_)));
    let is_at_once = is_done && change.previous == Some(Status::Created);
    is_at_once.then(|| status(task, TaskState::Working, None, change.time))
}
