//! `form-team`: who does a task together (draft §4.1).
//!
//! For each place the agents that fit are asked by a feasibility negotiation about the part that
//! they would have, best first, until one takes part; who connects by itself answers later, and
//! then it goes on. Read next: `domain::team`, [`crate::tasks::negotiate`].

use crate::access::unobtainable;
use crate::commit::unit_of_work::UnitOfWork;
use crate::operation::Execution;
use crate::registry::check;
use crate::tasks::negotiate::Proposal;
use crate::tasks::operation::FormTeam;
use crate::tasks::request::{checked_whole, is_of_platform};
use crate::tasks::work::{Awaited, Due, Waiting, Work};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::context::Exchange;
use domain::discovery::Match;
use domain::negotiation::{Kind, Negotiation, Speech, State};
use domain::reply::Reason;
use domain::task::TaskId;
use domain::team::{Need, Team, part, place_of};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::Committed;
use tokio::sync::oneshot;
use tracing::error;

const KIND: Kind = Kind::Feasibility;

/// How long an agent that is asked for a place may stay silent, in milliseconds.
const ANSWER_WITHIN_MS: i64 = 5 * 60 * 1_000;

/// Teams as decided, while the store does not have them yet.
#[derive(Default)]
pub(crate) struct Teams(Mutex<HashMap<TaskId, Arc<Team>>>);

/// What someone who was asked for a place said in the end.
type Answer = Result<(), Vec<Reason>>;

impl Teams {
    /// Lets go of what is on disk.
    pub(crate) fn take_in(&self, committed: &[Committed]) {
        let mut decided = self.0.lock().expect("no holder panics");
        for team in committed.iter().flat_map(|c| &c.teams) {
            if decided
                .get(&team.task)
                .is_some_and(|d| d.version == team.version)
            {
                decided.remove(&team.task);
            }
        }
    }

    /// Lets go of all: what is on disk is true.
    pub(crate) fn forget_all(&self) {
        self.0.lock().expect("no holder panics").clear();
    }

    fn find(&self, task: &TaskId) -> Option<Arc<Team>> {
        let decided = self.0.lock().expect("no holder panics");
        decided.get(task).cloned()
    }

    fn put(&self, team: Arc<Team>) {
        let mut decided = self.0.lock().expect("no holder panics");
        decided.insert(team.task.clone(), team);
    }
}

impl Engine {
    /// Forms a team, or goes on with one of the same needs where places are still open: asked
    /// again, it answers how the team is now.
    pub(crate) fn form_team(
        &self,
        who: &Principal,
        form: FormTeam,
        now: Timestamp,
    ) -> Result<Execution<Arc<Team>>, Refusal> {
        let FormTeam { task, mut needs } = form;
        for need in &mut needs {
            check(&need.criteria)?;
            self.held_content(&mut need.content, &who.name, now)?;
        }
        let new = Team::of(checked_whole(&task)?, &who.name, needs, now);
        let new = new.map_err(|unformed| Refusal::BadLeaf {
            leaf: "need",
            why: unformed.to_string(),
        })?;
        // Each reads what thousands of agents can do; no decision needs to wait for that.
        let ranked: Vec<Vec<Match>> = new.needs.iter().map(|n| self.ranked(n)).collect();
        let mut work = self.lock_work();
        let (mut team, before) = match self.team(&task)? {
            Some(known) if known.publisher == who.name && known.needs == new.needs => {
                let version = known.version;
                (Team::clone(&known), version)
            }
            Some(known) => return Err(self.in_use(who, &task, &known.publisher, &known.publisher)),
            None => {
                self.check_team(&work, who, &new)?;
                if is_of_platform(&task) && self.task(&work, &task)?.is_none() {
                    return Err(unobtainable(&task));
                }
                (new, 0)
            }
        };
        let mut places = team.needs.iter().zip(&ranked);
        if places.any(|(need, found)| team.next(&need.name, found).is_some()) {
            self.room_to_publish(&work, &who.name)?;
        }
        let mut staged = UnitOfWork::asked_by(&who.name, now);
        for (place, found) in ranked.iter().enumerate() {
            self.fill(&mut work, &mut team, place, found, now, &mut staged);
        }
        let team = Arc::new(team);
        if team.version > before {
            self.keep(&team, &mut staged);
        }
        let formed = work.asks_about_parts(&task).then(|| {
            let (sender, receiver) = oneshot::channel();
            work.forming.entry(task.clone()).or_default().push(sender);
            let until = now + self.limits.answer_ms;
            work.schedule(Due::Team(task), Some(until));
            receiver
        });
        let ticket = self.commit(staged);
        Ok(Execution::later(async move {
            ticket.await?;
            let Some(formed) = formed else {
                return Ok(team);
            };
            let (team, stored) = formed.await.map_err(|_| Refusal::StoreFailed {
                cause: "the team was not stored".to_owned(),
            })?;
            stored.wait().await?;
            Ok(team)
        }))
    }

    /// A question about a part is open no more: once none is, those are answered who form the team.
    pub(crate) fn team_asked(&self, work: &mut Work, part: &TaskId, staged: &mut UnitOfWork) {
        if let Some((task, _)) = place_of(part)
            && work.forming.contains_key(&task)
            && !work.asks_about_parts(&task)
        {
            self.team_formed(work, &task, staged);
        }
    }

