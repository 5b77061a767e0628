//! The trials in a table: what was done, and how agents and yardsticks fared.
//!
//! Pure. Read next: [`super::trial`].

use super::trial::LabTrial;
use crate::fault::LabFault;
use serde::Serialize;
use std::collections::BTreeMap;

/// The counts of one kind of fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FaultCounts {
    /// Trials.
    pub trials: u32,
    /// Named first, element and cause, by policy.
    pub named_first: BTreeMap<String, u32>,
    /// The element named first, by policy.
    pub element_first: BTreeMap<String, u32>,
    /// Wrong statements, by policy.
    pub wrong: BTreeMap<String, u32>,
    /// Trials after which everything was as before by what agents did.
    pub repaired: u32,
    /// Interventions that set back what the book says.
    pub right_repairs: u32,
    /// Other interventions.
    pub wrong_repairs: u32,
    /// Seconds until agents named element and cause.
    pub located_s: Vec<f64>,
}

impl FaultCounts {
    fn take(&mut self, trial: &LabTrial) {
        self.trials += 1;
        for verdict in &trial.policies {
            let add = |counts: &mut BTreeMap<String, u32>, by: u32| {
                *counts.entry(verdict.policy.clone()).or_default() += by;
            };
            add(&mut self.named_first, u32::from(verdict.named_first));
            add(&mut self.element_first, u32::from(verdict.element_first));
            add(&mut self.wrong, verdict.wrong);
        }
        self.repaired += u32::from(trial.repaired);
        self.right_repairs += trial.repairs.right;
        self.wrong_repairs += trial.repairs.wrong;
        let agents = trial.policies.iter().filter(|v| v.policy == "agents");
        self.located_s.extend(agents.filter_map(|v| v.located_s));
        self.located_s.sort_by(f64::total_cmp);
    }

    /// The middle of the seconds until agents named element and cause.
    pub fn median_s(&self) -> Option<f64> {
        self.located_s.get(self.located_s.len() / 2).copied()
    }
}

/// All trials, by kind of fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LabTable(BTreeMap<String, FaultCounts>);

impl LabTable {
    /// The table of trials.
    pub fn of<'t>(trials: impl IntoIterator<Item = &'t LabTrial>) -> Self {
        let mut table = Self::default();
        for trial in trials {
            table.0.entry(trial.fault.clone()).or_default().take(trial);
        }
        table
    }

    /// The rows in the order of [`LabFault::ALL`], each with its name, and the sums of all faults.
    pub fn rows(&self) -> Vec<(String, FaultCounts)> {
        let own = |fault: LabFault| {
            let counts = self.0.get(fault.as_str())?;
            Some((fault.as_str().to_owned(), counts.clone()))
        };
        let mut rows: Vec<_> = LabFault::ALL.into_iter().filter_map(own).collect();
        let mut sum = FaultCounts::default();
        for (name, counts) in &rows {
            if LabFault::parse(name).is_some_and(|fault| fault.cause().is_some()) {
                sum.trials += counts.trials;
                sum.repaired += counts.repaired;
                sum.right_repairs += counts.right_repairs;
                sum.wrong_repairs += counts.wrong_repairs;
                sum.located_s.extend(&counts.located_s);
                for (from, to) in [
                    (&counts.named_first, &mut sum.named_first),
                    (&counts.element_first, &mut sum.element_first),
                    (&counts.wrong, &mut sum.wrong),
                ] {
                    for (policy, count) in from {
                        *to.entry(policy.clone()).or_default() += count;
                    }
                }
            }
        }
        sum.located_s.sort_by(f64::total_cmp);
        rows.push(("all faults".to_owned(), sum));
        rows
    }
}
