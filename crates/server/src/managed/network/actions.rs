//! Actions on a network that is managed elsewhere: sent to the system that they are for, and answered.
//!
//! Read next: [`super::super::workers`], whose sessions carry them out.

use super::{ManagedNetwork, field};
use crate::managed::desk::{self, Asker, Sender, UnderWay};
use crate::managed::event::ManagedEvent;
use crate::managed::routing::route;
use crate::managed::system::{ACTIONS, Order, System};
use bindings::netconf::manager::ActionReply;
use domain::permit::Permit;
use domain::telemetry::{Action, Outcome, Token};
use domain::time::Timestamp;
use engine::{ActFailure, Acted};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::error::TrySendError;

impl ManagedNetwork {
    /// Answers whoever waits for a request, and hands over reports that came before.
    pub(super) fn done(
        &mut self,
        system: usize,
        number: u64,
        reply: ActionReply,
        now: Timestamp,
    ) -> Vec<ManagedEvent> {
        let Some(under_way) = self.desk.end(number) else {
            return Vec::new();
        };
        let UnderWay {
            asker,
            dispatches,
            work_order,
        } = under_way;
        let outcome = self.systems[system].clock.answered(reply.outcome);
        let dispatch = reply.dispatch.filter(|_| dispatches);
        let (sender, mut news) = match asker {
            Asker::Agent { name, token } => {
                let sender = Sender {
                    name: name.clone(),
                    token,
                    is_hosted: true,
                    work_order,
                };
                (sender, vec![ManagedEvent::Outcome(name, token, outcome)])
            }
            Asker::Caller { name, answer } => {
                let answered = match outcome {
                    Outcome::Impossible(why) => Err(ActFailure::Impossible(why)),
                    Outcome::Failed(why) => Err(ActFailure::Failed(why)),
                    outcome => Ok(Acted { number, outcome }),
                };
                // A caller that has gone needs no answer.
                let _ = answer.send(answered);
                let sender = Sender {
                    name,
                    token: number,
                    is_hosted: false,
                    work_order,
                };
                (sender, Vec::new())
            }
        };
        if let Some(dispatch) = dispatch {
            let early = self.desk.sent((system, dispatch), sender.clone(), now);
            let own = |report| desk::under(report, sender.token);
            news.extend(early.into_iter().map(|r| field(sender.clone(), own(r))));
        }
        news
    }

    /// Sends an action to its system; the outcome at once if it cannot be sent.
    pub(super) fn begin(
        &mut self,
        name: &str,
        permit: &Permit,
        token: Option<Token>,
        action: Action,
        asker: Asker,
        now: Timestamp,
    ) -> Vec<ManagedEvent> {
        let number = self.desk.number();
        let (dispatches, work_order) = match &action {
            Action::Dispatch { work_order, .. } => (true, work_order.clone()),
            _ => (false, None),
        };
        let sent = self.send(number, name, permit, token, action);
        let under_way = UnderWay {
            asker,
            dispatches,
            work_order,
        };
        self.desk.begin(number, under_way);
        match sent {
            Ok(()) => Vec::new(),
            Err((system, outcome)) => {
                let reply = ActionReply {
                    outcome,
                    dispatch: None,
                    is_unsupported: false,
                };
                self.done(system, number, reply, now)
            }
        }
    }

    /// The system that an action's ticket came from, if it is about one.
    fn speaker_of(&self, action: &Action) -> Option<usize> {
        match action {
            Action::TellCustomer { ticket, .. } => self.tickets.owner_of(ticket),
            _ => None,
        }
    }

    fn send(
        &self,
        number: u64,
        name: &str,
        permit: &Permit,
        token: Option<Token>,
        action: Action,
    ) -> Result<(), (usize, Outcome)> {
        let impossible = |why| (0, Outcome::Impossible(why));
        if let Some(why) = permit.refuses(name, &action, &self.inventory) {
            return Err(impossible(why));
        }
        let (system, dispatch) = match &action {
            Action::Guide { dispatch, .. } => {
                let found = self.desk.dispatch_of(name, *dispatch);
                let nobody = || impossible(format!("{name} sent nobody out under {dispatch}"));
                found.ok_or_else(nobody)?
            }
            _ => {
                let systems: Vec<Arc<System>> =
                    self.systems.iter().map(|m| Arc::clone(&m.system)).collect();
                let province = permit.province.as_deref();
                let system = match self.speaker_of(&action) {
                    Some(system) => system,
                    None => route(&action, province, &self.owners, &systems).map_err(impossible)?,
                };
                (system, token.unwrap_or(number))
            }
        };
        let managed = &self.systems[system];
        let order = Order {
            number,
            action: managed.clock.asked(action),
            dispatch,
            asked: Instant::now(),
        };
        managed.orders.try_send(order).map_err(|full| {
            let name = &managed.system.plan.name;
            let why = match full {
                TrySendError::Full(_) => format!("has {ACTIONS} actions waiting"),
                TrySendError::Closed(_) => "is gone".to_owned(),
            };
            let why = format!("management system '{name}' {why}");
            (system, Outcome::Failed(why))
        })
    }
}
