//! The answer to a request that cells stay awake: yes, no, or rather this (draft §2.2).
//!
//! Two things stand against it. A cell whose site lives on its batteries is not woken: the site would
//! go dark the sooner, and its coverage with it. And while the saving target is at stake, what is
//! offered is what the target still bears: all the cells for a shorter time, or fewer for all of it. A
//! ruling of the service-intent agent overrides the target, and nothing overrides batteries.

use super::EnergySaving;
use super::meter::waking_kw;
use crate::payloads::Schema;
use crate::payloads::saving::SavingOrder;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::reply::{Reason, Reply, Verdict};
use domain::telemetry::Saving;
use std::collections::BTreeSet;

/// Minutes for which cells stay awake where nobody says how long.
pub(super) const DURATION_MIN: u64 = 240;
/// Minutes under which staying awake is not worth waking.
const DURATION_LEAST_MIN: u64 = 30;

impl EnergySaving {
    /// Whether these cells can stay awake.
    pub(super) fn can_suspend(&self, order: &SavingOrder, content: &Content) -> Reply {
        let (weak, awakable): (BTreeSet<ElementId>, BTreeSet<ElementId>) = order
            .cells
            .iter()
            .cloned()
            .partition(|c| self.sleeps(c) && self.lives_on_battery(c));
        if !weak.is_empty() {
            let reason = battery_reason(&weak);
            if awakable.is_empty() {
                return refused(vec![reason]);
            }
            let fewer = SavingOrder {
                cells: awakable,
                ..order.clone()
            };
            return offered(vec![self.borne(&fewer).unwrap_or(fewer)], content, reason);
        }
        match self.target_conflict(order) {
            None => Reply::accepted(),
            Some((alternatives, reason)) => match alternatives.is_empty() {
                true => refused(vec![reason]),
                false => offered(alternatives, content, reason),
            },
        }
    }

    /// The same for a shorter time, if the target does not bear all of it.
    fn borne(&self, order: &SavingOrder) -> Option<SavingOrder> {
        let (alternatives, _) = self.target_conflict(order)?;
        alternatives.into_iter().next()
    }

    /// What the target bears instead, and why not what is asked; none if there is no conflict.
    fn target_conflict(&self, order: &SavingOrder) -> Option<(Vec<SavingOrder>, Reason)> {
        let bounds = self.bounds()?;
        if order.ruling.is_some() || bounds.target_percent <= 0.0 || !self.meter.is_telling() {
            return None;
        }
        let day = self.meter.day();
        let minutes = order.duration_minutes.unwrap_or(DURATION_MIN);
        let kw = self.waking_kw(&order.cells);
        let costs = kw * minutes as f64 / 60.0;
        let spare = day.saved_kwh() - day.baseline_kwh * bounds.target_percent / 100.0;
        if costs <= spare.max(0.0) || kw <= 0.0 {
            return None;
        }
        let reason = Reason {
            reason: "saving-target".to_owned(),
            path: "saving_target_percent".to_owned(),
            message: format!(
                "it costs {costs:.1} kWh, and {:.1} % of {:.1} kWh are saved where {:.1} % are the \
                 target",
                day.percent(),
                day.baseline_kwh,
                bounds.target_percent
            ),
        };
        let mut alternatives = Vec::new();
        let bearable = (60.0 * spare.max(0.0) / kw) as u64;
        if bearable >= DURATION_LEAST_MIN {
            alternatives.push(SavingOrder {
                duration_minutes: Some(bearable),
                ..order.clone()
            });
        }
        let fewer = self.cheapest(&order.cells, spare.max(0.0) / (minutes as f64 / 60.0));
        if !fewer.is_empty() && fewer != order.cells {
            alternatives.push(SavingOrder {
                cells: fewer,
                ..order.clone()
            });
        }
        Some((alternatives, reason))
    }

    /// The cells that stay awake for so much power: those that are awake, then the cheapest.
    fn cheapest(&self, cells: &BTreeSet<ElementId>, spare_kw: f64) -> BTreeSet<ElementId> {
        let cost = |c: &ElementId| self.waking_kw(&BTreeSet::from([c.clone()]));
        let mut priced: Vec<(f64, &ElementId)> = cells.iter().map(|c| (cost(c), c)).collect();
        priced.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
        let mut left = spare_kw;
        let mut chosen = BTreeSet::new();
        for (kw, cell) in priced {
            if kw <= left {
                left -= kw;
                chosen.insert(cell.clone());
            }
        }
        chosen
    }

    fn waking_kw(&self, cells: &BTreeSet<ElementId>) -> f64 {
        let state = |c: &ElementId| self.state.get(c).copied().unwrap_or(Saving::Off);
        let held = self.held();
        let sleepers = cells.iter().filter(|c| !held.contains(*c));
        waking_kw(&self.radio, sleepers.map(|c| (c, state(c))))
    }
}

fn battery_reason(cells: &BTreeSet<ElementId>) -> Reason {
    let names: Vec<&str> = cells.iter().map(ElementId::as_str).collect();
    Reason {
        reason: "on-battery".to_owned(),
        path: "cells".to_owned(),
        message: format!(
            "the sites of {} live on their batteries and would go dark the sooner",
            names.join(", ")
        ),
    }
}

fn refused(reasons: Vec<Reason>) -> Reply {
    Reply {
        reasons,
        ..Reply::new(Verdict::Refused, Vec::new())
    }
}

fn offered(orders: Vec<SavingOrder>, content: &Content, reason: Reason) -> Reply {
    let offer = |order: SavingOrder| {
        let minutes = order.duration_minutes.unwrap_or(DURATION_MIN);
        let words = format!("{} cells awake for {minutes} minutes", order.cells.len());
        let mut offer =
            Content::new(content.target_object.as_str(), words).with_payload(order.to_payload());
        offer
            .expected_response
            .clone_from(&content.expected_response);
        offer
    };
    Reply {
        reasons: vec![reason],
        ..Reply::new(Verdict::Offered, orders.into_iter().map(offer).collect())
    }
}
