//! `convoke simulate --fault each`: every kind of fault, of any size, so many times; scored by kind.
//!
//! One line for each kind and policy: how often element and cause were found, how often something else
//! or nothing, and how often a case was closed as mended while its cause stood. Refuses to know how a
//! trial is played ([`arena::trial`]). Read next: [`super`].

use super::policies;
use crate::cli::{Common, Simulate};
use crate::output::{self, Failure, line, table};
use crate::showcase::files;
use crate::showcase::progress::Progress;
use arena::day::Operator;
use arena::findings::TrialOutcome;
use arena::stage::topology;
use arena::trial::{FaultTrial, FaultVerdict};
use network::{FaultKind, TelemetryErrors};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The word for every kind in turn.
pub(super) const EACH: &str = "each";

/// The counts of one kind and policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KindTally {
    faults: usize,
    right: usize,
    wrong: usize,
    nothing: usize,
    wrong_findings: usize,
    closed: usize,
    verification_failures: usize,
}

impl KindTally {
    fn count(&mut self, verdict: &FaultVerdict) {
        self.faults += 1;
        match verdict.outcome {
            TrialOutcome::Right => self.right += 1,
            TrialOutcome::Wrong => self.wrong += 1,
            TrialOutcome::Nothing => self.nothing += 1,
        }
        self.wrong_findings += verdict.wrong_findings;
        self.closed += usize::from(verdict.closed);
        self.verification_failures += verdict.verification_failures;
    }

    fn add(&mut self, other: Self) {
        self.faults += other.faults;
        self.right += other.right;
        self.wrong += other.wrong;
        self.nothing += other.nothing;
        self.wrong_findings += other.wrong_findings;
        self.closed += other.closed;
        self.verification_failures += other.verification_failures;
    }

    fn columns(self) -> [usize; 7] {
        [
            self.faults,
            self.right,
            self.wrong,
            self.nothing,
            self.wrong_findings,
            self.closed,
            self.verification_failures,
        ]
    }

    fn json(self) -> Value {
        json!({
            "faults": self.faults, "right": self.right, "wrong": self.wrong, "nothing": self.nothing,
            "wrong_findings": self.wrong_findings, "closed": self.closed,
            "verification_failures": self.verification_failures,
        })
    }
}

/// Plays every kind of fault with every seed and policy.
pub(super) async fn run(common: &Common, simulate: &Simulate) -> Result<(), Failure> {
    let topology = topology(&simulate.stage.topology)?;
    let alarms = files::alarms(simulate.stage.alarms.as_deref())?;
    let errors = simulate
        .stage
        .world
        .errors(TelemetryErrors::none())
        .map_err(Failure::usage)?;
    let policies = policies(simulate)?;
    let seeds: Vec<u64> = simulate.seeds.from(simulate.seed).collect();
    let trials = seeds.len() * policies.len() * FaultKind::simulated().count();
    let progress = Progress::new(trials, !common.json);
    let mut tallies: BTreeMap<(FaultKind, Operator), KindTally> = BTreeMap::new();
    for kind in FaultKind::simulated() {
        for (&policy, &seed) in policies
            .iter()
            .flat_map(|p| seeds.iter().map(move |s| (p, s)))
        {
            progress.tell(&format!("{kind} {seed} {policy}"), 0.0);
            let trial = FaultTrial {
                topology: topology.clone(),
                kind,
                policy,
                practice: super::durations(simulate),
                seed,
                sites: simulate.sites,
                alarms: Arc::clone(&alarms),
                errors,
                knowledge: simulate.knowledge.clone(),
            };
            let verdict = trial.play().await?;
            progress.done();
            if common.json {
                output::json(&verdict);
            }
            tallies.entry((kind, policy)).or_default().count(&verdict);
        }
    }
    progress.end();
    conclude(common, &policies, &tallies);
    Ok(())
}

fn conclude(
    common: &Common,
    policies: &[Operator],
    tallies: &BTreeMap<(FaultKind, Operator), KindTally>,
) {
    let mut rows: Vec<(String, Operator, KindTally)> = tallies
        .iter()
        .map(|((kind, policy), tally)| (kind.as_str().to_owned(), *policy, *tally))
        .collect();
    for policy in policies {
        let mut all = KindTally::default();
        let own = tallies.iter().filter(|((_, p), _)| p == policy);
        own.for_each(|(_, tally)| all.add(*tally));
        rows.push(("all".to_owned(), *policy, all));
    }
    if common.json {
        let kinds = rows.iter().map(|(kind, policy, tally)| {
            let mut row = tally.json();
            row["kind"] = kind.as_str().into();
            row["policy"] = policy.as_str().into();
            row
        });
        output::json(&json!({ "event": "trials", "kinds": kinds.collect::<Vec<_>>() }));
        return;
    }
    let header = [
        "fault",
        "by",
        "faults",
        "right",
        "wrong",
        "nothing",
        "wrong findings",
        "closed",
        "closed, cause stood",
    ];
    let rows = rows.iter().map(|(kind, policy, tally)| {
        let counts = tally.columns().map(|n| n.to_string());
        [kind.clone(), policy.to_string()]
            .into_iter()
            .chain(counts)
            .collect()
    });
    line(&table(&header, &rows.collect::<Vec<Vec<String>>>()));
}
