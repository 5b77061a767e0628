//! `FeasibilityNegotiate`: could this be done, and if not this, then what (draft §5.3, 1)?
//!
//! No task exists yet; what is agreed binds the assignment under the same identifier. Read next:
//! [`super::turn`], `domain::negotiation`.

use super::assign::{pending, take_answer};
use super::payload::Speaker;
use super::turn::{Place, place, reply_of, speech, speech_of};
use super::{asked, committed, recorded_reply};
use crate::access::unobtainable;
use crate::accounts::quota::adds;
use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::question::Question;
use crate::operation::Execution;
use crate::schemas::Heard;
use crate::tasks::life::moved;
use crate::tasks::operation::{Negotiate, Negotiated};
use crate::tasks::request::{Routed, checked, conditions, is_of_platform, task_leaf};
use crate::tasks::work::{Awaited, Work};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::agent::{Ask, Input};
use domain::content::Content;
use domain::context::Exchange;
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech, Stance};
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::team::place_of;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;

const KIND: Kind = Kind::Feasibility;

/// What an executor is asked, and by whom.
pub(crate) struct Proposal<'a> {
    /// The negotiation before this turn; perhaps without a turn yet.
    pub(crate) negotiation: &'a Arc<Negotiation>,
    /// The executor's place in the roster.
    pub(crate) to: usize,
    /// What the publisher says.
    pub(crate) speech: Speech,
    /// The sections as sent.
    pub(crate) text: String,
    /// The identifier of the exchange.
    pub(crate) key: String,
}

impl Engine {
    pub(super) fn feasibility(
        &self,
        who: &Principal,
        negotiate: Negotiate,
        heard: &mut Heard,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let id = checked(&task_leaf(&negotiate)?)?;
        let mut work = self.lock_work();
        let known = self.negotiation(&work, &id, KIND)?;
        if let Some(known) = &known
            && known.executor == who.name
            && known.publisher != who.name
        {
            return self.feasibility_answered(&mut work, known, negotiate, heard, now);
        }
        let mut routed = self.route(who, negotiate)?;
        let by = Speaker::publisher(&routed.from);
        let held = self.held(&mut routed.negotiate, by, heard, now)?;
        let speech = speech(&routed.negotiate, &held)?;
        let content = held.content;
        heard.about(content.payload.as_ref());
        let negotiation = match known {
            Some(known) if known.publisher != routed.from || known.executor != routed.to => {
                // Nothing that could not begin at all is told that its identifier is in use.
                let taken = match self.could_propose(&mut work, &routed, (&speech, &content), now) {
                    Ok(()) => self.in_use(who, &id, &known.publisher, &known.executor),
                    Err(refusal) => refusal,
                };
                return Ok(self.said_to_another(taken, &known, routed));
            }
            Some(known) => known,
            None => Arc::new(self.unspoken(&id, &routed, &content)?),
        };
        let (from, to) = (&routed.from, &routed.to);
        let key = |round| match place_of(&id) {
            // One after the other is asked for the same place of a team.
            Some(_) => format!("{id}/{KIND}/{round}/{from}/{to}"),
            None => format!("{id}/{KIND}/{round}/{from}"),
        };
        let round = match place(
            &negotiation,
            Side::Publisher,
            routed.negotiate.round,
            &speech,
        )? {
            Place::Again(round) => {
                let awaited = Awaited::Turn(id.clone(), KIND, round);
                return Ok(self.same_reply_again(&mut work, &awaited, key(round), now));
            }
            Place::New(round) => round,
        };
        let executor = self.place_of(&routed)?;
        self.available(executor)?;
        if let Some(task) = self.task(&work, &id)? {
            if negotiation.turns.is_empty() {
                self.could_propose(&mut work, &routed, (&speech, &content), now)?;
            }
            return Err(self.in_use(who, &id, &task.from, &task.to));
        }
        if negotiation.turns.is_empty() && is_of_platform(&id) {
            return Err(unobtainable(&id));
        }
        if !negotiation.is_open() || negotiation.turns.is_empty() {
            self.room_to_publish(&work, &routed.from)?;
        } else if adds(&speech) {
            self.room_to_say(&work, &routed.from)?;
        }
        let proposal = Proposal {
            negotiation: &negotiation,
            to: executor,
            speech,
            text: routed.negotiate.texts.join("\n"),
            key: key(round),
        };
        let mut staged = UnitOfWork::asked_by(&routed.from, now);
        let reply = self.propose(&mut work, proposal, now, &mut staged)?;
        if let Some(after) = work.negotiation(&id, KIND).cloned() {
            self.team_answered(&mut work, &after, now, &mut staged);
        }
        let (from, to) = (&routed.from, &routed.to);
        let exchange = self.exchange(from, to, &routed.negotiate, &id, key(round), now);
        Ok(match reply {
            Some(reply) => {
                staged.respond(exchange, &reply, now);
                committed(self.commit(staged), reply)
            }
            None => {
                let awaited = Awaited::Turn(id, KIND, round);
                let receiver = self.wait_for(&mut work, awaited, exchange, now, &mut staged);
                asked(self.commit(staged), receiver)
            }
        })
    }

