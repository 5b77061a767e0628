//! Who at a desk does what first.
//!
//! Whoever is free takes what matters most: an engineer who calls from the field, then the case with most
//! sites out, then one of lost service, then the oldest. What has cleared is worked on no more. Refuses to know
//! what the work is. Read next: [`super`], `investigation.rs`.

use super::{AtWork, Job, NocStep, takes_sites_out};
use crate::alarms::{AlarmKey, tells_of_loss};
use crate::practice::Matter;
use crate::practice::durations::PracticeStep;
use crate::practice::shift::takes_s;
use domain::agent::Output;
use domain::inventory::{Domain, ElementId};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How much waits on a job; what is greater is done first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Urgency {
    calls: bool,
    sites_out: usize,
    is_loss: bool,
    case: Reverse<usize>,
}

impl AtWork<'_> {
    /// Has somebody of a case's desk do something, once it is the most urgent; the step follows when it is
    /// done.
    pub(super) fn work(&mut self, case: usize, stage: PracticeStep, then: NocStep) -> Vec<Output> {
        let domain = self.noc.cases[case].domain;
        self.noc
            .desk_mut(domain)
            .waiting
            .push(Job { case, stage, then });
        self.assign(domain)
    }

    /// Gives the work that waits at a desk to whoever is free there, the most urgent first.
    pub(super) fn assign(&mut self, domain: Domain) -> Vec<Output> {
        let mut outputs = Vec::new();
        while self.noc.desk(domain).people.is_free(self.now) {
            let waiting = self.noc.desk(domain).waiting.iter().enumerate();
            let urgent = waiting
                .map(|(place, job)| (self.urgency(*job), place))
                .max();
            let Some((_, place)) = urgent else { break };
            let Job { case, stage, then } = self.noc.desk_mut(domain).waiting.swap_remove(place);
            // Whoever calls is answered, and a repair is looked at, whatever the list shows.
            if !matches!(then, NocStep::Guide(_) | NocStep::Look) {
                if !self.noc.cases[case].open {
                    continue;
                }
                if self.noc.is_over(case) {
                    outputs.extend(self.close(case, super::CLEARED));
                    continue;
                }
            }
            let seconds = takes_s(self.noc.durations.of(stage), self.rng);
            let at = self.noc.desk_mut(domain).people.work(self.now, seconds);
            outputs.push(self.matters.wake(Matter::Case(case, then), at));
        }
        outputs
    }

    fn urgency(&self, job: Job) -> Urgency {
        let standing = self.noc.cases[job.case].keys.iter();
        let standing: Vec<&AlarmKey> = standing.filter(|key| self.noc.stands(key)).collect();
        let out = standing.iter().filter(|(_, t)| takes_sites_out(*t));
        let sites: BTreeSet<&ElementId> = out.map(|(site, _)| site).collect();
        Urgency {
            calls: matches!(job.then, NocStep::Guide(_)),
            sites_out: sites.len(),
            is_loss: standing.iter().any(|(_, t)| tells_of_loss(*t)),
            case: Reverse(job.case),
        }
    }
}
