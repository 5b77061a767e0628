//! Negotiation-T: a message as a turn of our negotiation, and the turn that answers it.
//!
//! The `id` of a negotiation is the `task-id` of what is negotiated: a feasibility is one of the task that
//! may follow under it, a target is one of a task that is under way. All state is our negotiation's.
//! Refuses to know words and rounds, which are `a2a::telecom::negotiation`'s. Read next:
//! [`super::negotiation_record`], [`super::told`].

use super::super::error;
use super::super::message_content::{inert, marked};
use super::super::notes::MessageOutcome;
use super::super::request_context::RequestContext;
use super::super::task::parts;
use super::answer::{answer, given_up, refused, unheard};
use super::kept;
use super::negotiation_record::{id_of, max_rounds, rendered, round_of, translator_of};
use a2a::error::Error;
use a2a::message::{Message, Metadata, Part};
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;
use a2a::telecom::negotiation::{self, NegotiationTopic, OpenNegotiation, ReceivedMove};
use domain::content::Content;
use domain::negotiation::{Kind, Negotiation, Side, Speech, Stance};
use domain::push::PushConfig;
use domain::task::{Awaits, Task, TaskId};
use domain::verb::Verb;
use engine::Negotiate;
use schema::steps::{Effort, ReadingBudget};
use std::sync::Arc;

