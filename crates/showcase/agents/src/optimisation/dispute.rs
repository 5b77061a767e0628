//! The conflict with energy saving about a compensation: what is offered instead, and who yields.
//!
//! A counter-offer within the saving target is taken if what it allows is nearly as good, or if batteries
//! speak for it, or if the order leaves the target as it is; else the service-intent agent says who
//! yields, told what each side would lose and how low the target would have to be. If experience
//! prevails, everything is asked for again, at that target and with the ruling; if energy does, or nobody
//! can be asked, the counter-offer stands. Read next: [`super::negotiation`], which asks.

use super::plan::{CompensationPlan, Waking};
use super::running::{DURATION_MIN, Energy, awake};
use super::{Optimisation, Purpose, area_of};
use crate::answers::{agreement, why_not};
use crate::energy_saving::meter::waking_kw;
use crate::payloads::Schema;
use crate::payloads::compensation::SavingMeanwhile;
use crate::payloads::intent::{Intent, IntentOrder, IntentPolicy, IntentResult, Party};
use crate::payloads::saving::SavingOrder;
use crate::wording::counted;
use domain::agent::{Message, Output};
use domain::content::Content;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::time::Timestamp;
use domain::verb::Verb;

/// A counter-offer as good as this share of the plan is taken.
const NEARLY: f64 = 0.9;
/// The reason why the energy-saving agent does not wake cells whatever anybody rules.
const ON_BATTERY: &str = "on-battery";

impl Optimisation {
    pub(super) fn energy_answered(
        &mut self,
        id: &TaskId,
        sent: Message,
        reply: Option<Reply>,
        now: Timestamp,
    ) -> Vec<Output> {
        if !self.drafts.contains_key(id) {
            return Vec::new();
        }
        let Some(reply) = reply else {
            let words = "the energy-saving agent does not answer";
            return self.without_waking(id, words, now);
        };
        match reply.verdict {
            Verdict::Accepted | Verdict::Result => self.energy_agreed(id, Some(sent.content), now),
            Verdict::Offered | Verdict::Refused => self.countered(id, sent, reply, now),
            Verdict::InputRequired | Verdict::Pending => {
                let words = "the energy-saving agent has not decided";
                self.without_waking(id, words, now)
            }
        }
    }

    /// The energy-saving agent would rather do something else, or nothing.
    fn countered(
        &mut self,
        id: &TaskId,
        sent: Message,
        reply: Reply,
        now: Timestamp,
    ) -> Vec<Output> {
        let note = format!("Energy saving objects: {}", why_not(&reply));
        let mut outputs = vec![Output::Note(note)];
        let batteries = reply.reasons.iter().any(|r| r.reason == ON_BATTERY);
        let best = self.best_of(id, &reply, now);
        let draft = self.drafts.get(id);
        let wanted = draft.map_or(0.0, |d| worth(&d.plan));
        let bound = draft.is_some_and(|d| d.order.energy_saving == SavingMeanwhile::Reduce);
        match best {
            Some(best) if batteries || best.worth >= NEARLY * wanted => {
                outputs.extend(self.accept_counter(id, &sent, best, now));
            }
            None if batteries => {
                let words = "the cells that sleep live on their batteries";
                outputs.extend(self.without_waking(id, words, now));
            }
            _ if bound => {
                let words = "it is to go without lowering the saving target";
                outputs.extend(self.yield_to_energy(id, &sent, &reply, words, now));
            }
            best => {
                let lost = wanted - best.as_ref().map_or(0.0, |b| b.worth);
                outputs.extend(self.dispute(id, sent, reply, lost, now));
            }
        }
        outputs
    }

    /// Of what is offered instead within the saving target, what serves the users best.
    fn best_of(&self, id: &TaskId, reply: &Reply, now: Timestamp) -> Option<Counter> {
        let draft = self.drafts.get(id)?;
        let mut best: Option<Counter> = None;
        for (i, content) in reply.content.iter().enumerate() {
            let order = SavingOrder::in_content(content);
            let Some(offered) = order.filter(|o| o.saving_target_percent.is_none()) else {
                continue;
            };
            let mut plan = self.plan(&draft.order, Waking::Only(&offered.cells), now);
            plan.parts
                .retain(|c, part| !part.wakes || offered.cells.contains(c));
            let asked = minutes(draft.order.duration_minutes);
            let share = minutes(offered.duration_minutes).min(asked) / asked;
            let without = self.plan(&draft.order, Waking::Nobody, now);
            // Where the time is shorter, the rest of it passes without those who sleep.
            let worth = worth(&plan) * share + worth(&without) * (1.0 - share);
            if best.as_ref().is_none_or(|b| worth > b.worth) {
                let (number, content) = (i + 1, content.clone());
                best = Some(Counter {
                    number,
                    plan,
                    worth,
                    content,
                });
            }
        }
        best
    }

    fn accept_counter(
        &mut self,
        id: &TaskId,
        sent: &Message,
        counter: Counter,
        now: Timestamp,
    ) -> Vec<Output> {
        if let Some(draft) = self.drafts.get_mut(id) {
            draft.plan = counter.plan;
            draft.reason = Some(counter.content.task_description.clone());
        }
        let message = agreement(sent.clone(), counter.number, &counter.content);
        let purpose = Purpose::Agreement(id.clone(), Box::new(counter.content));
        self.outbox.send(&mut self.context, purpose, message, now)
    }

