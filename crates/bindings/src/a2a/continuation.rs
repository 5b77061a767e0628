//! A message to a task that is there: what it means follows from what the task waits for (F23, F24,
//! Q65, Q75).
//!
//! The engine decides whether it is taken; here words become the verb that answers. Refuses to
//! guess a judgement from words that are none. Read next: [`super::begin`].

use super::assignment::{Assignment, fill, slots};
use super::error;
use super::message_content::content;
use super::notes::{MessageOutcome, Notes};
use super::request_context::RequestContext;
use super::telecom::kept;
use super::words::complete;
use crate::words::WordReader;
use a2a::error::{Error, ErrorKind};
use a2a::intake::MessageForm as Read;
use a2a::message::Part;
use a2a::message::{Message, PartContent};
use domain::content::{Content, Payload};
use domain::negotiation::Stance;
use domain::task::{Awaits, Task};
use domain::verb::Verb;
use engine::Negotiate;
use serde_json::Map;

/// The member of a data part that judges: `accept`, `refuse` or `offer`.
const STANCE: &str = "stance";

impl RequestContext<'_> {
    pub(super) async fn go_on(
        &self,
        message: &Message,
        task: &Task,
    ) -> Result<MessageOutcome, Error> {
        let pending = pending(task);
        let before = pending.map_or_else(Map::new, |it| it.values.clone());
        let mut intake = self.intake(message, true, before)?;
        if let Read::Intent { schema, .. } = &intake.said
            && *schema != pending.map(|it| it.schema_id.clone())
        {
            intake = self.intake(message, true, Map::new())?;
        }
        let said = match intake.said.clone() {
            Read::Asked(request) => {
                let answer = self.about_schemas_in(message, request).await?;
                return Ok(MessageOutcome::Message(answer));
            }
            said => said,
        };
        let mut negotiate = Negotiate {
            to: Some(task.to.clone()),
            task: Some(task.id.clone()),
            ..Negotiate::new(self.endpoint.clone(), Verb::FulfillmentNegotiate)
        };
        match task.awaits {
            Some(Awaits::Completion) => {
                let wanted = self.completing(task, &said).await?;
                fill(&mut negotiate, completed(task, message, &wanted), wanted);
            }
            Some(awaits @ (Awaits::Answer | Awaits::Credentials)) => {
                let answer = answer(message, &said)?.in_reply_to(awaits);
                negotiate.texts.push(answer.render());
            }
            Some(awaits @ (Awaits::Decision | Awaits::Judgement)) => {
                let word = judgement(message, &said)?.in_reply_to(awaits);
                negotiate.texts.push(word.render());
            }
            None => negotiate.texts.push(plan(message, &said)?.render()),
        }
        self.give(task.id.clone(), negotiate, Notes::of(intake))
            .await
    }

    /// Completes the assignment by the parameters that it lacked (Q75).
    async fn completing(&self, task: &Task, said: &Read) -> Result<Assignment, Error> {
        let pending = pending(task);
        match said {
            Read::Intent { schema, filled, .. } => slots(schema.as_deref(), filled),
            Read::Payload(payload) => Ok(Assignment::Whole(Some(together(pending, payload)))),
            Read::Words(words) if words.trim().is_empty() => self.words(words).await,
            Read::Words(words) => {
                let template = pending.and_then(|it| self.served.template(&it.schema_id));
                let (Some(pending), Some(template)) = (pending, template) else {
                    let before = &task.content.task_description;
                    return self.words(&format!("{before}\n{words}")).await;
                };
                self.check_asking()?;
                let (template, before) = (template.clone(), pending.values.clone());
                let (text, now) = (words.clone(), self.now());
                let read = move |reader: &dyn WordReader, over: &dyn Fn() -> bool| {
                    complete(reader, &text, &template, &before, now, over)
                };
                Ok(self.wanted(self.read_beside(words.len(), read).await?))
            }
            Read::Typed { .. } | Read::Asked(_) => {
                let why = "a task can begin with this, and is not completed by it";
                Err(error::unusable("message.parts", why))
            }
        }
    }
}

/// The payload so far of an assignment that lacks something.
fn pending(task: &Task) -> Option<&Payload> {
    match task.awaits {
        Some(Awaits::Completion) => task.said.as_ref()?.payload.as_ref(),
        _ => None,
    }
}