    /// Those who form a team are told how it is.
    pub(crate) fn team_formed(&self, work: &mut Work, task: &TaskId, staged: &mut UnitOfWork) {
        let Some(forming) = work.forming.remove(task) else {
            return;
        };
        work.schedule(Due::Team(task.clone()), None);
        match self.team(task) {
            Ok(Some(team)) => {
                let told = forming
                    .into_iter()
                    .map(|caller| (caller, Arc::clone(&team)));
                staged.formed.extend(told);
            }
            Ok(None) => error!(task.id = %task, "there is no team of task {task}"),
            Err(cause) => error!(task.id = %task, "team of task {task}: {cause}"),
        }
    }

    /// A negotiation about a part has moved: if that was the answer of someone who was asked for
    /// a place, the team goes on.
    pub(crate) fn team_answered(
        &self,
        work: &mut Work,
        negotiation: &Arc<Negotiation>,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        let place = place_of(&negotiation.task).filter(|_| negotiation.kind == KIND);
        let (Some((task, place)), Some(answer)) = (place, answer_of(negotiation)) else {
            return;
        };
        let mut team = match self.team(&task) {
            Ok(Some(team)) => Team::clone(&team),
            Ok(None) => return,
            Err(cause) => return error!(task.id = %task, "team of task {task}: {cause}"),
        };
        let declined = answer.is_err();
        if !team.answer(place, &negotiation.executor, answer, now) {
            return;
        }
        let place = team.needs.iter().position(|need| need.name == place);
        if let Some(place) = place.filter(|_| declined) {
            let found = self.ranked(&team.needs[place]);
            self.fill(work, &mut team, place, &found, now, staged);
        }
        self.keep(&Arc::new(team), staged);
    }

    /// Those who fit a place, as many as are looked at: were all but one asked before, or the
    /// publisher itself, one would be left.
    fn ranked(&self, need: &Need) -> Vec<Match> {
        self.places
            .search(&need.criteria, Team::CANDIDATES_MOST + 1)
    }

    /// The team of a task as decided.
    fn team(&self, task: &TaskId) -> Result<Option<Arc<Team>>, Refusal> {
        if let Some(decided) = self.teams.find(task) {
            return Ok(Some(decided));
        }
        Ok(self.store.team(task)?.map(Arc::new))
    }

    fn keep(&self, team: &Arc<Team>, staged: &mut UnitOfWork) {
        self.teams.put(Arc::clone(team));
        staged.teams.push(Arc::clone(team));
    }

    /// A task that there is already is divided by who is party to it, and nothing has been said
    /// of its parts before.
    ///
    /// # Errors
    /// What is the publisher's own is told before what is another's, so that nothing that could not
    /// be formed at all tells whether an identifier is in use.
    fn check_team(&self, work: &Work, who: &Principal, team: &Team) -> Result<(), Refusal> {
        let mut in_use = Vec::new();
        if let Some(task) = self.task(work, &team.task)? {
            let party = [&task.from, &task.to].contains(&&team.publisher);
            if !party || task.status.is_terminal() {
                in_use.push(self.in_use(who, &task.id, &task.from, &task.to));
            }
        }
        for need in &team.needs {
            let part = part(&team.task, &need.name);
            if let Some(said) = self.negotiation(work, &part, KIND)? {
                in_use.push(self.in_use(who, &part, &said.publisher, &said.executor));
            } else if let Some(task) = self.task(work, &part)? {
                in_use.push(self.in_use(who, &part, &task.from, &task.to));
            }
        }
        let is_own = |refusal: &Refusal| matches!(refusal, Refusal::TaskExists { .. });
        let first = in_use.iter().position(is_own).unwrap_or(0);
        match in_use.is_empty() {
            true => Ok(()),
            false => Err(in_use.swap_remove(first)),
        }
    }

    /// Asks for a place until somebody fills it, or answers later, or nobody is left to ask.
    fn fill(
        &self,
        work: &mut Work,
        team: &mut Team,
        place: usize,
        found: &[Match],
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        let need = team.needs[place].clone();
        while let Some(next) = team.next(&need.name, found) {
            team.invite(&need.name, next, now);
            if let Some(answer) = self.invite(work, team, &need, &next.name, now, staged) {
                team.answer(&need.name, &next.name, answer, now);
            }
        }
    }

    /// Asks an agent for a place; none if it answers later.
    fn invite(
        &self,
        work: &mut Work,
        team: &Team,
        need: &Need,
        agent: &str,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) -> Option<Answer> {
        let Some(to) = self.roster.find(agent) else {
            return Some(declined("left", "the agent has left"));
        };
        let part = part(&team.task, &need.name);
        // One after the other is negotiated with about the same part.
        let before = match self.negotiation(work, &part, KIND) {
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
        match self.propose(work, proposal, now, staged) {
            Ok(Some(reply)) => staged.respond(exchange, &reply, now),
            Ok(None) => {
                staged.exchanges.push(exchange.clone());
                let awaited = Awaited::Turn(part.clone(), KIND, 1);
                let callers = Vec::new();
                work.waiting
                    .insert(awaited.clone(), Waiting { exchange, callers });
                let patience = now + self.limits.synchronous_ms;
                work.schedule(Due::Reply(awaited), Some(patience));
            }
            Err(refusal @ Refusal::MailboxFull { .. }) => {
                return Some(declined("busy", &refusal.to_string()));
            }
            Err(refusal) => return Some(declined("no-answer", &refusal.to_string())),
        }
        answer_of(work.negotiation(&part, KIND)?)
    }
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
