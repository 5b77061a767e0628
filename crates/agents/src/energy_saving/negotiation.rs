//! The answer to a request that cells stay awake: yes, no, or rather this (draft §2.2).
//!
//! Two things stand against it. A cell whose site lives on its batteries is not woken: the site would
//! go dark the sooner, and its coverage with it. And while the saving target is at stake, three things
//! are offered instead: all the cells for a shorter time and fewer for all of it, as the target still
//! bears, and all that was asked for under a lower target until then. The last is for whoever answers
//! for the target to take; a ruling of the service-intent agent overrides the target, and nothing
//! overrides batteries. Read next: [`super::target`].

use super::EnergySaving;
use super::target::Strain;
use crate::payloads::Schema;
use crate::payloads::saving::SavingOrder;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::reply::{Reason, Reply, Verdict};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Minutes for which cells stay awake where nobody says how long.
pub(super) const DURATION_MIN: u64 = 240;
/// Minutes under which staying awake is not worth waking.
const DURATION_LEAST_MIN: u64 = 30;

/// What an order costs beyond what the target bears.
struct Conflict {
    alternatives: Vec<SavingOrder>,
    reason: Reason,
}

impl EnergySaving {
    /// Whether these cells can stay awake.
    pub(super) fn can_suspend(
        &self,
        order: &SavingOrder,
        content: &Content,
        now: Timestamp,
    ) -> Reply {
        let (weak, awakable): (BTreeSet<ElementId>, BTreeSet<ElementId>) = order
            .cells
            .iter()
            .cloned()
            .partition(|c| self.sleeps(c) && self.lives_on_battery(c));
        let asked = SavingOrder {
            cells: awakable,
            ..order.clone()
        };
        let conflict = self.conflict(&asked, now);
        if weak.is_empty() {
            return match conflict {
                None => Reply::accepted(),
                Some(Conflict {
                    alternatives,
                    reason,
                }) => offered(alternatives, content, reason),
            };
        }
        let reason = battery_reason(&weak);
        match asked.cells.is_empty() {
            true => Reply {
                reasons: vec![reason],
                ..Reply::new(Verdict::Refused, Vec::new())
            },
            false => {
                let alternatives = conflict.map_or(vec![asked], |c| c.alternatives);
                offered(alternatives, content, reason)
            }
        }
    }

    /// What is offered instead of an order that the target does not bear, and why; none if it does.
    fn conflict(&self, order: &SavingOrder, now: Timestamp) -> Option<Conflict> {
        let minutes = order.duration_minutes.unwrap_or(DURATION_MIN);
        let hours = minutes as f64 / 60.0;
        let kw = self.waking_kw(&order.cells);
        let strain = self.strain(kw * hours, now);
        let strain = strain.filter(|_| order.ruling.is_none())?;
        let bearable = (60.0 * strain.spare_kwh / kw) as u64;
        let shorter = (bearable >= DURATION_LEAST_MIN).then(|| SavingOrder {
            duration_minutes: Some(bearable),
            ..order.clone()
        });
        let cheapest = self.cheapest(&order.cells, strain.spare_kwh / hours);
        let fewer = (!cheapest.is_empty() && cheapest != order.cells).then(|| SavingOrder {
            cells: cheapest,
            ..order.clone()
        });
        let lower = SavingOrder {
            saving_target_percent: Some(strain.lowered_percent),
            ..order.clone()
        };
        Some(Conflict {
            alternatives: [shorter, fewer, Some(lower)]
                .into_iter()
                .flatten()
                .collect(),
            reason: target_reason(&strain),
        })
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
}

fn target_reason(strain: &Strain) -> Reason {
    Reason {
        reason: "saving-target".to_owned(),
        path: "saving_target_percent".to_owned(),
        message: format!(
            "it costs {:.1} kWh, and {:.1} % of {:.1} kWh are saved where {:.1} % are the target",
            strain.costs_kwh, strain.saved_percent, strain.baseline_kwh, strain.target_percent
        ),
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

fn offered(orders: Vec<SavingOrder>, content: &Content, reason: Reason) -> Reply {
    let offer = |order: SavingOrder| {
        let minutes = order.duration_minutes.unwrap_or(DURATION_MIN);
        let target = order.saving_target_percent;
        let target = target.map(|t| format!(", with a target of {t:.1} % until then"));
        let words = format!(
            "{} cells awake for {minutes} minutes{}",
            order.cells.len(),
            target.unwrap_or_default()
        );
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