    /// The publisher's turn, and the executor's if it answers at once; none if it answers later.
    /// If either is out of place, nothing has changed.
    pub(crate) fn propose(
        &self,
        work: &mut Work,
        proposal: Proposal<'_>,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) -> Result<Option<Reply>, Refusal> {
        let (stance, contents) = (proposal.speech.stance, proposal.speech.contents.clone());
        let alternative = proposal.speech.alternative;
        let spoken = Move::Speak(Side::Publisher, proposal.speech);
        // Both turns must be possible before a word is taken down.
        let (after, _) = moved(proposal.negotiation, spoken.clone(), now)?;
        self.check_room(work, proposal.to)?;
        let round = after.round();
        let content = contents.first().cloned().unwrap_or_default();
        let ask = Ask {
            verb: Verb::FeasibilityNegotiate,
            task: Arc::new(supposed(&after, &proposal.text, &content, now)),
            from: after.publisher.clone(),
            content,
            alternatives: further(stance, &contents),
            alternative,
            round,
            turn: Some((KIND, stance)),
        };
        if work.instance(proposal.to).is_hosted() {
            let question = Question {
                key: proposal.key,
                agent: after.executor.clone(),
                task: after.task.clone(),
                verb: Verb::FeasibilityNegotiate,
                from: after.publisher.clone(),
                turn: Some((KIND, stance)),
                round,
                offered: contents.len(),
                reopens: false,
                answered: false,
            };
            let open = self.move_on(work, proposal.negotiation, spoken, now, staged)?;
            self.ask(work, proposal.to, question, ask, staged);
            let noted = (stance != Stance::Offer || !open.is_open()).then(Reply::accepted);
            return Ok(noted.map(|reply| of_round(reply, &open.task, round)));
        }
        let mut outputs = self.step(work, proposal.to, Input::Asked(ask), now);
        let answer = take_answer(&mut outputs).unwrap_or_else(pending);
        let answered = after.is_open().then(|| speech_of(&answer, contents.len()));
        let answered = answered.flatten().filter(|_| stance == Stance::Offer);
        let answered = answered.map(|speech| Move::Speak(Side::Executor, speech));
        if let Some(answered) = &answered {
            moved(&after, answered.clone(), now)?;
        }
        let open = self.move_on(work, proposal.negotiation, spoken, now, staged)?;
        let reply = match answered {
            Some(answered) => {
                let alternative = alternative_of(&answered);
                self.move_on(work, &open, answered, now, staged)?;
                Some(Reply {
                    alternative,
                    ..answer
                })
            }
            None if stance == Stance::Offer && open.is_open() => None,
            // Taken note of.
            None => Some(Reply::accepted()),
        };
        self.take_outputs(work, proposal.to, outputs, now, staged);
        // What it says in the same breath is its answer as well.
        let spoke = work.negotiation(&open.task, KIND);
        let spoke = spoke.filter(|n| n.said(Side::Executor, round).is_some());
        let reply = reply.or_else(|| spoke.map(|n| reply_of(n, round)));
        Ok(reply.map(|reply| of_round(reply, &open.task, round)))
    }

