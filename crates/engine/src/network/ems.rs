//! Management systems served: what each knows, what it tells, and what is wanted of the network
//! through it.
//!
//! Whoever runs the network brings in what reaches a domain's agents ([`Engine::observed`]) and does
//! what is wanted ([`Engine::acts_wanted`]); a management system knows no more than they do. Refuses
//! to know the network. Read next: [`management`], what each knows and tells; [`domain::ems`], who is
//! let in.

pub(crate) mod management;
mod reports;

use crate::access::exec;
use crate::feed::of_agent::FeedOfAgent;
use crate::feed::stream::Stream;
use crate::network::operation::{Act, Acted};
use crate::operation::{Call, Execution, Operation};
use crate::refusal::{Field, Forbidden, NotAvailable, NotFound};
use crate::trail::by;
use crate::{Endpoint, Engine, Refusal};
use domain::access::{Principal, Request};
use domain::audit::AuditKind;
use domain::ems::{Ems, News, View};
use domain::inventory::ElementId;
use domain::profile::Profile;
use domain::telemetry::{Action, Telemetry};
use domain::time::Timestamp;
use management::ActWanted;
use std::sync::Arc;
use tokio::sync::oneshot;

impl Engine {
    /// Says that a network is run here: its management systems answer from now on.
    pub fn open_management(&self) {
        let mut wanted = self
            .network
            .management
            .wanted
            .lock()
            .expect("no holder panics");
        wanted.get_or_insert_default();
    }

    /// True if a network is run here.
    pub fn is_managed(&self) -> bool {
        let wanted = self
            .network
            .management
            .wanted
            .lock()
            .expect("no holder panics");
        wanted.is_some()
    }

    /// Brings in what has reached the agents of a management system's domain: it knows it, and tells
    /// its subscribers.
    pub fn observed(&self, ems: Ems, telemetry: &Telemetry, now: Timestamp) {
        let desk = self.network.management.desk(ems);
        desk.view
            .write()
            .expect("no writer panics")
            .take(telemetry, now);
        desk.reports.push(News::from(telemetry), now);
    }