/// The content of a completed task, whose object stays as it was assigned.
fn completed(task: &Task, message: &Message, wanted: &Assignment) -> Content {
    let mut said = content(message, None);
    kept::hand_on(&task.content, &mut said);
    match wanted {
        Assignment::Lacking(..) => said,
        Assignment::Whole(_) => Content {
            target_object: task.content.target_object.clone(),
            task_description: task.content.task_description.clone(),
            ..said
        },
    }
}

/// The two payloads together; values said now count more.
fn together(pending: Option<&Payload>, said: &Payload) -> Payload {
    let before = pending.filter(|it| it.schema_id == said.schema_id);
    let mut values = before.map_or_else(Map::new, |it| it.values.clone());
    values.extend(said.values.clone());
    Payload {
        schema_id: said.schema_id.clone(),
        values,
    }
}

/// The answer to a question of the agent.
fn answer(message: &Message, said: &Read) -> Result<Content, Error> {
    let payload = payload(said)?;
    match payload.is_none() && message.words().trim().is_empty() {
        true => Err(error::unusable("message.parts", "an answer is needed")),
        false => Ok(content(message, payload)),
    }
}

/// The word on a decision or a result: a counter-offer, or what its first word says.
fn judgement(message: &Message, said: &Read) -> Result<Content, Error> {
    if let Some(payload) = payload(said)? {
        return Ok(content(message, Some(payload)));
    }
    let word = stance(message).ok_or_else(|| {
        let why = "the task waits for a judgement: begin with 'accept' or 'reject', send data with \
                   the member 'stance', or a payload as a counter-offer";
        error::unusable("message.parts", why)
    })?;
    let told = match word {
        Stance::Accept => "accept",
        _ => "reject",
    };
    Ok(content(message, None).with_result(told))
}

/// The judgement in a message: data say it by their member, words by the first of them.
fn stance(message: &Message) -> Option<Stance> {
    let of_part = |part: &Part| match &part.content {
        PartContent::Data(data) => Stance::parse(data.get(STANCE)?.as_str()?),
        _ => None,
    };
    if let Some(stance) = message.parts.iter().find_map(of_part) {
        return (stance != Stance::Offer).then_some(stance);
    }
    let words = message.words().to_lowercase();
    let first = words.split_whitespace().next()?;
    match first.trim_end_matches(|c: char| !c.is_alphanumeric()) {
        "accept" | "accepted" | "agree" | "agreed" | "yes" => Some(Stance::Accept),
        "reject" | "rejected" | "refuse" | "refused" | "no" => Some(Stance::Refuse),
        _ => None,
    }
}

/// To a task that waits for nothing another plan can be proposed (draft-wang §4.3), as a payload.
fn plan(message: &Message, said: &Read) -> Result<Content, Error> {
    let payload = payload(said)?.ok_or_else(|| {
        let why = "the task waits for nothing; a payload would propose another plan";
        Error::new(ErrorKind::UnsupportedOperation, why)
    })?;
    let mut plan = content(message, Some(payload));
    plan.others
        .push(("in reply to".to_owned(), "plan".to_owned()));
    Ok(plan)
}

/// The payload that a message says, if it says one.
fn payload(said: &Read) -> Result<Option<Payload>, Error> {
    match said {
        Read::Payload(payload) => Ok(Some(payload.clone())),
        Read::Intent { schema, filled, .. } => match slots(schema.as_deref(), filled)? {
            Assignment::Whole(payload) => Ok(payload),
            Assignment::Lacking(question, _) => {
                Err(error::unusable("message.metadata.intentInfos", &question))
            }
        },
        Read::Words(_) | Read::Typed { .. } | Read::Asked(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use a2a::message::Role;
    use serde_json::json;

    /// Q65: a judgement is said by data or by the first word, and never guessed.
    #[test]
    fn judgements_are_said() {
        let words = |text: &str| stance(&Message::new("m", Role::User, vec![Part::text(text)]));
        assert_eq!(words("Accept, it is what we need"), Some(Stance::Accept));
        assert_eq!(words("no: too slow"), Some(Stance::Refuse));
        assert_eq!(words("I would rather not accept"), None);
        assert_eq!(words(""), None);
        let data = |word: &str| {
            let parts = vec![Part::text("accept"), Part::data(json!({STANCE: word}))];
            stance(&Message::new("m", Role::User, parts))
        };
        assert_eq!(data("refuse"), Some(Stance::Refuse));
        assert_eq!(data("accept"), Some(Stance::Accept));
        assert_eq!(data("offer"), None);
    }
}