impl RequestContext<'_> {
    /// A message of a negotiation that names no task: about one that is to be, or by the id of one that
    /// is there.
    pub(super) async fn negotiated(
        &self,
        message: &Message,
        envelope: TelecomEnvelope,
        push: Option<PushConfig>,
    ) -> Result<MessageOutcome, Error> {
        let text = envelope.text(Family::Negotiation).unwrap_or_default();
        let said = self.spoken(&envelope, text).await?;
        let id = TaskId::new(&said.context.id);
        let before = self.negotiation_of(&id, Kind::Feasibility)?;
        let round = match before.as_ref().and_then(|it| round_of(it, message)) {
            Some(round) => round,
            None => {
                if let Ok(task) = self.task(id.as_str()) {
                    // It names no task, so that it was not known again before it was read.
                    if self.was_said(message, &task.id)? {
                        return Ok(MessageOutcome::of(&task.id));
                    }
                    return self.go_on_in_telecom(message, envelope, &task).await;
                }
                needs_no_task(&said)?;
                let heard = self.heard(&said, &envelope, before.as_ref()).await?;
                self.in_feasibility(message, &envelope, &id, heard).await?
            }
        };
        if envelope.text(Family::Task).is_some() {
            return self.tasked(message, envelope, id, push).await;
        }
        let after = self.negotiation_of(&id, Kind::Feasibility)?;
        let after = after.ok_or_else(|| Error::task_not_found(id.as_str()))?;
        Ok(MessageOutcome::Message(
            self.turn(message, &envelope, &after, round),
        ))
    }

    /// Takes a message to a negotiation, or one that opens it.
    async fn heard(
        &self,
        said: &negotiation::NegotiationMessage,
        envelope: &TelecomEnvelope,
        before: Option<&Negotiation>,
    ) -> Result<ReceivedMove, Error> {
        let Some(before) = before else {
            return self.opening(said, envelope).await;
        };
        let (served, said, before) = (Arc::clone(&self.served), said.clone(), before.clone());
        let hear = move |over: &dyn Fn() -> bool| {
            let work = ReadingBudget::within(Effort::until(over));
            let standing = OpenNegotiation {
                max_rounds: max_rounds(&before),
                negotiation: &kept::bare(&before),
            };
            let translator = translator_of(&before, &served.telecom);
            negotiation::hear(&said, Side::Publisher, Some(standing), translator, &work)
        };
        self.beside(hear).await?.map_err(unheard)
    }

    /// The subject of a message that opens a negotiation: in the prompt beside it, or in words that one
    /// template alone understands.
    async fn opening(
        &self,
        said: &negotiation::NegotiationMessage,
        envelope: &TelecomEnvelope,
    ) -> Result<ReceivedMove, Error> {
        let in_words = || {
            let work = ReadingBudget::within(Effort::until(&|| false));
            negotiation::hear(said, Side::Publisher, None, None, &work).map_err(unheard)
        };
        // Information is of a task, whatever its template.
        if said.topic == Some(NegotiationTopic::Information) {
            return in_words();
        }
        if envelope.text(Family::Task).is_some() {
            let content = self.prompt(envelope).await?.reading.content();
            let content =
                content.map_err(|lacks| unheard(negotiation::NegotiationError::Unclear(lacks)))?;
            return Ok(match in_words()? {
                ReceivedMove::Opens(_, limit) => {
                    ReceivedMove::Opens(Speech::offer(vec![content]), limit)
                }
                other => other,
            });
        }
        let (served, heard) = (Arc::clone(&self.served), said.clone());
        let hear = move |over: &dyn Fn() -> bool| {
            let work = ReadingBudget::within(Effort::until(over));
            let by = |it| negotiation::hear(&heard, Side::Publisher, None, Some(it), &work);
            let translators = served.telecom.translators().iter();
            let readings: Vec<Result<ReceivedMove, negotiation::NegotiationError>> =
                translators.map(by).collect();
            let given_up = readings.iter().find_map(|it| match it {
                Err(negotiation::NegotiationError::GivenUp(why)) => Some(*why),
                _ => None,
            });
            given_up.map_or_else(|| Ok(readings.into_iter().partition(Result::is_ok)), Err)
        };
        let readings = self.beside(hear).await?.map_err(given_up)?;
        let (mut understood, not): (Vec<_>, Vec<_>) = readings;
        if understood.len() > 1 {
            let why = "several templates understand this; a Task-T text beside it says which";
            return Err(refused("template.not_found", why));
        }
        let read = understood.pop().or_else(|| not.into_iter().next());
        read.map_or_else(in_words, |read| read.map_err(unheard))
    }

    /// The publisher's turn in a feasibility; its round.
    async fn in_feasibility(
        &self,
        message: &Message,
        envelope: &TelecomEnvelope,
        id: &TaskId,
        heard: ReceivedMove,
    ) -> Result<u32, Error> {
        let (speech, round_limit) = match heard {
            ReceivedMove::Opens(speech, limit) => (speech, Some(limit)),
            ReceivedMove::Turn(speech) => (speech, None),
            ReceivedMove::Withdrawal(reason) => (refusal(reason), None),
            ReceivedMove::Again => return self.last_round(id),
            ReceivedMove::Question | ReceivedMove::Supply => return Err(of_no_task()),
        };
        let said = Words {
            message,
            envelope,
            in_reply_to: None,
        };
        let negotiate = Negotiate {
            to: Some(self.profile().name.clone()),
            task: Some(id.clone()),
            texts: said.texts(&speech),
            alternative: speech.alternative,
            round_limit,
            ..Negotiate::new(self.endpoint.clone(), Verb::FeasibilityNegotiate)
        };
        let said = self.execute(negotiate).await;
        said.map_err(|it| error::refused(&it))?;
        self.last_round(id)
    }

    fn last_round(&self, id: &TaskId) -> Result<u32, Error> {
        let negotiation = self.negotiation_of(id, Kind::Feasibility)?;
        let turns = negotiation.map(|it| it.turns).unwrap_or_default();
        let own = turns.iter().rev().find(|turn| turn.by == Side::Publisher);
        Ok(own.map_or(0, |turn| turn.round))
    }

    /// The executor's speech of a round, as a message.
    fn turn(
        &self,
        message: &Message,
        envelope: &TelecomEnvelope,
        negotiation: &Negotiation,
        round: u32,
    ) -> Message {
        let mut then = negotiation.clone();
        then.turns.retain(|turn| turn.round <= round);
        let Some(turn) = then.said(Side::Executor, round).cloned() else {
            let told = match negotiation.is_open() {
                true => "pending",
                false => negotiation.state.as_str(),
            };
            return answer(message, vec![Part::text(told)], Metadata::new());
        };
        let contents = turn.speech.contents.iter();
        let mut said: Vec<Part> = contents
            .flat_map(|content| parts(content, &|id| self.is_declared(id)))
            .collect();
        let reasons = turn.speech.reasons.iter();
        said.extend(reasons.map(|reason| Part::text(reason.message.as_str())));
        if said.is_empty() {
            said.push(Part::text(turn.speech.stance.as_str()));
        }
        let metadata = rendered(&then, envelope, &self.served.telecom);
        answer(message, said, metadata.unwrap_or_default())
    }

    /// A message of a negotiation to a task that its executor has heard of.
    pub(super) async fn negotiated_on(
        &self,
        message: &Message,
        envelope: TelecomEnvelope,
        task: &Task,
    ) -> Result<MessageOutcome, Error> {
        let text = envelope.text(Family::Negotiation).ok_or_else(|| {
            refused(
                "negotiation.phase_mismatch",
                "the task is under way; its target can be negotiated",
            )
        })?;
        let said = self.spoken(&envelope, text).await?;
        let before = self.negotiation_of(&task.id, Kind::Fulfillment)?;
        let same = before.as_ref().filter(|it| id_of(it) == said.context.id);
        let other = before.as_ref().filter(|it| same.is_none() && it.is_open());
        if let Some(other) = other.filter(|_| said.topic != Some(NegotiationTopic::Information)) {
            let why = format!("the task is negotiated under the id {}", id_of(other));
            return Err(refused("negotiation.invalid_input", why));
        }
        let heard = self.heard(&said, &envelope, same).await?;
        let mut negotiate = Negotiate {
            to: Some(task.to.clone()),
            task: Some(task.id.clone()),
            ..Negotiate::new(self.endpoint.clone(), Verb::FulfillmentNegotiate)
        };
        let speech = match heard {
            ReceivedMove::Opens(speech, _) | ReceivedMove::Turn(speech) => speech,
            ReceivedMove::Withdrawal(reason) => return self.left(message, task, &reason).await,
            ReceivedMove::Again => return Ok(MessageOutcome::of(&task.id)),
            ReceivedMove::Supply => return self.informed(message, &envelope, task, &said).await,
            ReceivedMove::Question => {
                let why = "what is known of the task stands in its record";
                return Err(refused("negotiation.type_mismatch", why));
            }
        };
        let said = Words {
            message,
            envelope: &envelope,
            in_reply_to: Some(in_reply_to(task)),
        };
        negotiate.texts = said.texts(&speech);
        negotiate.alternative = speech.alternative;
        self.give(task.id.clone(), negotiate, Default::default())
            .await
    }

    /// Information that an agent asked for in its own words.
    async fn informed(
        &self,
        message: &Message,
        envelope: &TelecomEnvelope,
        task: &Task,
        said: &negotiation::NegotiationMessage,
    ) -> Result<MessageOutcome, Error> {
        let awaits = task
            .awaits
            .filter(|it| matches!(it, Awaits::Answer | Awaits::Credentials));
        let awaits = awaits.ok_or_else(|| {
            refused(
                "negotiation.type_mismatch",
                "the task asks for no information",
            )
        })?;
        let items = said.items().into_iter();
        let items = items.map(|(name, value)| match value.is_empty() {
            true => name,
            false => format!("{name}: {value}"),
        });
        let words = inert(&items.collect::<Vec<_>>().join("\n"));
        let answer = Words {
            message,
            envelope,
            in_reply_to: Some(awaits.as_str()),
        };
        let content = Content::new(&task.content.target_object, words);
        let negotiate = Negotiate {
            to: Some(task.to.clone()),
            task: Some(task.id.clone()),
            texts: vec![answer.marked(content)],
            ..Negotiate::new(self.endpoint.clone(), Verb::FulfillmentNegotiate)
        };
        self.give(task.id.clone(), negotiate, Default::default())
            .await
    }
}

