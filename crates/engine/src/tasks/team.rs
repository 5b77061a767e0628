//! `form-team`: who does a task together (draft §4.1).
//!
//! For each place the agents that fit are asked by a feasibility negotiation about the part that
//! they would have, best first, until one takes part; who connects by itself answers later, and
//! then it goes on. Read next: `domain::team`, [`crate::tasks::negotiate`].

use crate::commit::unit_of_work::UnitOfWork;
use crate::refusal::OverLimit;
use crate::tasks::awaited::{Awaited, Waiting};
use crate::tasks::proposal::Proposal;
use crate::tasks::timers::Due;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::context::Exchange;
use domain::discovery::Match;
use domain::negotiation::{Kind, Negotiation, Speech, State};
use domain::reply::Reason;
use domain::task::TaskId;
use domain::team::{Need, Team, part, place_of};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use tracing::error;

const KIND: Kind = Kind::Feasibility;

/// How long an agent that is asked for a place may stay silent, in milliseconds.
const ANSWER_WITHIN_MS: i64 = 5 * 60 * 1_000;

/// What someone who was asked for a place said in the end.
type Answer = Result<(), Vec<Reason>>;

impl Engine {
    /// A question about a part is open no more: once none is, those are answered who form the team.
    pub(crate) fn team_asked(&self, work: &mut Work<'_>, part: &TaskId, unit: &mut UnitOfWork) {
        if let Some((task, _)) = place_of(part)
            && work.is_forming(&task)
            && !self.hosting.agents.asks_about_parts(&task)
        {
            self.team_formed(work, &task, unit);
        }
    }

    /// Those who form a team are told how it is.
    pub(crate) fn team_formed(&self, work: &mut Work<'_>, task: &TaskId, unit: &mut UnitOfWork) {
        let Some(forming) = work.take_forming(task) else {
            return;
        };
        work.schedule(Due::Team(task.clone()), None);
        match work.team(task) {
            Some(team) => {
                let told = forming.into_iter();
                unit.formed
                    .extend(told.map(|caller| (caller, Arc::clone(team))));
            }
            None => error!(task.id = %task, "there is no team of task {task}"),
        }
        work.let_go_of_team(task);
    }

    /// A negotiation about a part has moved: if that was the answer of someone who was asked for
    /// a place, the team goes on.
    pub(crate) fn team_answered(
        &self,
        work: &mut Work<'_>,
        negotiation: &Arc<Negotiation>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let place = place_of(&negotiation.task).filter(|_| negotiation.kind == KIND);
        let (Some((task, place)), Some(answer)) = (place, answer_of(negotiation)) else {
            return;
        };
        let Some(mut team) = work.team(&task).map(|team| Team::clone(team)) else {
            return;
        };
        let declined = answer.is_err();
        if !team.answer(place, &negotiation.executor, answer, now) {
            return;
        }
        let place = team.needs.iter().position(|need| need.name == place);
        if let Some(place) = place.filter(|_| declined) {
            let found = self.ranked(&team.needs[place]);
            self.fill(work, &mut team, place, &found, now, unit);
        }
        keep(work, &Arc::new(team), unit);
    }

    /// Those who fit a place, as many as are looked at: were all but one asked before, or the
    /// publisher itself, one would be left.
    pub(crate) fn ranked(&self, need: &Need) -> Vec<Match> {
        self.registry
            .directory
            .search(&need.criteria, Team::CANDIDATES_MOST + 1)
    }

    /// Asks for a place until somebody fills it, or answers later, or nobody is left to ask.
    pub(crate) fn fill(
        &self,
        work: &mut Work<'_>,
        team: &mut Team,
        place: usize,
        found: &[Match],
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let need = team.needs[place].clone();
        while let Some(next) = team.next(&need.name, found) {
            team.invite(&need.name, next, now);
            if let Some(answer) = self.invite(work, team, &need, &next.name, now, unit) {
                team.answer(&need.name, &next.name, answer, now);
            }
        }
    }

    /// Asks an agent for a place; none if it answers later.
    fn invite(
        &self,
        work: &mut Work<'_>,
        team: &Team,
        need: &Need,
        agent: &str,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Option<Answer> {
        let Some(to) = self.registry.roster.find(agent) else {
            return Some(declined("left", "the agent has left"));
        };
        let part = part(&team.task, &need.name);
        // One after the other is negotiated with about the same part.
        let before = match work.known_negotiation(&part, KIND) {
            Ok(before) => before,
            Err(refusal) => return Some(declined("no-answer", &refusal.to_string())),
        };
        let negotiation = Arc::new(Negotiation {
            round_limit: self.limits.rounds,
            answer_within_ms: Some(ANSWER_WITHIN_MS),
            version: before.map_or(0, |n| n.version),
            ..Negotiation::between(part.clone(), KIND, &team.publisher, agent)
        });
        let text = need.content.render();
        let exchange = Exchange {
            id: format!("{part}/{KIND}/1/{}/{agent}", team.publisher),
            task: Some(part.clone()),
            from: team.publisher.clone(),
            to: agent.to_owned(),
            verb: Verb::FeasibilityNegotiate,
            request: text.clone(),
            request_time: now,
            response: None,
            response_time: None,
        };
        let proposal = Proposal {
            negotiation: &negotiation,
            to,
            speech: Speech::offer(vec![need.content.clone()]),
            text,
            key: exchange.id.clone(),
        };
        match self.propose(work, proposal, now, unit) {
            Ok(Some(reply)) => unit.respond(exchange, &reply, now),
            Ok(None) => {
                unit.exchanges.push(exchange.clone());
                let awaited = Awaited::Turn(part.clone(), KIND, 1);
                let callers = Vec::new();
                work.wait(awaited.clone(), Waiting { exchange, callers });
                let patience = now + self.limits.synchronous_ms;
                work.schedule(Due::Reply(awaited), Some(patience));
            }
            Err(refusal @ Refusal::OverLimit(OverLimit::MailboxFull { .. })) => {
                return Some(declined("busy", &refusal.to_string()));
            }
            Err(refusal) => return Some(declined("no-answer", &refusal.to_string())),
        }
        answer_of(work.negotiation(&part, KIND)?)
    }
}

/// Stages a team; the next decision sees it.
pub(crate) fn keep(work: &mut Work<'_>, team: &Arc<Team>, unit: &mut UnitOfWork) {
    work.put_team(Arc::clone(team));
    unit.teams.push(Arc::clone(team));
}

/// What the executor said in the end; none while the negotiation is open.
fn answer_of(negotiation: &Negotiation) -> Option<Answer> {
    Some(match negotiation.state {
        State::Open => return None,
        State::Agreed => Ok(()),
        State::Refused => {
            let said = negotiation.turns.last();
            Err(said.map_or_else(Vec::new, |turn| turn.speech.reasons.clone()))
        }
        State::Exhausted => declined("no-agreement", "the rounds brought no agreement"),
        State::Expired => declined("no-answer", "nobody answered in time"),
        State::Withdrawn => declined("withdrawn", "the negotiation was withdrawn"),
    })
}

fn declined(reason: &str, message: &str) -> Answer {
    Err(vec![Reason {
        reason: reason.to_owned(),
        path: String::new(),
        message: message.to_owned(),
    }])
}
