//! `FulfillmentNegotiate`: publisher and executor speak about a task under way (draft §4.3, §4.5;
//! §5.3, 2): answers to questions, decisions, plans and judgements.
//!
//! What the message means follows from what the task waits for ([`Awaits`]). Read next:
//! [`super::turn`], [`crate::tasks::life`].

use super::payload::Speaker;
use super::turn::{TurnPosition, position_of, speech};
use crate::accounts::quota::adds;
use crate::commit::unit_of_work::{LONG, UnitOfWork};
use crate::hosting::agents::Room;
use crate::hosting::question::Question;
use crate::operation::Execution;
use crate::refusal::{Conflict, Field};
use crate::schemas::notice::Annotations;
use crate::tasks::awaited::{Answered, Awaited};
use crate::tasks::loaded::Name;
use crate::tasks::message::{Negotiate, Negotiated};
use crate::tasks::negotiate::exchange::{asked, committed};
use crate::tasks::negotiate::routing::{about, check_addressee};
use crate::tasks::negotiate::turn::further;
use crate::tasks::negotiation::rounds_over;
use crate::tasks::plan::{KIND, agreement_of};
use crate::tasks::reply::complete;
use crate::tasks::request::{ANSWERS, Routed, in_reply_to, sections};
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::agent::{Ask, Input};
use domain::content::Content;
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech, Stance, State};
use domain::reply::Reply;
use domain::task::{Awaits, Command, OutOfTurn, Task, TaskId};
use domain::time::Timestamp;
use std::sync::Arc;

/// What the publisher says of a task.
struct PublisherMessage<'a> {
    routed: &'a Routed,
    task: &'a Arc<Task>,
    content: Content,
    speech: Speech,
}

/// What an executor says to a word of its publisher, and where that is recorded.
enum Reaction {
    Answered(Reply, String),
    /// It will answer this.
    Asked(Question),
}

/// A word of a publisher to an executor.
struct Word {
    /// The task as it is after it.
    task: Arc<Task>,
    /// Where the exchange is recorded.
    key: String,
    /// The turn that it is in a negotiation.
    turn: Option<(Kind, Stance)>,
    /// True if it reopens the plan.
    reopens: bool,
}

impl Engine {
    pub(super) fn fulfillment(
        &self,
        who: &Principal,
        negotiate: Negotiate,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let stated = sections(&negotiate).and_then(|said| in_reply_to(&said.content));
        let stated = stated.ok().flatten();
        let in_doubt = negotiate.in_doubt();
        let mut work = self.lock_with_all(&about(&negotiate), |work, names| {
            let known = negotiate.task.as_ref().map(|id| work.known_task(id));
            if let Some(Ok(Some(task))) = known {
                names_about(work, &task, stated, in_doubt, names);
            }
        });
        let task = self.party_task(&work, who, &negotiate)?;
        if task.to == who.name && task.from != who.name {
            return self.executor_negotiates(&mut work, &task, negotiate, annotations, now);
        }
        let mut routed = self.route(who, negotiate)?;
        let task = self.published(&work, who, &routed.negotiate)?;
        let by = Speaker::publisher(&routed.from);
        let held = self.held(&mut routed.negotiate, by, annotations, now)?;
        let speech = speech(&routed.negotiate, &held)?;
        if task.from == who.name {
            annotations.about(task.content.payload.as_ref());
        }
        let said = PublisherMessage {
            routed: &routed,
            task: &task,
            content: held.content,
            speech,
        };
        let stated = in_reply_to(&said.content)?;
        let kind = match stated.unwrap_or(task.awaits) {
            Some(Awaits::Answer | Awaits::Credentials | Awaits::Completion) => None,
            Some(Awaits::Judgement) => Some(Kind::Result),
            Some(Awaits::Decision) => Some(KIND),
            None if stated.is_some() => Some(KIND),
            None => Some(self.kind_of_last(&work, &said)?),
        };
        if let Some(again) = self.said_before(&mut work, &said, kind, now)? {
            return Ok(again);
        }
        if stated.is_some_and(|stated| stated != task.awaits) {
            return Err(OutOfTurn {
                task: task.id.clone(),
                status: task.status,
                command: said.speech.stance.as_str(),
                because: Some("it does not wait for what this replies to"),
            }
            .into());
        }
        // An answer is no offer, whatever its words begin with: nobody goes on from it.
        let answers = matches!(
            task.awaits,
            Some(Awaits::Answer | Awaits::Credentials | Awaits::Completion)
        );
        let is_added_to = match answers {
            true => said.content.bytes() > LONG,
            false => adds(&said.speech),
        };
        if is_added_to {
            self.room_to_say(&task.from)?;
        }
        let executor = self.place_of(&routed)?;
        if task.awaits == Some(Awaits::Completion) {
            return self.completed(&mut work, &said, executor, now);
        }
        let room = self.room_with(executor)?;
        let mut unit = UnitOfWork::said_by(&routed.from, routed.negotiate.key(), now);
        unit.ruled(routed.negotiate.ruled.as_ref(), who, now);
        let word = match task.awaits {
            Some(Awaits::Judgement) => self.judged(&mut work, &said, now, &mut unit)?,
            Some(Awaits::Decision) => self.decided(&mut work, &said, now, &mut unit)?,
            Some(_) => self.answered(&mut work, &said, now, &mut unit)?,
            None => self.revised(&mut work, &said, now, &mut unit)?,
        };
        let reaction = self.tell(&mut work, &said, (word, room), now, &mut unit);
        let (from, to) = (&routed.from, &routed.to);
        let record = |key: &str| {
            let key = key.to_owned();
            self.exchange(from, to, &routed.negotiate, &task.id, key, now)
        };
        Ok(match reaction {
            Reaction::Answered(reply, key) => {
                unit.respond(record(&key), &reply, now);
                committed(self.commit(unit), reply)
            }
            Reaction::Asked(question) => {
                let (exchange, patience) = (
                    record(&question.key),
                    self.limits.patience_ms(task.asynchronous),
                );
                let (work, unit_too) = (&mut work, &mut unit);
                let receiver = work.wait_for_answer(&question, exchange, patience, now, unit_too);
                asked(self.commit(unit), receiver)
            }
        })
    }

