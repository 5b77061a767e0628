//! Agents come, stay and go (draft §4.1).
//!
//! Whoever speaks for an agent is the agent itself or an administrator. Hosted agents are a matter
//! of configuration. Read next: `domain::registry` (what a place is), [`crate::registry::roster`].

use crate::commit::unit_of_work::UnitOfWork;
use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation, Query, Reader};
use crate::refusal::{Conflict, Field, Forbidden, NotFound, OverLimit};
use crate::registry::Credential;
use crate::registry::operation::{
    DeregisterAgent, DiscoverAgents, RegisterAgent, Registered, RenewLease, rpc,
};
use crate::registry::remote_stub::RemoteStub;
use crate::registry::roster::standing_for;
use crate::tasks::loaded::Name;
use crate::tasks::timers::Due;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::agent::{Briefing, Input};
use domain::content::Content;
use domain::discovery::Match;
use domain::event::LogEvent;
use domain::negotiation::Move;
use domain::notification::AgentUpdate;
use domain::profile::ProfileError;
use domain::registry::{AgentChange, Command, Event, Improper, Reach, Registration, Terms};
use domain::task;
use domain::time::Timestamp;
use std::sync::Arc;

impl Engine {
    /// An agent takes its place, or comes back with other terms.
    pub(crate) fn register(
        &self,
        who: &Principal,
        register: RegisterAgent,
        now: Timestamp,
    ) -> Result<Execution<Registered>, Refusal> {
        let name = register.profile.name.clone();
        speaks_for(who, &name)?;
        if (self.registry.credentials)(&name) == Some(Credential::User) {
            let (leaf, called) = ("name", name);
            return Err(ProfileError::Taken { leaf, called }.into());
        }
        let elsewhere = matches!(register.reach, Reach::Server { .. } | Reach::A2a { .. });
        if elsewhere && self.registry.proxy.is_none() {
            return Err(Refusal::unusable(
                Field::Reach,
                "this platform connects to no agents",
            ));
        }
        let advice = register.profile.advice();
        let terms = Terms {
            profile: Arc::new(register.profile),
            reach: register.reach,
            lease_ms: register.lease_ms,
        };
        let mut work = self.lock_all();
        if let Some((leaf, called)) = self.registry.roster.taken(&terms.profile) {
            let called = called.to_owned();
            return Err(ProfileError::Taken { leaf, called }.into());
        }
        let known = self
            .registry
            .roster
            .find(&name)
            .map(|index| self.registry.roster.registration(index));
        check_address(who, &terms.reach, known.as_deref())?;
        let improper = |improper| refusal(improper, &name);
        let mut unit = UnitOfWork::asked_by(&who.name, now);
        let registration = match known {
            Some(known) => {
                let event = known
                    .decide(Command::Register(terms), now)
                    .map_err(improper)?;
                let after = self.take_place(&mut work, &known, &event, &mut unit);
                if !after.reach.leads_where(&known.reach) {
                    self.awaken(&mut work, &after, now, &mut unit);
                }
                if after.profile != known.profile {
                    self.introduce(&mut work, &after, now, &mut unit);
                }
                after
            }
            None if self.registry.roster.count() >= self.limits.agents => {
                return Err(OverLimit::TooMany {
                    what: "agents",
                    most: self.limits.agents as u64,
                }
                .into());
            }
            None => {
                let first = Registration::first(terms, now).map_err(improper)?;
                let first = self.enter(&mut work, first, &mut unit);
                tell(&first, AgentChange::Registered, now, &mut unit);
                self.awaken(&mut work, &first, now, &mut unit);
                self.introduce(&mut work, &first, now, &mut unit);
                first
            }
        };
        let registered = Registered {
            registration,
            advice,
        };
        Ok(Execution::committed(self.commit(unit), registered))
    }

    /// An agent is still there, and says how it is.
    pub(crate) fn renew(
        &self,
        who: &Principal,
        renew: RenewLease,
        now: Timestamp,
    ) -> Result<Execution<Arc<Registration>>, Refusal> {
        let RenewLease { name, health, note } = renew;
        let name = name.unwrap_or_else(|| who.name.clone());
        let mut work = self.lock_with(&[Name::Places]);
        let mut unit = UnitOfWork::asked_by(&who.name, now);
        let known = self.known(who, &name)?;
        let renew = Command::Renew { health, note };
        let event = known.decide(renew, now).map_err(|e| refusal(e, &name))?;
        let after = self.take_place(&mut work, &known, &event, &mut unit);
        Ok(Execution::committed(self.commit(unit), after))
    }

