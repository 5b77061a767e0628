//! The wireless network's fault agent: sites, their cells and the zones that power them.
//!
//! As every domain's agent it watches, reports incidents, diagnoses and verifies
//! ([`crate::domain_agent`], with the [`expertise`] of this domain). Besides it cares for its own
//! troubles (draft §2.2, [`care`]): before anything is located it has the users served by neighbours;
//! then it checks its own configuration, measures, asks the IP domain's agent, has repaired what is
//! broken, verifies, and has the compensation cancelled. Where two sites or more share a cause the OSS
//! agent finds it, and this one only sees to the users. Read next: [`care`].

pub mod care;
pub mod expertise;

use crate::context::TaskExecutor;
use crate::knowledge::Knowledge;
use care::Care;
use domain::agent::{Ask, Briefing, Input, Output};
use domain::content::Content;
use domain::reply::Reply;
use domain::task::TaskId;
use domain::telemetry::Telemetry;
use domain::time::{SeededRng, Timestamp};
use expertise::Base;
pub use expertise::WirelessExpertise;
use std::sync::Arc;

/// The wireless network's fault agent.
#[derive(Debug)]
pub struct WirelessFault {
    base: Base,
    care: Care,
}

impl TaskExecutor for WirelessFault {
    fn start(briefing: Briefing, now: Timestamp, rng: &mut SeededRng) -> (Self, Vec<Output>) {
        Self::knowing(&Arc::new(Knowledge::in_force()), briefing, now, rng)
    }

    fn knowing(
        knowledge: &Arc<Knowledge>,
        briefing: Briefing,
        now: Timestamp,
        rng: &mut SeededRng,
    ) -> (Self, Vec<Output>) {
        let (mut base, mut outputs) = Base::knowing(knowledge, briefing, now, rng);
        let mut care = Care::knowing(knowledge);
        outputs.extend(care.read_all(&mut base));
        (Self { base, care }, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        let (base, care) = (&mut self.base, &mut self.care);
        match input {
            Input::Telemetry(Telemetry::Alarm(alarm)) => {
                let heard = alarm.clone();
                let telemetry = Input::Telemetry(Telemetry::Alarm(alarm));
                let mut outputs = base.take(telemetry, now, rng);
                outputs.extend(care.alarmed(base, &heard, now));
                outputs
            }
            Input::Telemetry(Telemetry::Performance(performance)) => {
                care.counted(base, performance, now)
            }
            Input::Acted { token, outcome } if care.awaits(token) => {
                care.acted(base, token, outcome, now)
            }
            Input::Woken(token) => match care.woken(base, token, now) {
                Some(outputs) => outputs,
                None => base.take(Input::Woken(token), now, rng),
            },
            Input::Replied { token, reply } => care.replied(base, token, reply, now),
            Input::Notified(news) => care.notified(base, &news, now),
            Input::Joined(_) | Input::Left(_) => {
                base.desk_mut().roster_changed(input);
                Vec::new()
            }
            other => base.take(other, now, rng),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        self.base.feasible(content)
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        self.base.assigned(ask, now)
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        self.base.ended(task)
    }

    fn rejected(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        self.base.rejected(ask, now)
    }

    fn planned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        self.base.planned(ask, now)
    }
}