    /// Which negotiation a message to a task that waits for nothing belongs to, if it is one that
    /// is sent again: the one in which the publisher spoke last.
    fn kind_of_last(&self, work: &Work<'_>, said: &PublisherMessage<'_>) -> Result<Kind, Refusal> {
        let result = work.known_negotiation(&said.task.id, Kind::Result)?;
        let judged = result.is_some_and(|n| {
            let last = n.turns.iter().rev().find(|t| t.by == Side::Publisher);
            last.is_some_and(|t| t.speech == said.speech)
        });
        Ok(if judged { Kind::Result } else { KIND })
    }

    /// The reply to a message that was sent before.
    fn said_before(
        &self,
        work: &mut Work<'_>,
        said: &PublisherMessage<'_>,
        kind: Option<Kind>,
        now: Timestamp,
    ) -> Result<Option<Execution<Negotiated>>, Refusal> {
        let id = &said.task.id;
        let negotiate = &said.routed.negotiate;
        if let Some(kind) = kind
            && let Some(known) = work.known_negotiation(id, kind)?
            && let TurnPosition::Again(round) =
                position_of(&known, Side::Publisher, negotiate, &said.speech)?
        {
            let key = turn_key(id, kind, round, &said.routed.from);
            let awaited = Awaited::Turn(id.clone(), kind, round);
            return Ok(Some(self.same_reply_again(work, &awaited, key, now)));
        }
        // What is awaited is answered by this message, unless it says that it answers a question
        // and none is asked.
        let answers = in_reply_to(&said.content)?.unwrap_or(said.task.awaits);
        let is_awaited =
            said.task.awaits.is_some() && (kind.is_some() || answers == said.task.awaits);
        // Each turn has its key, and an answer has none: what a leader that was lost may have taken for the answer to the
        // question before is not taken for the answer to this one.
        let answer_in_doubt = kind.is_none() && negotiate.in_doubt();
        if is_awaited && !answer_in_doubt {
            return Ok(None);
        }
        // Perhaps the answer to a question, sent again.
        let record = self.answered_before(work, said)?;
        if is_awaited {
            return match record {
                Some(_) => Err(Conflict::MaybeAnswered { task: id.clone() }.into()),
                None => Ok(None),
            };
        }
        let awaited = Awaited::Task(id.clone());
        Ok(record.map(|record| self.same_reply_again(work, &awaited, record, now)))
    }

    /// The record of the last answer to a question, if this is it.
    fn answered_before(
        &self,
        work: &Work<'_>,
        said: &PublisherMessage<'_>,
    ) -> Result<Option<String>, Refusal> {
        let (id, from) = (&said.task.id, &said.routed.from);
        let text = said.routed.negotiate.texts.join("\n");
        if let Some(last) = work.answered(id) {
            let same = last.from == *from && last.text == text;
            return Ok(same.then(|| last.record.clone()));
        }
        let last = work.last_answer(id)?;
        let same = last.filter(|e| e.from == *from && e.request == text);
        Ok(same.map(|e| e.id))
    }

