//! The performance of links in the last day, period by period.
//!
//! Refuses to judge: that is [`super::relief`]'s and whoever reads an answer.

use domain::inventory::ElementId;
use domain::telemetry::Performance;
use std::collections::VecDeque;
use std::sync::Arc;

/// Periods of a quarter of an hour in a day.
const PERIODS_MAX: usize = 96;

/// The performance of links, oldest first.
#[derive(Clone, Debug, Default)]
pub struct LinkHistory(VecDeque<Arc<Performance>>);

impl LinkHistory {
    /// Takes a period down; the oldest goes.
    pub fn take(&mut self, performance: &Arc<Performance>) {
        self.0.push_back(Arc::clone(performance));
        if self.0.len() > PERIODS_MAX {
            self.0.pop_front();
        }
    }

    /// The number of periods that are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if nothing was counted yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The performance of a link, in words; none if it never reported.
    pub fn says(&self, link: &ElementId) -> Option<String> {
        let known = self.0.iter().filter_map(|p| Some((p, p.links.get(link)?)));
        let last = known.clone().next_back()?;
        let peak = known.max_by(|x, y| x.1.utilisation.total_cmp(&y.1.utilisation))?;
        Some(format!(
            "{link}: {:.0} % used and {:.2} % lost until {}; at most {:.0} % in the last day, until {}",
            100.0 * last.1.utilisation,
            100.0 * last.1.loss,
            last.0.until,
            100.0 * peak.1.utilisation,
            peak.0.until
        ))
    }
}
