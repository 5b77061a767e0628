//! What an agent is told at its start: itself, the roster, the network, and its open tasks.
//!
//! Read next: [`crate::hosting::redelivery`], what it is asked again.

use crate::Engine;
use crate::hosting::question::Question;
use crate::tasks::work::Work;
use domain::agent::{Briefing, Input};
use domain::profile::Profile;
use domain::registry::Registration;
use domain::task::TaskId;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Engine {
    /// What an agent is told at its start. An assignment that it is still to be asked for is no
    /// open task of its own yet.
    pub(crate) fn briefing<'q>(
        &self,
        work: &Work<'_>,
        registration: &Registration,
        roster: Vec<Arc<Profile>>,
        unanswered: impl Iterator<Item = &'q Question>,
    ) -> Briefing {
        let asked: BTreeSet<&TaskId> = unanswered
            .filter(|q| q.is_assignment())
            .map(|q| &q.task)
            .collect();
        let mut open = work.open_tasks_of(&registration.profile.name);
        open.retain(|task| !asked.contains(&task.id));
        Briefing {
            own: Arc::clone(&registration.profile),
            roster,
            inventory: work.inventory(),
            open,
        }
    }

    /// What an agent is told that was made anew.
    pub(crate) fn briefing_anew<'q>(
        &self,
        work: &Work<'_>,
        index: usize,
        unanswered: impl Iterator<Item = &'q Question>,
    ) -> Input {
        let roster = self.registry.roster.registrations();
        let roster: Vec<Arc<Profile>> = roster.iter().map(|r| Arc::clone(&r.profile)).collect();
        let registration = self.registry.roster.registration(index);
        Input::Started(self.briefing(work, &registration, roster, unanswered))
    }
}