    /// The answer to a question, or the credentials.
    fn answered(
        &self,
        work: &mut Work<'_>,
        said: &PublisherMessage<'_>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Word, Refusal> {
        let command = Command::Answer(said.content.clone());
        let after = self.change(work, said.task, command, now, unit)?;
        let key = format!("{}{ANSWERS}{}", after.id, after.version);
        let answered = answered_by(said.routed, key.clone());
        work.note_answered(&after.id, answered);
        Ok(Word::of(after, key, None))
    }

    /// What the assignment lacked. It is handed over then, or more of it is asked for.
    fn completed(
        &self,
        work: &mut Work<'_>,
        said: &PublisherMessage<'_>,
        executor: usize,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let (task, negotiate) = (said.task, &said.routed.negotiate);
        let key = format!("{}{ANSWERS}{}", task.id, task.version + 1);
        let (from, to) = (&said.routed.from, &said.routed.to);
        let exchange = self.exchange(from, to, negotiate, &task.id, key.clone(), now);
        let mut unit = UnitOfWork::asked_by(from, now);
        let done = match negotiate.question.clone() {
            Some(question) => self.ask_first(work, task, question, exchange, now, unit),
            None => {
                self.registry.available(executor)?;
                let handover = self.handover(work, executor, task, now)?;
                let command = Command::Complete(said.content.clone());
                let whole = self.change(work, task, command, now, &mut unit)?;
                Ok(self.hand_over(work, handover, whole, exchange, now, unit))
            }
        };
        if done.is_ok() {
            work.note_answered(&task.id, answered_by(said.routed, key));
        }
        done
    }

    /// The judgement of a result.
    fn judged(
        &self,
        work: &mut Work<'_>,
        said: &PublisherMessage<'_>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Word, Refusal> {
        let stance = said.speech.stance;
        if stance == Stance::Offer {
            return Err(Refusal::unusable(
                Field::Content,
                "a result waits for judgement: '## result' must say accept or reject",
            ));
        }
        let (speech, content) = (said.speech.clone(), said.content.clone());
        let after = self.judge(work, said.task, speech, content, now, unit)?;
        // Told that its result is rejected, the executor may offer another at once.
        let round = self.round_of(work, said.task, Kind::Result);
        let turn = Some((Kind::Result, stance));
        let key = turn_key(&after.id, Kind::Result, round, &said.routed.from);
        Ok(Word::of(after, key, turn))
    }

    /// The word on a proposed decision.
    fn decided(
        &self,
        work: &mut Work<'_>,
        said: &PublisherMessage<'_>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Word, Refusal> {
        let task = said.task;
        let spoken = Move::Speak(Side::Publisher, said.speech.clone());
        let after = self.negotiate_on(work, task, KIND, spoken, now, unit)?;
        let command = match after.state {
            State::Agreed => Command::Agree(agreement_of(&after)),
            State::Exhausted => Command::Fail(rounds_over(task, after.round_limit)),
            _ => Command::Disagree(said.content.clone()),
        };
        let round = after.round();
        let changed = self.change(work, task, command, now, unit)?;
        let turn = Some((KIND, said.speech.stance));
        let key = turn_key(&task.id, KIND, round, &said.routed.from);
        Ok(Word::of(changed, key, turn))
    }

    /// The plan of a task under way is reopened (§4.3).
    fn revised(
        &self,
        work: &mut Work<'_>,
        said: &PublisherMessage<'_>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Word, Refusal> {
        let task = said.task;
        if said.speech.stance != Stance::Offer || task.status.is_terminal() {
            return Err(OutOfTurn {
                task: task.id.clone(),
                status: task.status,
                command: said.speech.stance.as_str(),
                because: Some("nothing waits for the publisher"),
            }
            .into());
        }
        let spoken = Move::Speak(Side::Publisher, said.speech.clone());
        let after = self.negotiate_on(work, task, KIND, spoken, now, unit)?;
        let key = turn_key(&task.id, KIND, after.round(), &said.routed.from);
        let turn = Some((KIND, Stance::Offer));
        Ok(Word {
            reopens: true,
            ..Word::of(Arc::clone(task), key, turn)
        })
    }

