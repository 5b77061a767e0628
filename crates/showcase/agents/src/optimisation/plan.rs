//! The neighbours that serve the users of lost cells, how much louder, and who must wake.
//!
//! Step by step, always the step that is worth most: a neighbour two decibels louder, or one woken.
//! Each costs a little worth for the energy and the interference that it causes, so that a plan stays
//! small; what interference does to users elsewhere it does not reckon with. The plan is a promise by
//! formula; [`super::verification`] sees what came of it.

use crate::radio::Radio;
use crate::radio::coverage::{LostSector, Surroundings, UserService, sectors};
use crate::wording::counted;
use domain::inventory::ElementId;
use domain::radio::POWER_OFFSET_MAX_DB;
use std::collections::{BTreeMap, BTreeSet};

/// One step of power, in dB.
const STEP_DB: f64 = 2.0;
/// The most steps for one lost sector.
const STEPS_MAX: usize = 12;
/// A neighbour busier than this is left alone.
const LOAD_MAX: f64 = 0.85;
/// The least worth of a step, as a share of what the users want.
const WORTH_LEAST: f64 = 0.015;
/// The cost of a decibel, in the same measure.
const COST_DB: f64 = 0.002;
/// The cost of waking a cell, in the same measure.
const COST_WAKE: f64 = 0.02;

/// The cells that may be woken.
#[derive(Clone, Copy, Debug)]
pub enum Waking<'a> {
    /// Nobody.
    Nobody,
    /// All that sleep.
    Anybody,
    /// These alone.
    Only(&'a BTreeSet<ElementId>),
}

impl Waking<'_> {
    fn allows(self, cell: &ElementId) -> bool {
        match self {
            Self::Nobody => false,
            Self::Anybody => true,
            Self::Only(cells) => cells.contains(cell),
        }
    }
}

/// The task of planning.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// The cells that are lost.
    pub lost: &'a BTreeSet<ElementId>,
    /// The throughput that the users of each want, in Mbit/s.
    pub demand_mbps: &'a BTreeMap<ElementId, f64>,
    /// The cells that may help; empty for any.
    pub allowed: &'a BTreeSet<ElementId>,
    /// By how much power may be raised, in dB.
    pub offset_max_db: f64,
    /// The throughput that each user is promised, in Mbit/s.
    pub min_mbps: f64,
    /// The cells that may be woken.
    pub waking: Waking<'a>,
}

/// The contribution of a cell to a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellContribution {
    /// By how much its power is raised, in dB.
    pub offset_db: f64,
    /// True if it sleeps and must wake.
    pub wakes: bool,
}

/// The cells that help, and what it promises.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompensationPlan {
    /// The cells that help.
    pub parts: BTreeMap<ElementId, CellContribution>,
    /// The service of the users with it.
    pub with: UserService,
    /// Their service without.
    pub without: UserService,
    /// The throughput that they want, in Mbit/s.
    pub demand_mbps: f64,
    /// True if there is a cell around that could serve at all.
    pub has_neighbours: bool,
}

impl CompensationPlan {
    /// The cells that must wake.
    pub fn woken(&self) -> impl Iterator<Item = &ElementId> {
        let woken = self.parts.iter().filter(|(_, p)| p.wakes);
        woken.map(|(cell, _)| cell)
    }

    /// The throughput that each user gets at least, in Mbit/s: in tenths, and no more than it is.
    pub fn promised_mbps(&self) -> f64 {
        (self.with.edge_mbps * 10.0).floor() / 10.0
    }

    /// The plan in words.
    pub fn describe(&self) -> String {
        let raised = self.parts.values().filter(|p| p.offset_db > 0.0).count();
        format!(
            "{} louder, {} woken: {:.0} % of the users are covered instead of {:.0} %, the \
             slowest get {:.1} Mbit/s",
            counted(raised, "cell", "cells"),
            self.woken().count(),
            self.with.share * 100.0,
            self.without.share * 100.0,
            self.promised_mbps()
        )
    }
}

