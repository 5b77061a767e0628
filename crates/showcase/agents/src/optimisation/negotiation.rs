//! The negotiation about a compensation before it begins (draft §2.2; §5.3, 1).
//!
//! Whoever asks gets its answer when the energy-saving agent has given its own: a plan that wakes
//! nobody has its helpers kept awake all the same. Read next: [`super::dispute`], where it would rather
//! do something else; [`super::running`].

use super::plan::{CompensationPlan, Waking};
use super::running::{DURATION_MIN, Draft, Energy, awake, promised_mbps};
use super::{Optimisation, Purpose, Timer, area_of};
use crate::payloads::Schema;
use crate::payloads::compensation::{
    Compensation, CompensationAction, CompensationResult, CompensationStatus, SavingMeanwhile,
};
use crate::payloads::saving::SavingOrder;
use crate::wording::counted;
use domain::agent::{Message, Output, Progress};
use domain::content::Content;
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::profile::Layer;
use domain::reply::{Reason, Reply, Verdict};
use domain::task::TaskId;
use domain::time::Timestamp;
use domain::verb::Verb;

/// The ways of compensating that this agent knows.
const METHOD: &str = "raise_power";

impl Optimisation {
    pub(super) fn understand(&self, content: &Content) -> Result<Compensation, Reply> {
        let order = Compensation::needed_in(content)?;
        let payload = content.payload.as_ref();
        if payload.is_some_and(|p| p.values.contains_key("min_rsrp_dbm")) {
            let words = "users are promised throughput here, not signal power";
            return Err(Reply::refused("unsupported-key", "min_rsrp_dbm", words));
        }
        self.known(&order)?;
        match order.method.as_deref() {
            None | Some(METHOD) => Ok(order),
            Some(_) if order.action == CompensationAction::Cancel => Ok(order),
            Some(other) => Err(other_way(&order, content, other)),
        }
    }

    fn known(&self, order: &Compensation) -> Result<(), Reply> {
        let inventory = self.radio.inventory();
        let is_site = |s: &ElementId| {
            let kind = inventory.element(s).map(|e| e.kind);
            kind == Some(ElementKind::Site)
        };
        let unknown = |key: &str, what: &ElementId| {
            let words = format!("{what} is not in the inventory");
            Err(Reply::refused("unknown-element", key, words))
        };
        if let Some(other) = order.sites.iter().find(|s| !is_site(s)) {
            return unknown("sites", other);
        }
        let is_cell = |c: &&ElementId| inventory.cells.contains_key(*c);
        if let Some(other) = order.lost_cells.iter().find(|c| !is_cell(c)) {
            return unknown("lost_cells", other);
        }
        match order.neighbour_cells.iter().find(|c| !is_cell(c)) {
            Some(other) => unknown("neighbour_cells", other),
            None => Ok(()),
        }
    }

    pub(super) fn energy_agent(&self) -> Option<String> {
        let wireless = Some(Domain::Wireless);
        self.context
            .colleague(SavingOrder::ID, Layer::Resource, wireless)
    }

    /// Plans, and asks the energy-saving agent; gives the answer if it is known at once.
    pub(super) fn draft(
        &mut self,
        id: &TaskId,
        order: Compensation,
        content: &Content,
        assigned: bool,
        now: Timestamp,
    ) -> (Option<Reply>, Vec<Output>) {
        let waking = match order.energy_saving {
            SavingMeanwhile::Keep => Waking::Nobody,
            SavingMeanwhile::Reduce | SavingMeanwhile::Suspend => Waking::Anybody,
        };
        let plan = self.plan(&order, waking, now);
        if let Some(refusal) = impossible(&order, &plan) {
            let words = &refusal.reasons[0].message;
            let note = format!("No compensation for {}: {words}", area_of(&order));
            return (Some(refusal), vec![Output::Note(note)]);
        }
        let energy_agent = self.energy_agent();
        let asks = energy_agent.filter(|_| order.energy_saving != SavingMeanwhile::Keep);
        let mut draft = Draft {
            content: content.clone(),
            energy: Energy::Without,
            energy_task: self.context.task_id(now),
            answered: false,
            assigned,
            asked_at: now,
            reason: None,
            order,
            plan,
        };
        let mut outputs = vec![self.wake(Timer::Stale(id.clone()), now.plus_s(super::DRAFT_S))];
        let Some(to) = asks else {
            let (reply, more) = self.conclude(id, draft, now);
            outputs.extend(more);
            return (reply, outputs);
        };
        draft.energy = Energy::Asked;
        let request = self.request(&draft);
        let message = Message::new(
            to,
            Verb::FeasibilityNegotiate,
            draft.energy_task.clone(),
            request,
        );
        self.drafts.insert(id.clone(), draft);
        let purpose = Purpose::Energy(id.clone());
        outputs.extend(self.outbox.send(&mut self.context, purpose, message, now));
        (None, outputs)
    }

    /// The request to the energy-saving agent for a draft.
    fn request(&self, draft: &Draft) -> Content {
        let area = area_of(&draft.order);
        let order = awake(&draft.order, &draft.plan, &area);
        let words = format!(
            "Keep {} awake for {} minutes, {} of which sleep now: they serve the users of {area}",
            counted(order.cells.len(), "cell", "cells"),
            order.duration_minutes.unwrap_or(DURATION_MIN),
            draft.plan.woken().count()
        );
        Content::new(area, words).with_payload(order.to_payload())
    }

