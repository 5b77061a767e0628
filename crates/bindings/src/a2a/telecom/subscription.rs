//! Notification-T: a subscription as the order to report.
//!
//! The order is a task like any other: what its executor reports is on record, and who may read the
//! record reads all of it there. Cancelling the task ends the subscription. Read next:
//! [`super::subscribed`], what is told of the reports.

use super::super::message_content::marked;
use super::super::notes::MessageOutcome;
use super::super::request_context::RequestContext;
use super::answer::{given_up, refused};
use super::kept;
use a2a::error::Error;
use a2a::message::Message;
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;
use a2a::telecom::subscription::SubscriptionError;
use domain::content::Content;
use domain::push::PushConfig;
use domain::task::TaskId;
use schema::steps::{Effort, ReadingBudget};
use std::sync::Arc;

impl RequestContext<'_> {
    pub(super) async fn subscribed(
        &self,
        message: &Message,
        envelope: TelecomEnvelope,
        id: TaskId,
        push: Option<PushConfig>,
    ) -> Result<MessageOutcome, Error> {
        let text = envelope.text(Family::Notification).unwrap_or_default();
        let (served, text) = (Arc::clone(&self.served), text.to_owned());
        let named = envelope.template_uri.clone();
        let read = move |over: &dyn Fn() -> bool| {
            let work = ReadingBudget::within(Effort::until(over));
            let topic = served.telecom.subscription(named.as_ref(), &text, &work)?;
            Ok((topic.clone(), topic.parse(&text, &work)))
        };
        let read = self.beside(read).await?;
        let (topic, subscription) = read.map_err(|unknown| self.not_known(&unknown))?;
        let declined = |declined: SubscriptionError| match declined {
            SubscriptionError::GivenUp(why) => given_up(why),
            declined => refused(declined.code(), declined),
        };
        let subscription = subscription.map_err(declined)?;
        let order = self.served.template(&topic.order.schema_id);
        let order = order.expect("a topic is known where its order is taken");
        let domains = self.profile().domain.as_deref().unwrap_or_default();
        let domains: Vec<&str> = domains.split(',').map(str::trim).collect();
        let name = topic.names.first(subscription.text_language);
        let payload = topic.ordered(&subscription, order, &domains);
        let mut content = Content::new(name, name).with_payload(payload.map_err(declined)?);
        marked(&mut content, message);
        kept::keep(&mut content, &envelope);
        let mut negotiate = self.assignment(message, &id, push);
        negotiate.texts.push(content.render());
        self.give(id, negotiate, Default::default()).await
    }
}