    /// A negotiation in which nothing was said yet.
    fn unspoken(
        &self,
        id: &TaskId,
        routed: &Routed,
        content: &Content,
    ) -> Result<Negotiation, Refusal> {
        let conditions = conditions(&routed.negotiate, content, &self.limits)?;
        Ok(Negotiation {
            round_limit: match conditions.round_limit {
                0 => self.limits.rounds,
                stated => stated,
            },
            answer_within_ms: conditions.answer_within_ms,
            ..Negotiation::between(id.clone(), KIND, &routed.from, &routed.to)
        })
    }

    /// Whether this could be proposed under an identifier that nobody uses.
    fn could_propose(
        &self,
        work: &mut Work,
        routed: &Routed,
        (speech, content): (&Speech, &Content),
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let first = self.unspoken(&checked(&task_leaf(&routed.negotiate)?)?, routed, content)?;
        place(&first, Side::Publisher, routed.negotiate.round, speech)?;
        let executor = self.place_of(routed)?;
        self.available(executor)?;
        self.room_to_publish(work, &routed.from)?;
        moved(&first, Move::Speak(Side::Publisher, speech.clone()), now)?;
        self.check_room(work, executor)
    }

    /// A word in a negotiation that is another's now: perhaps one that was said while it was this
    /// one's, sent again, as by somebody who declined a place that the next one was asked for. If it
    /// was not, it is refused.
    fn said_to_another(
        &self,
        taken: Refusal,
        known: &Negotiation,
        routed: Routed,
    ) -> Execution<Negotiated> {
        let barrier = self.store.commit(store::Batch::default());
        let (store, task) = (self.store.clone(), known.task.clone());
        Execution::later(async move {
            barrier.await?;
            let Routed {
                from,
                to,
                negotiate,
            } = &routed;
            let text = negotiate.texts.join("\n");
            let said = |e: &Exchange| {
                (e.verb, &e.from, &e.to) == (Verb::FeasibilityNegotiate, from, to)
                    && e.request == text
                    && e.response.is_some()
            };
            // By key, the last first: of what else was said of the task there may be any amount.
            let rounds = match negotiate.round {
                Some(round) => round..=round,
                None => 1..=Negotiation::MOST_TURNS as u32,
            };
            for round in rounds.rev() {
                let own = format!("{task}/{KIND}/{round}/{from}");
                for key in [format!("{own}/{to}"), own] {
                    if let Some(record) = store.exchange(&key)?.filter(said) {
                        return recorded_reply(&store, &record).map(Negotiated::from);
                    }
                }
            }
            Err(taken)
        })
    }

    /// An executor answers in a message of its own.
    fn feasibility_answered(
        &self,
        work: &mut Work,
        negotiation: &Arc<Negotiation>,
        mut negotiate: Negotiate,
        heard: &mut Heard,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        check_addressee(&negotiate, &negotiation.publisher)?;
        let by = Speaker::executor(&negotiation.executor);
        let held = self.held(&mut negotiate, by, heard, now)?;
        let speech = speech(&negotiate, &held)?;
        let executor = negotiation.executor.clone();
        let key = |round| format!("{}/{KIND}/{round}/{executor}", negotiation.task);
        let round = match place(negotiation, Side::Executor, negotiate.round, &speech)? {
            Place::Again(round) => {
                let awaited = Awaited::Turn(negotiation.task.clone(), KIND, round);
                return Ok(self.same_reply_again(work, &awaited, key(round), now));
            }
            Place::New(round) => round,
        };
        if adds(&speech) {
            self.room_to_say(work, &negotiation.publisher)?;
        }
        let mut staged = UnitOfWork::asked_by(&executor, now);
        self.executor_answers(work, negotiation, speech, now, &mut staged)?;
        let reply = Reply {
            task: Some(negotiation.task.clone()),
            round: Some(round),
            ..Reply::accepted()
        };
        let (task, to) = (&negotiation.task, &negotiation.publisher);
        let exchange = self.exchange(&executor, to, &negotiate, task, key(round), now);
        staged.respond(exchange, &reply, now);
        Ok(committed(self.commit(staged), reply))
    }