    /// An agent leaves; the tasks that it was to carry out fail, and what it was asked about is
    /// withdrawn. Those that it published go on:
    /// their executors, their conditions or an administrator end them.
    pub(crate) fn deregister(
        &self,
        who: &Principal,
        name: Option<String>,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        let name = name.unwrap_or_else(|| who.name.clone());
        let mut work = self.lock_all();
        let known = self.known(who, &name)?;
        if known.reach == Reach::Hosted {
            return Err(Conflict::HostedAgent { name }.into());
        }
        let mut unit = UnitOfWork::default();
        for open in work.open_tasks_of(&name) {
            // The end of one may have ended another, its part.
            if let Some(open) = work
                .task(&open.id)
                .filter(|t| !t.status.is_terminal())
                .cloned()
            {
                let why = Content::new(
                    open.content.target_object.clone(),
                    format!("agent '{name}' has left"),
                );
                self.change(&mut work, &open, task::Command::Fail(why), now, &mut unit)
                    .expect("a task that has not ended can fail");
            }
        }
        let index = self
            .registry
            .roster
            .find(&name)
            .expect("known agents have a place");
        self.registry.roster.leave(&name);
        for open in work.open_feasibilities_of(&name) {
            self.end_negotiation(&mut work, &open, Move::Withdraw, now, &mut unit);
        }
        let absent = self.registry.roster.behaviour(index, Box::new(RemoteStub));
        self.hosting.agents.stand_for(index, absent);
        work.schedule(Due::Lease(name.clone()), None);
        let at = now.max(known.renewed_at);
        tell(&known, AgentChange::Left, at, &mut unit);
        self.tell_hosted(&mut work, &Input::Left(name.clone()), now, &mut unit);
        unit.left.push(name);
        Ok(Execution::committed(self.commit(unit), ()))
    }

    /// The credential of an agent was taken away: it is given nothing more until it is heard of again
    /// under a new one. Does nothing for those that are hosted here, or not here at all.
    pub fn suspend(&self, name: &str, now: Timestamp) {
        let mut work = self.lock_with(&[Name::Places]);
        let Some(index) = self.registry.roster.find(name) else {
            return;
        };
        let known = self.registry.roster.registration(index);
        if let Ok(event) = known.decide(Command::Suspend, now) {
            let mut unit = UnitOfWork::default();
            self.take_place(&mut work, &known, &event, &mut unit);
            drop(self.commit(unit));
        }
    }

    /// Lets no lease end before the agent had the time of one to be heard again: while the platform
    /// was down, none could be renewed.
    pub(crate) fn grant_leases(&self, work: &mut Work<'_>, now: Timestamp) {
        for registration in self
            .registry
            .roster
            .registrations()
            .iter()
            .filter(|r| !r.expired)
        {
            if let (Some(until), Some(lease)) = (registration.lease_until(), registration.lease_ms)
            {
                let lease_due = Due::Lease(registration.profile.name.clone());
                work.schedule(lease_due, Some(until.max(now + lease)));
            }
        }
    }

    /// The lease of an agent may be over.
    pub(crate) fn lease_due(
        &self,
        work: &mut Work<'_>,
        name: &str,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let Some(index) = self.registry.roster.find(name) else {
            return;
        };
        let known = self.registry.roster.registration(index);
        if let Ok(event) = known.decide(Command::Expire, now) {
            self.take_place(work, &known, &event, unit);
        }
    }

    /// Makes true what was decided of a place, and tells what others should know of it.
    pub(crate) fn take_place(
        &self,
        work: &mut Work<'_>,
        known: &Registration,
        event: &Event,
        unit: &mut UnitOfWork,
    ) -> Arc<Registration> {
        let mut after = known.clone();
        after.apply(event);
        let after = self.enter(work, after, unit);
        if let Some(change) = event.change {
            tell(&after, change, event.at, unit);
        }
        after
    }

    pub(crate) fn enter(
        &self,
        work: &mut Work<'_>,
        after: Registration,
        unit: &mut UnitOfWork,
    ) -> Arc<Registration> {
        let after = Arc::new(after);
        self.registry.roster.put(Arc::clone(&after));
        let lease = Due::Lease(after.profile.name.clone());
        work.schedule(lease, after.lease_until().filter(|_| !after.expired));
        unit.registrations.push(Arc::clone(&after));
        after
    }

    /// Gives an agent that is elsewhere the mind that stands for it here, and briefs it if it
    /// listens.
    pub(crate) fn awaken(
        &self,
        work: &mut Work<'_>,
        registration: &Registration,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let name = &registration.profile.name;
        let index = self
            .registry
            .roster
            .find(name)
            .expect("it was entered just now");
        let agent = standing_for(registration, self.registry.proxy.as_ref());
        let behaviour = self.registry.roster.behaviour(index, agent);
        self.hosting.agents.stand_for(index, behaviour);
        if registration.reach == Reach::Client {
            return;
        }
        let roster = self.registry.roster.registrations().into_iter();
        let briefing = Briefing {
            own: Arc::clone(&registration.profile),
            roster: roster.map(|r| Arc::clone(&r.profile)).collect(),
            inventory: work.inventory(),
            open: work.open_tasks_of(name),
        };
        self.run(work, index, Input::Started(briefing), now, unit);
    }

