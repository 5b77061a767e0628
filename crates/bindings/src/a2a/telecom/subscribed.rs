//! Notification-T: what a subscriber is told of its subscription.
//!
//! Told in its stream and pushed is what was subscribed to, each report in an artifact of its own. Refuses
//! to know how it was ordered. Read next: [`super::subscription`].

use super::super::event::status;
use super::super::task::from_agent;
use super::kept;
use a2a::event::{ArtifactUpdate, StreamResponse};
use a2a::message::{Message, Metadata, Part, Role};
use a2a::task::{Artifact, Task as Told, TaskState};
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;
use a2a::telecom::repertoire::TemplateCatalogue;
use a2a::telecom::subscription::NotificationSubscription;
use domain::notification::Notification;
use domain::task::{Status, Task};
use schema::steps::{Effort, ReadingBudget};

/// True of a task that goes on until it is cancelled, so that nobody waits for its end.
pub(in crate::a2a) fn is_standing(task: &Task) -> bool {
    kept::envelope(&task.content).is_some_and(|it| it.text(Family::Notification).is_some())
}

/// A task that is a subscription.
pub(super) struct Subscribed<'t> {
    task: &'t Task,
    subscription: NotificationSubscription,
    /// That it was taken, as its prompt asks to be told.
    taken: Message,
}

impl<'t> Subscribed<'t> {
    /// The subscription that a task is, as it was said; none if it is none.
    pub(super) fn of(
        task: &'t Task,
        said: &TelecomEnvelope,
        repertoire: &TemplateCatalogue,
    ) -> Option<Self> {
        let text = said.text(Family::Notification)?;
        // It was read before it was taken.
        let work = ReadingBudget::within(Effort::any());
        let topic = repertoire.subscription(said.template_uri.as_ref(), text, &work);
        let topic = topic.ok()?;
        let subscription = topic.parse(text, &work).ok()?;
        let outcome = topic.accept(subscription.text_language);
        let uri = said.extension(Family::Notification).uri();
        let metadata = Metadata::from_iter([(uri, outcome.as_str().into())]);
        let taken = from_agent(task, "taken", vec![Part::text(outcome)], metadata);
        Some(Self {
            task,
            subscription,
            taken,
        })
    }

    /// The task without its reports.
    pub(super) fn task(self, mut told: Told) -> Told {
        told.history.retain(|message| message.role == Role::User);
        told.artifacts = told.artifacts.map(|_| Vec::new());
        if self.task.status == Status::Processing {
            told.status.message = Some(self.taken);
        }
        told
    }

    /// The events of a change: a report if the conditions hold for it, and the state if that is another.
    pub(super) fn events(
        self,
        change: &Notification,
        sequence: u64,
        events: Vec<StreamResponse>,
    ) -> Vec<StreamResponse> {
        let report = self.report(change, sequence);
        let is_another = change.previous != Some(change.status);
        match change.status {
            Status::Processing if is_another => {
                let begun = status(self.task, TaskState::Working, Some(self.taken), change.time);
                [begun].into_iter().chain(report).collect()
            }
            Status::Processing => report.into_iter().collect(),
            _ => {
                let state = events
                    .into_iter()
                    .filter(|it| matches!(it, StreamResponse::Status(_)));
                report.into_iter().chain(state).collect()
            }
        }
    }

    fn report(&self, change: &Notification, sequence: u64) -> Option<StreamResponse> {
        let told = self.subscription.tell(change)?;
        let part = match told.body.as_str() {
            Some(words) => Part::text(words),
            None => Part::data(told.body).of_type("application/json"),
        };
        let id = format!("{}/{sequence}", told.name);
        Some(StreamResponse::Artifact(ArtifactUpdate {
            task_id: self.task.id.to_string(),
            context_id: self.task.conversation().to_owned(),
            artifact: Artifact {
                name: Some(told.name),
                ..Artifact::new(id, vec![part])
            },
            append: false,
            last_chunk: true,
            metadata: Metadata::new(),
        }))
    }
}