    /// What is wanted of the network since the last call.
    pub fn acts_wanted(&self) -> Vec<ActWanted> {
        let mut wanted = self
            .network
            .management
            .wanted
            .lock()
            .expect("no holder panics");
        wanted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The stream that subscribers at an endpoint follow: a management system's own, else the log.
    pub fn stream(&self, endpoint: &Endpoint) -> Arc<dyn Stream> {
        match endpoint {
            Endpoint::Platform => Arc::clone(&self.feed) as Arc<dyn Stream>,
            Endpoint::Agent(agent) => Arc::new(FeedOfAgent::new(Arc::clone(&self.feed), agent)),
            Endpoint::Ems(ems) => {
                Arc::clone(&self.network.management.desk(*ems).reports) as Arc<dyn Stream>
            }
        }
    }

    /// True if a management system lets the principal in: every user, and agents of its own domain.
    pub fn is_admitted(&self, who: &Principal, ems: Ems) -> bool {
        !who.agent
            || self
                .profile_of(who)
                .is_some_and(|profile| ems.admits(&profile))
    }

    /// True if a management system tells the principal this: it lets it in, and the province is the
    /// principal's own.
    pub fn is_told(&self, who: &Principal, ems: Ems, news: &News) -> bool {
        let within = |element| match self.province_of(who) {
            Some(province) => {
                let view = self.network.management.desk(ems).view.read();
                view.is_ok_and(|view| view.is_within(Some(&province), element))
            }
            None => true,
        };
        self.is_admitted(who, ems) && news.element().is_none_or(within)
    }

    /// The province that an agent is confined to, as its profile says.
    fn province_of(&self, who: &Principal) -> Option<String> {
        match who.agent {
            true => self.profile_of(who)?.province.clone(),
            false => None,
        }
    }

    fn profile_of(&self, who: &Principal) -> Option<Arc<Profile>> {
        let registration = self.registry.directory.find(&who.name)?;
        Some(Arc::clone(&registration.profile))
    }

    /// What a management system knows, for whom it lets in, and the province that the principal is
    /// confined to; the default for whom it does not.
    pub(crate) fn managed<T: Default>(
        &self,
        who: &Principal,
        ems: Ems,
        look: impl FnOnce(&View, Option<&str>) -> T,
    ) -> T {
        if !self.is_admitted(who, ems) {
            return T::default();
        }
        let province = self.province_of(who);
        let view = self.network.management.desk(ems).view.read();
        view.map_or_else(|_| T::default(), |view| look(&view, province.as_deref()))
    }

    /// Asks whoever runs the network to do something. That an element is measured is in the audit trail, whether or
    /// not anybody still waits for the answer; all else is about a task, or seen of the network.
    fn act(&self, who: &Principal, act: Act, now: Timestamp) -> Result<Execution<Acted>, Refusal> {
        let Act { ems, action } = act;
        self.may_act(who, ems, &action)?;
        let measured = match &action {
            Action::Probe { element } => Some(element.to_string()),
            _ => None,
        };
        let (answer, answered) = oneshot::channel();
        let wanted = ActWanted {
            by: who.name.clone(),
            province: self.province_of(who),
            ems,
            action,
            answer,
        };
        match &mut *self
            .network
            .management
            .wanted
            .lock()
            .expect("no holder panics")
        {
            Some(waiting) => waiting.push(wanted),
            None => return Err(NotAvailable::Network.into()),
        }
        if let Some(element) = measured {
            self.audit(by(AuditKind::ElementMeasured, who).to(&element), now);
        }
        self.commits.outbox.notify();
        Ok(Execution::later(async move {
            match answered.await {
                Ok(answer) => answer.map_err(Refusal::from),
                Err(_) => Err(NotAvailable::Network.into()),
            }
        }))
    }

    fn may_act(&self, who: &Principal, ems: Ems, action: &Action) -> Result<(), Refusal> {
        let entitled = |profile: Arc<Profile>| ems.entitles(&profile, action);
        if who.agent && !self.profile_of(who).is_some_and(entitled) {
            return Err(Forbidden::NotEntitled {
                user: who.name.clone(),
                ems: ems.as_str(),
            }
            .into());
        }
        if !self.is_managed() {
            return Err(NotAvailable::Network.into());
        }
        let view = self.network.management.desk(ems).view.read();
        let inventory = Arc::clone(view.expect("no writer panics").inventory());
        for (field, element) in elements(action) {
            let found = inventory.element(element);
            let found = found.ok_or_else(|| NotFound::Element {
                field,
                element: element.to_string(),
            })?;
            if ems != Ems::Customer && !ems.domains().contains(&found.domain) {
                return Err(NotFound::ForeignElement {
                    field,
                    element: element.to_string(),
                    domain: found.domain.as_str(),
                    ems: ems.as_str(),
                }
                .into());
            }
        }
        in_order(action)
    }
}

/// The elements that an action names, with the field that names each.
fn elements(action: &Action) -> Vec<(Field, &ElementId)> {
    match action {
        Action::Probe { element }
        | Action::Dispatch { element, .. }
        | Action::Guide { element, .. }
        | Action::ReadConfiguration { element }
        | Action::Configure { element, .. }
        | Action::Restart { element } => vec![(Field::Element, element)],
        Action::SetPower { cell, .. } => vec![(Field::Cell, cell)],
        Action::SetSaving { cells, .. } => cells.iter().map(|cell| (Field::Cell, cell)).collect(),
        Action::Trace { .. } | Action::TellCustomer { .. } => Vec::new(),
    }
}

fn in_order(action: &Action) -> Result<(), Refusal> {
    match action {
        Action::Trace { from, until, .. } if until < from => {
            Err(Refusal::unusable(Field::Until, "it lies before from"))
        }
        _ => Ok(()),
    }
}

impl Operation for Act {
    type Output = Acted;

    fn rpc(&self) -> Option<Request<'static>> {
        let name = match self.action {
            Action::Probe { .. } => "probe",
            Action::Dispatch { .. } => "dispatch",
            Action::Guide { .. } => "guide",
            Action::SetPower { .. } => "set-power",
            Action::SetSaving { .. } => "set-saving",
            Action::ReadConfiguration { .. } => "read-configuration",
            Action::Configure { .. } => "configure",
            Action::Restart { .. } => "restart",
            Action::Trace { .. } => "trace",
            Action::TellCustomer { .. } => "tell-customer",
        };
        Some(exec("convoke-ems", name, true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Acted>, Refusal> {
        call.engine.act(call.who, self, call.now)
    }
}
