//! `FeasibilityNegotiate`: could this be done, and if not this, then what (draft §5.3, 1)?
//!
//! No task exists yet; what is agreed binds the assignment under the same identifier. Read next:
//! [`super::turn`], `domain::negotiation`.

use super::payload::Speaker;
use super::turn::{TurnPosition, position_of, speech};
use crate::access::unobtainable;
use crate::accounts::quota::adds;
use crate::commit::unit_of_work::UnitOfWork;
use crate::operation::Execution;
use crate::schemas::notice::Annotations;
use crate::tasks::awaited::Awaited;
use crate::tasks::loaded::Name;
use crate::tasks::message::{Negotiate, Negotiated};
use crate::tasks::negotiate::exchange::{asked, committed, recorded_reply};
use crate::tasks::negotiate::routing::check_addressee;
use crate::tasks::negotiation::moved;
use crate::tasks::proposal::{KIND, Proposal};
use crate::tasks::request::{Routed, checked, conditions, is_of_platform, named_task};
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::content::Content;
use domain::context::Exchange;
use domain::negotiation::{Move, Negotiation, Side, Speech};
use domain::reply::Reply;
use domain::task::TaskId;
use domain::team::place_of;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;

impl Engine {
    pub(super) fn feasibility(
        &self,
        who: &Principal,
        negotiate: Negotiate,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let id = checked(&named_task(&negotiate)?)?;
        let whole = place_of(&id).map(|(whole, _)| whole);
        let team = whole.clone().map(Name::Team).into_iter();
        let names: Vec<Name> = team.chain([Name::Holders(id.clone())]).collect();
        let mut work = self.lock_with(&names);
        let (assigned, known) = (work.known_task(&id)?, work.known_negotiation(&id, KIND)?);
        if let Some(known) = &known
            && known.executor == who.name
            && known.publisher != who.name
        {
            return self.feasibility_answered(who, &mut work, known, negotiate, annotations, now);
        }
        let mut routed = self.route(who, negotiate)?;
        let by = Speaker::publisher(&routed.from);
        let held = self.held(&mut routed.negotiate, by, annotations, now)?;
        let speech = speech(&routed.negotiate, &held)?;
        let content = held.content;
        annotations.about(content.payload.as_ref());
        let negotiation = match known {
            Some(known) if known.publisher != routed.from || known.executor != routed.to => {
                // Nothing that could not begin at all is told that its identifier is in use.
                let taken = match self.could_propose(&routed, (&speech, &content), now) {
                    Ok(()) => self
                        .access
                        .in_use(who, &id, &known.publisher, &known.executor),
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
        let round = match position_of(&negotiation, Side::Publisher, &routed.negotiate, &speech)? {
            TurnPosition::Again(round) => {
                let awaited = Awaited::Turn(id.clone(), KIND, round);
                return Ok(self.same_reply_again(&mut work, &awaited, key(round), now));
            }
            TurnPosition::New(round) => round,
        };
        let executor = self.place_of(&routed)?;
        self.registry.available(executor)?;
        if let Some(task) = assigned {
            if negotiation.turns.is_empty() {
                self.could_propose(&routed, (&speech, &content), now)?;
            }
            return Err(self.access.in_use(who, &id, &task.from, &task.to));
        }
        if negotiation.turns.is_empty() && is_of_platform(&id) {
            return Err(unobtainable(&id));
        }
        let begins = !negotiation.is_open() || negotiation.turns.is_empty();
        let room = || self.room_to_publish(&routed.from);
        let _room = begins.then(room).transpose()?;
        if !begins && adds(&speech) {
            self.room_to_say(&routed.from)?;
        }
        let proposal = Proposal {
            negotiation: &negotiation,
            to: executor,
            speech,
            text: routed.negotiate.texts.join("\n"),
            key: key(round),
        };
        let mut unit = UnitOfWork::said_by(&routed.from, routed.negotiate.key(), now);
        unit.ruled(routed.negotiate.ruled.as_ref(), who, now);
        let team = whole.map(|whole| work.known_team(&whole));
        let team = team.transpose()?.flatten();
        team.iter()
            .for_each(|team| work.hold_team(Arc::clone(team)));
        let reply = self.propose(&mut work, proposal, now, &mut unit);
        if let Some(after) = work
            .negotiation(&id, KIND)
            .filter(|_| reply.is_ok())
            .cloned()
        {
            self.team_answered(&mut work, &after, now, &mut unit);
        }
        team.iter().for_each(|team| work.let_go_of_team(&team.task));
        let reply = reply?;
        let (from, to) = (&routed.from, &routed.to);
        let exchange = self.exchange(from, to, &routed.negotiate, &id, key(round), now);
        Ok(match reply {
            Some(reply) => {
                unit.respond(exchange, &reply, now);
                committed(self.commit(unit), reply)
            }
            None => {
                let awaited = Awaited::Turn(id, KIND, round);
                let receiver = self.wait_for(&mut work, awaited, exchange, now, &mut unit);
                asked(self.commit(unit), receiver)
            }
        })
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
        routed: &Routed,
        (speech, content): (&Speech, &Content),
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let first = self.unspoken(&checked(&named_task(&routed.negotiate)?)?, routed, content)?;
        position_of(&first, Side::Publisher, &routed.negotiate, speech)?;
        let executor = self.place_of(routed)?;
        self.registry.available(executor)?;
        self.room_to_publish(&routed.from).map(drop)?;
        moved(&first, Move::Speak(Side::Publisher, speech.clone()), now)?;
        self.room_with(executor).map(drop)
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
                        return Ok(recorded_reply(&store, &record)?.into());
                    }
                }
            }
            Err(taken)
        })
    }

    /// An executor answers in a message of its own.
    fn feasibility_answered(
        &self,
        who: &Principal,
        work: &mut Work<'_>,
        negotiation: &Arc<Negotiation>,
        mut negotiate: Negotiate,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        check_addressee(&negotiate, &negotiation.publisher)?;
        let by = Speaker::executor(&negotiation.executor);
        let held = self.held(&mut negotiate, by, annotations, now)?;
        let speech = speech(&negotiate, &held)?;
        let executor = negotiation.executor.clone();
        let key = |round| format!("{}/{KIND}/{round}/{executor}", negotiation.task);
        let round = match position_of(negotiation, Side::Executor, &negotiate, &speech)? {
            TurnPosition::Again(round) => {
                let awaited = Awaited::Turn(negotiation.task.clone(), KIND, round);
                return Ok(self.same_reply_again(work, &awaited, key(round), now));
            }
            TurnPosition::New(round) => round,
        };
        if adds(&speech) {
            self.room_to_say(&negotiation.publisher)?;
        }
        let mut unit = UnitOfWork::said_by(&executor, negotiate.key(), now);
        unit.ruled(negotiate.ruled.as_ref(), who, now);
        self.executor_answers(work, negotiation, speech, now, &mut unit)?;
        let reply = Reply {
            task: Some(negotiation.task.clone()),
            round: Some(round),
            ..Reply::accepted()
        };
        let (task, to) = (&negotiation.task, &negotiation.publisher);
        let exchange = self.exchange(&executor, to, &negotiate, task, key(round), now);
        unit.respond(exchange, &reply, now);
        Ok(committed(self.commit(unit), reply))
    }
}
