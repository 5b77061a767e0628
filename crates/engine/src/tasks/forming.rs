//! `form-team` of module convoke-registry: who does a task together (draft §4.1).
//!
//! For each place the agents that fit are asked by a feasibility negotiation about the part that they would
//! have. Read next: [`crate::tasks::team`], which asks them.

use crate::access::exec;
use crate::access::unobtainable;
use crate::commit::unit_of_work::UnitOfWork;
use crate::failure::StoreFailure;
use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation};
use crate::refusal::{Conflict, Field};
use crate::registry::check;
use crate::tasks::loaded::Name;
use crate::tasks::proposal::KIND;
use crate::tasks::request::{checked_whole, is_of_platform};
use crate::tasks::team::keep;
use crate::tasks::timers::Due;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::discovery::Match;
use domain::task::TaskId;
use domain::team::{Need, Team, part};
use domain::time::Timestamp;
use std::sync::Arc;
use tokio::sync::oneshot;

/// `form-team`: find members for the places of a task, and ask them; answers the team as it is once
/// they have answered.
#[derive(Clone, Debug, PartialEq)]
pub struct FormTeam {
    /// The task that the team is for; it need not exist yet.
    pub task: TaskId,
    /// The places.
    pub needs: Vec<Need>,
}

impl FormTeam {
    /// The bytes of text that the needs say.
    pub(crate) fn said(&self) -> u64 {
        let said = self.needs.iter().map(|need| need.content.bytes() as u64);
        said.sum()
    }
}

impl Operation for FormTeam {
    type Output = Arc<Team>;
    const STIRS_AGENTS: bool = true;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-registry", "form-team", false))
    }

    fn cost(&self) -> Option<Cost> {
        let said = self.said();
        Some(Cost {
            said,
            // Each candidate is asked in an exchange of its own.
            written: said * (1 + Team::CANDIDATES_MOST as u64) + ENTRY_BYTES,
            begins: true,
        })
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Arc<Team>>, Refusal> {
        call.engine.form_team(call.who, self, call.now)
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
        let new = new.map_err(|unformed| Refusal::unusable(Field::Need, unformed.to_string()))?;
        // Each reads what thousands of agents can do; no decision needs to wait for that.
        let ranked: Vec<Vec<Match>> = new.needs.iter().map(|n| self.ranked(n)).collect();
        let mut names = vec![Name::Team(task.clone()), Name::Task(task.clone())];
        let parts = new.needs.iter().map(|need| part(&task, &need.name));
        names.extend(parts.map(Name::Holders));
        let mut work = self.lock_with(&names);
        let (mut team, before) = match work.known_team(&task)? {
            Some(known) if known.publisher == who.name && known.needs == new.needs => {
                let version = known.version;
                (Team::clone(&known), version)
            }
            Some(known) => {
                return Err(self
                    .access
                    .in_use(who, &task, &known.publisher, &known.publisher));
            }
            None => {
                self.check_team(&work, who, &new)?;
                if is_of_platform(&task) && work.known_task(&task)?.is_none() {
                    return Err(unobtainable(&task));
                }
                (new, 0)
            }
        };
        let mut places = team.needs.iter().zip(&ranked);
        let asks = places.any(|(need, found)| team.next(&need.name, found).is_some());
        let room = || self.room_to_publish(&who.name);
        let _room = asks.then(room).transpose()?;
        let mut unit = UnitOfWork::asked_by(&who.name, now);
        for (place, found) in ranked.iter().enumerate() {
            self.fill(&mut work, &mut team, place, found, now, &mut unit);
        }
        let team = Arc::new(team);
        match team.version > before {
            true => keep(&mut work, &team, &mut unit),
            false => work.hold_team(Arc::clone(&team)),
        }
        let formed = self.hosting.agents.asks_about_parts(&task).then(|| {
            let (sender, receiver) = oneshot::channel();
            work.wait_for_team(&task, sender);
            let until = now + self.limits.answer_ms;
            work.schedule(Due::Team(task.clone()), Some(until));
            receiver
        });
        work.let_go_of_team(&task);
        let ticket = self.commit(unit);
        Ok(Execution::later(async move {
            ticket.await?;
            let Some(formed) = formed else {
                return Ok(team);
            };
            let (team, stored) = formed
                .await
                .map_err(|_| StoreFailure::because("the team was not stored"))?;
            stored.wait().await?;
            Ok(team)
        }))
    }

    /// A task that there is already is divided by who is party to it, and nothing has been said
    /// of its parts before.
    ///
    /// # Errors
    /// What is the publisher's own is told before what is another's, so that nothing that could not
    /// be formed at all tells whether an identifier is in use.
    pub(crate) fn check_team(
        &self,
        work: &Work<'_>,
        who: &Principal,
        team: &Team,
    ) -> Result<(), Refusal> {
        let mut in_use = Vec::new();
        if let Some(task) = work.known_task(&team.task)? {
            let party = [&task.from, &task.to].contains(&&team.publisher);
            if !party || task.status.is_terminal() {
                in_use.push(self.access.in_use(who, &task.id, &task.from, &task.to));
            }
        }
        for need in &team.needs {
            let part = part(&team.task, &need.name);
            if let Some(said) = work.known_negotiation(&part, KIND)? {
                in_use.push(
                    self.access
                        .in_use(who, &part, &said.publisher, &said.executor),
                );
            } else if let Some(task) = work.known_task(&part)? {
                in_use.push(self.access.in_use(who, &part, &task.from, &task.to));
            }
        }
        let is_own =
            |refusal: &Refusal| matches!(refusal, Refusal::Conflict(Conflict::TaskExists { .. }));
        let first = in_use.iter().position(is_own).unwrap_or(0);
        match in_use.is_empty() {
            true => Ok(()),
            false => Err(in_use.swap_remove(first)),
        }
    }
}