    /// Asks the service-intent agent who yields.
    fn dispute(
        &mut self,
        id: &TaskId,
        sent: Message,
        offer: Reply,
        lost_mbps: f64,
        now: Timestamp,
    ) -> Vec<Output> {
        let judge = self
            .context
            .colleague(IntentOrder::ID, Layer::Service, None);
        let Some(to) = judge else {
            return self.yield_to_energy(id, &sent, &offer, "nobody decides conflicts", now);
        };
        let Some(draft) = self.drafts.get_mut(id) else {
            return Vec::new();
        };
        draft.energy = Energy::Disputed;
        let (order, woken) = (draft.order.clone(), draft.plan.clone());
        let area = area_of(&order);
        let sleeping = woken
            .woken()
            .filter_map(|c| Some((c, self.cells.get(c)?.saving)));
        let kwh = waking_kw(&self.radio, sleeping) * minutes(order.duration_minutes) / 60.0;
        let energy_wants = offer.reasons.first().map(|r| r.message.clone());
        let target = lowered_target(&offer);
        let conflict = IntentOrder {
            area: Some(area.clone()),
            incident_id: order.incident_id.clone(),
            parties: vec![
                Party {
                    intent: Intent::Experience,
                    wants: format!("{} awake", counted(woken.woken().count(), "cell", "cells")),
                    loss_mbps: lost_mbps.max(0.0),
                    loss_kwh: 0.0,
                },
                Party {
                    intent: Intent::Energy,
                    wants: energy_wants.unwrap_or_else(|| "its target".to_owned()),
                    loss_mbps: 0.0,
                    loss_kwh: kwh,
                },
            ],
            policy: IntentPolicy {
                duration_minutes: order.duration_minutes,
                saving_target_percent: target,
                ..IntentPolicy::default()
            },
            ..IntentOrder::default()
        };
        let meanwhile = target.map(|t| format!(", and a target of {t:.1} % meanwhile"));
        let words = format!(
            "Experience around {area} and the energy-saving target conflict: {lost_mbps:.1} Mbit/s \
             against {kwh:.1} kWh{}",
            meanwhile.unwrap_or_default()
        );
        let content = Content::new(area, words).with_payload(conflict.to_payload());
        let task = self.context.task_id(now);
        let message = Message {
            asynchronous: false,
            ..Message::new(to, Verb::TaskAssign, task, content)
        };
        let purpose = Purpose::Ruling(id.clone(), Box::new(offer), Box::new(sent));
        self.outbox.send(&mut self.context, purpose, message, now)
    }

    pub(super) fn ruled(
        &mut self,
        id: &TaskId,
        offer: &Reply,
        asked: Message,
        reply: Option<Reply>,
        now: Timestamp,
    ) -> Vec<Output> {
        let ruling = reply.and_then(|r| {
            let result = r.content.iter().find_map(IntentResult::in_content)?;
            Some((r.task, result))
        });
        let Some((task, ruling)) = ruling else {
            return self.yield_to_energy(id, &asked, offer, "nobody decided the conflict", now);
        };
        let why = ruling.reason.clone().unwrap_or_default();
        if ruling.prevails == Some(Intent::Energy) {
            return self.yield_to_energy(id, &asked, offer, &why, now);
        }
        let Some(draft) = self.drafts.get_mut(id) else {
            return Vec::new();
        };
        draft.energy = Energy::Asked;
        let bound = ruling.policy.duration_minutes;
        let wanted = draft.order.duration_minutes;
        draft.order.duration_minutes = wanted.into_iter().chain(bound).min();
        let area = area_of(&draft.order);
        let order = SavingOrder {
            ruling: Some(task.map_or_else(|| "unnamed".to_owned(), |t| t.to_string())),
            // To no other target than was offered: what the ruling says without that is the usual one.
            saving_target_percent: lowered_target(offer).and(ruling.policy.saving_target_percent),
            ..awake(&draft.order, &draft.plan, &area)
        };
        let words = format!(
            "Keep {} awake all the same: {why}",
            counted(order.cells.len(), "cell", "cells")
        );
        let content = Content::new(area, words).with_payload(order.to_payload());
        let round = asked.round + 1;
        let message = Message {
            content,
            round,
            alternatives: Vec::new(),
            ..asked
        };
        let purpose = Purpose::Energy(id.clone());
        self.outbox.send(&mut self.context, purpose, message, now)
    }

    /// The energy-saving agent has its way: what it offers is taken, or nobody is woken.
    fn yield_to_energy(
        &mut self,
        id: &TaskId,
        asked: &Message,
        offer: &Reply,
        why: &str,
        now: Timestamp,
    ) -> Vec<Output> {
        match self.best_of(id, offer, now) {
            Some(best) if offer.verdict == Verdict::Offered => {
                let mut outputs = self.accept_counter(id, asked, best, now);
                if let Some(draft) = self.drafts.get_mut(id) {
                    draft.reason = Some(why.to_owned());
                }
                outputs.push(Output::Note(format!(
                    "What energy saving offers is taken: {why}"
                )));
                outputs
            }
            _ => {
                let mut outputs = vec![Output::Note(format!("Nobody is woken: {why}"))];
                outputs.extend(self.without_waking(id, why, now));
                outputs
            }
        }
    }
}

/// Something offered instead, and what can be made of it.
struct Counter {
    /// The alternative, from 1.
    number: usize,
    plan: CompensationPlan,
    worth: f64,
    content: Content,
}

/// The target at which the energy-saving agent would do all that was asked, in percent.
fn lowered_target(offer: &Reply) -> Option<f64> {
    let orders = offer.content.iter().filter_map(SavingOrder::in_content);
    orders.filter_map(|o| o.saving_target_percent).next()
}

fn minutes(stated: Option<u64>) -> f64 {
    stated.unwrap_or(DURATION_MIN).max(1) as f64
}

/// The throughput that a plan is worth beyond doing nothing, in Mbit/s.
fn worth(plan: &CompensationPlan) -> f64 {
    (plan.with.worth_mbps - plan.without.worth_mbps).max(0.0)
}