    /// Tells the agents hosted here of one that they were not briefed with.
    pub(crate) fn introduce(
        &self,
        work: &mut Work<'_>,
        registration: &Registration,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let joined = Input::Joined(Arc::clone(&registration.profile));
        self.tell_hosted(work, &joined, now, unit);
    }

    pub(crate) fn tell_hosted(
        &self,
        work: &mut Work<'_>,
        input: &Input,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        for index in self.registry.roster.hosted() {
            self.run(work, index, input.clone(), now, unit);
        }
    }

    /// The place of an agent for whom the principal may speak.
    pub(crate) fn known(&self, who: &Principal, name: &str) -> Result<Arc<Registration>, Refusal> {
        speaks_for(who, name)?;
        let index = self
            .registry
            .roster
            .find(name)
            .ok_or_else(|| NotFound::Agent {
                name: name.to_owned(),
            })?;
        Ok(self.registry.roster.registration(index))
    }
}

/// The platform connects to addresses that an administrator entered, and to no other: an agent may
/// keep the one it has.
pub(crate) fn check_address(
    who: &Principal,
    reach: &Reach,
    known: Option<&Registration>,
) -> Result<(), Refusal> {
    let field = match reach {
        Reach::Hosted | Reach::Client => return Ok(()),
        Reach::Server { .. } => Field::Address,
        Reach::A2a { .. } => Field::CardUrl,
    };
    match who.agent && known.is_none_or(|k| !k.reach.leads_where(reach)) {
        true => Err(entered_by_others(field)),
        false => Ok(()),
    }
}

/// An agent cannot say where the platform connects to.
pub(crate) fn entered_by_others(field: Field) -> Refusal {
    Refusal::unusable(
        field,
        "the address of a server is entered by an administrator",
    )
}

/// An agent speaks for itself, an administrator for any.
pub(crate) fn speaks_for(who: &Principal, name: &str) -> Result<(), Refusal> {
    let may = who.is_administrator() || (who.agent && who.name == name);
    match may {
        true => Ok(()),
        false => Err(Forbidden::ForeignAgent {
            user: who.name.clone(),
            name: name.to_owned(),
        }
        .into()),
    }
}

pub(crate) fn tell(
    registration: &Registration,
    change: AgentChange,
    at: Timestamp,
    unit: &mut UnitOfWork,
) {
    let update = AgentUpdate {
        time: at,
        name: registration.profile.name.clone(),
        change,
        health: registration.health,
    };
    unit.happenings
        .push((at, LogEvent::Agent(Arc::new(update))));
}

pub(crate) fn refusal(improper: Improper, name: &str) -> Refusal {
    let field = match &improper {
        Improper::Profile(error) => return error.clone().into(),
        Improper::Hosted => {
            return Conflict::HostedAgent {
                name: name.to_owned(),
            }
            .into();
        }
        Improper::Lease { .. } | Improper::NotDue => Field::Lease,
        Improper::Note { .. } => Field::HealthNote,
        Improper::Address { .. } => Field::Address,
        Improper::HostKey { .. } => Field::HostKey,
        Improper::CardUrl { .. } | Improper::Unsigned => Field::CardUrl,
    };
    Refusal::unusable(field, improper.to_string())
}

impl Operation for RegisterAgent {
    type Output = Registered;
    const STIRS_AGENTS: bool = true;

    fn rpc(&self) -> Option<Request<'static>> {
        rpc("register-agent")
    }

    fn cost(&self) -> Option<Cost> {
        Some(Cost::of_new(ENTRY_BYTES))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Registered>, Refusal> {
        call.engine.register(call.who, self, call.now)
    }
}

impl Operation for RenewLease {
    type Output = Arc<Registration>;
    const STIRS_AGENTS: bool = true;

    fn rpc(&self) -> Option<Request<'static>> {
        rpc("renew-lease")
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Arc<Registration>>, Refusal> {
        call.engine.renew(call.who, self, call.now)
    }
}

impl Operation for DeregisterAgent {
    type Output = ();
    const STIRS_AGENTS: bool = true;

    fn rpc(&self) -> Option<Request<'static>> {
        rpc("deregister-agent")
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        call.engine.deregister(call.who, self.name, call.now)
    }
}

impl Query for DiscoverAgents {
    type Output = Vec<Match>;

    fn rpc(&self) -> Option<Request<'static>> {
        rpc("discover-agents")
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Vec<Match>, Refusal> {
        reader.engine.registry.discover(&self.criteria, self.limit)
    }
}