    /// A message of the executor about its own task.
    fn executor_negotiates(
        &self,
        work: &mut Work<'_>,
        task: &Arc<Task>,
        mut negotiate: Negotiate,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        check_addressee(&negotiate, &task.from)?;
        let by = Speaker::executor(&task.to);
        let held = self.held(&mut negotiate, by, annotations, now)?;
        let speech = speech(&negotiate, &held)?;
        let known = work.known_negotiation(&task.id, KIND)?;
        let fresh = || {
            Arc::new(Negotiation::between(
                task.id.clone(),
                KIND,
                &task.from,
                &task.to,
            ))
        };
        let known = known.unwrap_or_else(fresh);
        let round = match position_of(&known, Side::Executor, &negotiate, &speech)? {
            TurnPosition::Again(round) => {
                let key = turn_key(&task.id, KIND, round, &task.to);
                let awaited = Awaited::Task(task.id.clone());
                return Ok(self.same_reply_again(work, &awaited, key, now));
            }
            TurnPosition::New(round) => round,
        };
        if adds(&speech) {
            self.room_to_say(&task.from)?;
        }
        let mut unit = UnitOfWork::said_by(&task.to, negotiate.key(), now);
        let after = self.executor_speaks(work, task, speech, now, &mut unit)?;
        let reply = Reply {
            round: Some(round),
            ..complete(Reply::accepted(), &after)
        };
        let key = turn_key(&task.id, KIND, round, &task.to);
        let exchange = self.exchange(&task.to, &task.from, &negotiate, &task.id, key, now);
        unit.respond(exchange, &reply, now);
        Ok(committed(self.commit(unit), reply))
    }

    /// Tells the executor what its publisher said. What stands for one elsewhere answers at once.
    fn tell(
        &self,
        work: &mut Work<'_>,
        said: &PublisherMessage<'_>,
        (word, room): (Word, Room<'_>),
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Reaction {
        let Word { task, turn, .. } = word;
        let round = turn.map_or(1, |(kind, _)| self.round_of(work, &task, kind));
        let question = Question {
            key: word.key,
            agent: said.routed.to.clone(),
            task: task.id.clone(),
            verb: said.routed.negotiate.verb,
            from: said.routed.from.clone(),
            turn,
            round,
            offered: said.speech.contents.len(),
            reopens: word.reopens,
            answered: false,
            word: None,
        };
        let ask = Ask {
            verb: said.routed.negotiate.verb,
            task: Arc::clone(&task),
            from: said.routed.from.clone(),
            content: said.content.clone(),
            alternatives: further(said.speech.stance, &said.speech.contents),
            alternative: said.speech.alternative,
            round,
            turn,
        };
        if room.is_hosted() {
            self.ask(room, question.clone(), ask, unit);
            return Reaction::Asked(question);
        }
        let answer = self.run(work, room.index(), Input::Asked(ask), now, unit);
        let answer = answer.unwrap_or_else(Reply::accepted);
        let reply = self.reaction(work, &question, &task, answer, now, unit);
        Reaction::Answered(reply, question.key)
    }

    fn round_of(&self, work: &Work<'_>, task: &Task, kind: Kind) -> u32 {
        work.negotiation(&task.id, kind).map_or(1, |n| n.round())
    }
}

/// What may be read of a task of which something is said: of what is over its negotiations, of what lacked
/// something the data that go with it, and the last answer to a question of it where this may be the same.
fn names_about(
    work: &Work<'_>,
    task: &Task,
    stated: Option<Option<Awaits>>,
    in_doubt: bool,
    names: &mut Vec<Name>,
) {
    let id = || task.id.clone();
    names.extend([KIND, Kind::Result].map(|kind| Name::Negotiation(id(), kind)));
    if task.awaits == Some(Awaits::Completion) {
        names.extend(task.conditions.data.clone().map(Name::Data));
    }
    let may_be_old =
        in_doubt || task.awaits.is_none() || stated.is_some_and(|stated| stated != task.awaits);
    if may_be_old && work.answered(&task.id).is_none() {
        names.push(Name::LastAnswer(id(), task.version + 1));
    }
}

impl Word {
    fn of(task: Arc<Task>, key: String, turn: Option<(Kind, Stance)>) -> Self {
        Self {
            task,
            key,
            turn,
            reopens: false,
        }
    }
}

/// The identifier of the exchange that holds a turn.
fn turn_key(task: &TaskId, kind: Kind, round: u32, by: &str) -> String {
    format!("{task}/{kind}/{round}/{by}")
}

/// The answer to a question, with the identifier of its record.
fn answered_by(routed: &Routed, record: String) -> Answered {
    Answered {
        from: routed.from.clone(),
        text: routed.negotiate.texts.join("\n"),
        record,
    }
}