/// The subject that a message on a task under way answers: the thing it waits for, or its plan.
fn in_reply_to(task: &Task) -> &'static str {
    task.awaits.map_or("plan", Awaits::as_str)
}

/// A feasibility, or leaving whatever it was, may be spoken of before there is a task.
fn needs_no_task(said: &negotiation::NegotiationMessage) -> Result<(), Error> {
    match said.topic {
        None | Some(NegotiationTopic::Feasibility) => Ok(()),
        Some(_) => Err(of_no_task()),
    }
}

fn of_no_task() -> Error {
    let why = "there is no task of this id, and only a feasibility needs none";
    refused("negotiation.type_mismatch", why)
}

fn refusal(reason: String) -> Speech {
    Speech::refuse(vec![domain::reply::Reason {
        reason: "withdrawn".to_owned(),
        path: String::new(),
        message: reason,
    }])
}

/// The words of a speech in a message of our own protocol.
struct Words<'m> {
    message: &'m Message,
    envelope: &'m TelecomEnvelope,
    in_reply_to: Option<&'static str>,
}

impl Words<'_> {
    /// A text for each alternative of an offer, or one.
    fn texts(&self, speech: &Speech) -> Vec<String> {
        let word = match speech.stance {
            Stance::Offer => return self.offered(speech),
            Stance::Accept => "accept".to_owned(),
            Stance::Refuse => {
                let reasons = speech.reasons.iter().flat_map(|it| it.message.lines());
                let points: String = reasons.map(|line| format!("\n- {line}")).collect();
                format!("reject{points}")
            }
        };
        let first = speech.contents.first();
        let words = first.map(|it| inert(&it.task_description));
        let words = words.filter(|it| !it.is_empty());
        let words = words.unwrap_or_else(|| speech.stance.as_str().to_owned());
        let content = Content::new(words.clone(), words).with_result(word);
        vec![self.marked(content)]
    }

    /// An offer's reasons, which stand with its circumstances.
    fn offered(&self, speech: &Speech) -> Vec<String> {
        let reasons = || speech.reasons.iter().map(|it| it.message.as_str());
        let contents = speech.contents.iter().map(|content| {
            let circumstances = content.environmental_information.iter();
            let lines: Vec<&str> = circumstances.map(String::as_str).chain(reasons()).collect();
            let circumstances = Some(inert(&lines.join("\n")));
            self.marked(Content {
                target_object: inert(&content.target_object),
                task_description: inert(&content.task_description),
                environmental_information: circumstances.filter(|it| !it.is_empty()),
                ..content.clone()
            })
        });
        contents.collect()
    }

    /// With the message that brings it, and what it says in A2A-T.
    fn marked(&self, mut content: Content) -> String {
        marked(&mut content, self.message);
        kept::keep(&mut content, self.envelope);
        let replies = self.in_reply_to.map(str::to_owned);
        let replies = replies.map(|it| ("in reply to".to_owned(), it));
        content.others.extend(replies);
        content.render()
    }
}