    /// The plan that wakes nobody.
    pub(super) fn without_waking(&mut self, id: &TaskId, why: &str, now: Timestamp) -> Vec<Output> {
        let Some(mut draft) = self.drafts.remove(id) else {
            return Vec::new();
        };
        draft.plan = self.plan(&draft.order, Waking::Nobody, now);
        draft.energy = Energy::Without;
        draft.reason = Some(why.to_owned());
        self.conclude_later(id, draft, now)
    }

    /// The energy-saving agent has agreed to this; to nothing if the word on it was not taken.
    pub(super) fn energy_agreed(
        &mut self,
        id: &TaskId,
        agreed: Option<Content>,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(agreed) = agreed else {
            return self.without_waking(id, "the agreement was not taken", now);
        };
        let Some(mut draft) = self.drafts.remove(id) else {
            return Vec::new();
        };
        draft.energy = Energy::Agreed(Box::new(agreed));
        self.conclude_later(id, draft, now)
    }

    fn conclude_later(&mut self, id: &TaskId, draft: Draft, now: Timestamp) -> Vec<Output> {
        let assigned = draft.assigned;
        let (reply, mut outputs) = self.conclude(id, draft, now);
        let Some(reply) = reply else {
            return outputs;
        };
        outputs.push(match assigned {
            false => Self::speak(id, reply),
            true => {
                let words = reply.reasons.first().map(|r| r.message.clone());
                let words = words.unwrap_or_default();
                let result = CompensationResult {
                    status: CompensationStatus::Impossible,
                    reason: Some(words.clone()),
                    ..CompensationResult::default()
                };
                let content = Content::new("compensation", words).with_payload(result.to_payload());
                Output::report(id, Progress::Failed(content))
            }
        });
        outputs
    }

    /// All is known: begins if it is assigned, else answers.
    fn conclude(
        &mut self,
        id: &TaskId,
        mut draft: Draft,
        now: Timestamp,
    ) -> (Option<Reply>, Vec<Output>) {
        if let Some(refusal) = impossible(&draft.order, &draft.plan) {
            return (Some(refusal), Vec::new());
        }
        if draft.assigned {
            return (None, self.begin(id, draft, now));
        }
        let reply = answer(&draft);
        draft.answered = true;
        self.drafts.insert(id.clone(), draft);
        (Some(reply), Vec::new())
    }
}

/// The reason why nothing can be done, if nothing can.
fn impossible(order: &Compensation, plan: &CompensationPlan) -> Option<Reply> {
    if !plan.parts.is_empty() {
        return None;
    }
    let (reason, words) = match plan.has_neighbours {
        false => ("no-neighbour", "no cell around serves".to_owned()),
        true if plan.without.share > 0.95 && plan.without.edge_mbps >= promised_mbps(order) => (
            "not-needed",
            "the cells around serve all users as it is".to_owned(),
        ),
        true => (
            "no-gain",
            format!(
                "no cell around serves more than the {:.0} % of the users who are covered anyway",
                100.0 * plan.without.share
            ),
        ),
    };
    let mut reply = Reply::refused(reason, "sites", words.clone());
    let result = CompensationResult {
        status: CompensationStatus::Impossible,
        sites: order.sites.clone(),
        reason: Some(words.clone()),
        ..CompensationResult::default()
    };
    let content = Content::new(area_of(order), words).with_payload(result.to_payload());
    reply.content = vec![content];
    Some(reply)
}

/// The answer to whoever asked: what was asked for, or what can be had of it.
fn answer(draft: &Draft) -> Reply {
    let asked = Compensation::in_content(&draft.content).unwrap_or_default();
    let promised = asked.min_throughput_mbps;
    let edge = draft.plan.promised_mbps();
    let kept = promised.is_none_or(|p| edge >= p);
    let shorter = draft.order.duration_minutes != asked.duration_minutes;
    if kept && !shorter {
        return Reply::accepted();
    }
    let less = Compensation {
        min_throughput_mbps: promised.map(|p| p.min(edge)),
        ..draft.order.clone()
    };
    let words = format!(
        "Compensation as far as it can be had: {}",
        draft.plan.describe()
    );
    let mut offer =
        Content::new(draft.content.target_object.as_str(), words).with_payload(less.to_payload());
    offer
        .expected_response
        .clone_from(&draft.content.expected_response);
    let reason = Reason {
        reason: "less".to_owned(),
        path: match kept {
            true => "duration_minutes",
            false => "min_throughput_mbps",
        }
        .to_owned(),
        message: draft
            .reason
            .clone()
            .unwrap_or_else(|| format!("the slowest users would get {edge:.1} Mbit/s")),
    };
    Reply {
        reasons: vec![reason],
        ..Reply::new(Verdict::Offered, vec![offer])
    }
}

/// Another way is asked for than this agent knows: the one it knows is offered.
fn other_way(order: &Compensation, content: &Content, asked: &str) -> Reply {
    let offer = Compensation {
        method: Some(METHOD.to_owned()),
        ..order.clone()
    };
    let words = "Compensation by transmit power";
    let mut offer =
        Content::new(content.target_object.as_str(), words).with_payload(offer.to_payload());
    offer
        .expected_response
        .clone_from(&content.expected_response);
    let reason = Reason {
        reason: "unknown-method".to_owned(),
        path: "method".to_owned(),
        message: format!("{asked} cannot be done here; {METHOD} can"),
    };
    Reply {
        reasons: vec![reason],
        ..Reply::new(Verdict::Offered, vec![offer])
    }
}
