//! The answer to a request that cells stay awake, or that so much is saved: yes, no, or rather this
//! (draft §2.2, §5.3).
//!
//! More than can be saved within the bounds of an order ([`super::reach`]) is countered with what can
//! be: less saved while users keep what they were promised, or as much while they keep less.
//!
//! Two things stand against it. A cell whose site lives on its batteries is not woken: the site would
//! go dark the sooner, and its coverage with it. And while the saving target is at stake, three things
//! are offered instead: all the cells for a shorter time and fewer for all of it, as the target still
//! bears, and all that was asked for under a lower target until then. The last is for whoever answers
//! for the target to take; a ruling of the service-intent agent overrides the target, and nothing
//! overrides batteries. Read next: [`super::target`].

use super::policy::Bounds;
use super::reach::Reach;
use super::target::Strain;
use super::tasks::{DURATION_MIN, bounds_of};
use super::{EnergySaving, Standing};
use crate::payloads::Schema;
use crate::payloads::saving::SavingOrder;
use crate::wording::counted;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::reply::{Reason, Reply, Verdict};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Minutes under which staying awake is not worth waking.
const DURATION_LEAST_MIN: u64 = 30;

/// The cost of an order beyond what the target bears.
struct Conflict {
    alternatives: Vec<SavingOrder>,
    reason: Reason,
}

impl EnergySaving {
    /// Answers whether these cells can stay awake.
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

    /// Answers whether so much can be saved, as far as can be seen; what can be instead.
    pub(super) fn can_activate(
        &self,
        order: &SavingOrder,
        content: &Content,
        now: Timestamp,
    ) -> Reply {
        let bounds = bounds_of(order);
        let Some(reach) = self.reach_beyond(self.cells_meant(order).as_ref(), bounds, now) else {
            return Reply::accepted();
        };
        let most = tenths(reach.percent(bounds.min_throughput_mbps));
        let less = SavingOrder {
            saving_target_percent: Some(most),
            ..order.clone()
        };
        let promise_mbps = reach.promise_mbps(bounds.target_percent).map(tenths);
        let lower = promise_mbps.map(|mbps| SavingOrder {
            min_throughput_mbps: Some(mbps),
            ..order.clone()
        });
        let reason = Reason {
            reason: "saving-target".to_owned(),
            path: "saving_target_percent".to_owned(),
            message: beyond(most, bounds),
        };
        let words = |order: &SavingOrder| {
            let bounds = bounds_of(order);
            format!(
                "save {:.1} % while users keep {:.1} Mbit/s",
                bounds.target_percent, bounds.min_throughput_mbps
            )
        };
        let orders = [Some(less), lower].into_iter().flatten();
        let offers = orders.map(|order| offer(&order, words(&order), content));
        Reply {
            reasons: vec![reason],
            ..Reply::new(Verdict::Offered, offers.collect())
        }
    }

    /// In words, where a standing task asks for more than can be saved, and less is.
    pub(super) fn beyond_in_words(&self, standing: &Standing, now: Timestamp) -> Option<String> {
        if self.meter.day().percent() >= standing.bounds.target_percent {
            return None;
        }
        let reach = self.reach_beyond(standing.cells.as_ref(), standing.bounds, now)?;
        let most = tenths(reach.percent(standing.bounds.min_throughput_mbps));
        Some(beyond(most, standing.bounds))
    }

    /// The energy that these cells can save where that is less than the target; none for all of
    /// them.
    fn reach_beyond(
        &self,
        cells: Option<&BTreeSet<ElementId>>,
        bounds: Bounds,
        now: Timestamp,
    ) -> Option<Reach> {
        if bounds.target_percent <= 0.0 {
            return None;
        }
        let reach = match cells {
            Some(cells) => self.reach(cells.iter(), bounds, now),
            None => self.reach(self.radio.inventory().cells.keys(), bounds, now),
        };
        reach.filter(|r| r.percent(bounds.min_throughput_mbps) < bounds.target_percent)
    }

    /// The offer that is made instead of an order that the target does not bear, and why; none if
    /// it does.
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

/// The reason why so much is not taken on.
fn beyond(most_percent: f64, bounds: Bounds) -> String {
    format!(
        "{most_percent:.1} % can be saved at the most while users keep {:.1} Mbit/s and load is up to \
         {:.0} %, where {:.1} % are the target",
        bounds.min_throughput_mbps,
        bounds.max_load * 100.0,
        bounds.target_percent
    )
}

/// Down to the tenth that is written: what is offered can be done.
fn tenths(value: f64) -> f64 {
    (value.max(0.0) * 10.0).floor() / 10.0
}

/// An order that is offered in the place of another.
fn offer(order: &SavingOrder, words: String, instead_of: &Content) -> Content {
    let target = instead_of.target_object.as_str();
    let mut offer = Content::new(target, words).with_payload(order.to_payload());
    offer
        .expected_response
        .clone_from(&instead_of.expected_response);
    offer
}

fn offered(orders: Vec<SavingOrder>, content: &Content, reason: Reason) -> Reply {
    let offer = |order: SavingOrder| {
        let minutes = order.duration_minutes.unwrap_or(DURATION_MIN);
        let target = order.saving_target_percent;
        let target = target.map(|t| format!(", with a target of {t:.1} % until then"));
        let words = format!(
            "{} awake for {minutes} minutes{}",
            counted(order.cells.len(), "cell", "cells"),
            target.unwrap_or_default()
        );
        self::offer(&order, words, content)
    };
    Reply {
        reasons: vec![reason],
        ..Reply::new(Verdict::Offered, orders.into_iter().map(offer).collect())
    }
}