/// Plans for a wish, in what surroundings there are.
pub fn plan(radio: &Radio, wish: PlanRequest<'_>, around: Surroundings<'_>) -> CompensationPlan {
    let mut plan = CompensationPlan::default();
    let mut fields = 0.0;
    for sector in sectors(radio, wish.lost.iter()) {
        let of_sector = radio.sector_of(&sector).filter(|c| wish.lost.contains(*c));
        let demand: f64 = of_sector.filter_map(|c| wish.demand_mbps.get(c)).sum();
        let Some(mut field) = LostSector::of_sector(radio, &sector, demand, around) else {
            continue;
        };
        plan.has_neighbours |= !field.candidates.is_empty();
        let without = field.served(wish.min_mbps);
        take_over(&mut field, &plan.parts);
        improve(&mut field, wish, &mut plan.parts);
        let with = field.served(wish.min_mbps);
        fields += 1.0;
        plan.demand_mbps += demand;
        add(&mut plan.without, &without, fields);
        add(&mut plan.with, &with, fields);
    }
    plan
}

/// Takes over what was decided for another sector, which holds here too.
fn take_over(field: &mut LostSector, parts: &BTreeMap<ElementId, CellContribution>) {
    for candidate in &mut field.candidates {
        if let Some(part) = parts.get(&candidate.cell) {
            candidate.on = true;
            candidate.offset_db = part.offset_db;
        }
    }
}

/// Takes the step that is worth most until none is worth its cost.
fn improve(
    field: &mut LostSector,
    wish: PlanRequest<'_>,
    parts: &mut BTreeMap<ElementId, CellContribution>,
) {
    let most_db = wish.offset_max_db.clamp(0.0, POWER_OFFSET_MAX_DB);
    for _ in 0..STEPS_MAX {
        let worth = field.worth_mbps(wish.min_mbps);
        let mut best: Option<(f64, usize, bool, f64)> = None;
        for i in 0..field.candidates.len() {
            for (on, offset_db, cost) in steps(field, i, wish, most_db) {
                let before = (field.candidates[i].on, field.candidates[i].offset_db);
                (field.candidates[i].on, field.candidates[i].offset_db) = (on, offset_db);
                let gained = field.worth_mbps(wish.min_mbps) - worth;
                (field.candidates[i].on, field.candidates[i].offset_db) = before;
                let net = gained - cost * field.demand_mbps;
                if gained > WORTH_LEAST * field.demand_mbps && best.is_none_or(|b| net > b.0) {
                    best = Some((net, i, on, offset_db));
                }
            }
        }
        let Some((_, i, on, offset_db)) = best.filter(|b| b.0 > 0.0) else {
            return;
        };
        let candidate = &mut field.candidates[i];
        let wakes = on && !candidate.on;
        (candidate.on, candidate.offset_db) = (on, offset_db);
        let part = parts.entry(candidate.cell.clone()).or_default();
        part.offset_db = part.offset_db.max(offset_db);
        part.wakes |= wakes;
    }
}

/// The steps that could be taken with a candidate: whether it is on, its offset, and the cost of
/// the step.
fn steps(
    field: &LostSector,
    i: usize,
    wish: PlanRequest<'_>,
    most_db: f64,
) -> Vec<(bool, f64, f64)> {
    let candidate = &field.candidates[i];
    let allowed = wish.allowed.is_empty() || wish.allowed.contains(&candidate.cell);
    if !allowed || candidate.load > LOAD_MAX {
        return Vec::new();
    }
    if !candidate.on {
        return match wish.waking.allows(&candidate.cell) {
            true => vec![(true, candidate.offset_db, COST_WAKE)],
            false => Vec::new(),
        };
    }
    // Small steps may gain nothing where a big one reaches: a hole is covered or it is not.
    let big = [STEP_DB, 2.0 * STEP_DB, most_db - candidate.offset_db];
    let raised = big.into_iter().map(|db| candidate.offset_db + db);
    let possible = raised.filter(|db| *db > candidate.offset_db + 0.5 && *db <= most_db + 1e-9);
    possible
        .map(|db| (true, db, COST_DB * (db - candidate.offset_db)))
        .collect()
}

fn add(sum: &mut UserService, one: &UserService, count: f64) {
    sum.share += (one.share - sum.share) / count;
    sum.carried_mbps += one.carried_mbps;
    sum.worth_mbps += one.worth_mbps;
    sum.edge_mbps = match count > 1.5 {
        true => sum.edge_mbps.min(one.edge_mbps),
        false => one.edge_mbps,
    };
}