    /// The executor's turn in a feasibility, later than its answer to who asked.
    pub(crate) fn executor_answers(
        &self,
        work: &mut Work,
        negotiation: &Arc<Negotiation>,
        speech: Speech,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) -> Result<(), Refusal> {
        let spoken = Move::Speak(Side::Executor, speech);
        let after = self.move_on(work, negotiation, spoken, now, staged)?;
        let round = after.round();
        let awaited = Awaited::Turn(after.task.clone(), KIND, round);
        self.resolve(work, &awaited, &reply_of(&after, round), now, staged);
        self.team_answered(work, &after, now, staged);
        Ok(())
    }

    /// Whoever had the word stayed silent.
    pub(crate) fn negotiation_due(
        &self,
        work: &mut Work,
        task: &TaskId,
        kind: Kind,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        let Some(open) = work
            .negotiation(task, kind)
            .filter(|n| n.is_open())
            .cloned()
        else {
            return;
        };
        self.end_negotiation(work, &open, Move::Expire, now, staged);
    }

    /// Ends an open negotiation without agreement, and tells who waits for a word in it.
    pub(crate) fn end_negotiation(
        &self,
        work: &mut Work,
        open: &Arc<Negotiation>,
        wanted: Move,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        let ended = self.move_on(work, open, wanted, now, staged);
        let ended = ended.expect("what is open can end");
        let round = ended.round();
        let awaited = Awaited::Turn(ended.task.clone(), ended.kind, round);
        self.resolve(work, &awaited, &reply_of(&ended, round), now, staged);
        self.team_answered(work, &ended, now, staged);
    }
}

/// The alternatives of an offer behind its first.
pub(crate) fn further(stance: Stance, contents: &[Content]) -> Vec<Content> {
    match stance {
        Stance::Offer => contents.iter().skip(1).cloned().collect(),
        Stance::Accept | Stance::Refuse => Vec::new(),
    }
}

fn of_round(reply: Reply, task: &TaskId, round: u32) -> Reply {
    Reply {
        task: Some(task.clone()),
        status: None,
        round: Some(round),
        ..reply
    }
}

fn alternative_of(answered: &Move) -> Option<u32> {
    match answered {
        Move::Speak(_, speech) => speech.alternative,
        Move::Expire | Move::Withdraw => None,
    }
}

/// A message of an executor goes to the publisher, whether it names it or not.
pub(super) fn check_addressee(negotiate: &Negotiate, publisher: &str) -> Result<(), Refusal> {
    match negotiate.to.as_ref().filter(|to| *to != publisher) {
        Some(to) => Err(Refusal::BadLeaf {
            leaf: "task-sendTo",
            why: format!("the publisher is '{publisher}', not '{to}'"),
        }),
        None => Ok(()),
    }
}

/// The task as it would be, for the executor to look at.
fn supposed(negotiation: &Negotiation, text: &str, content: &Content, now: Timestamp) -> Task {
    Task::assigned(
        negotiation.task.clone(),
        &negotiation.publisher,
        &negotiation.executor,
        text.to_owned(),
        content.clone(),
        true,
        now,
    )
}
