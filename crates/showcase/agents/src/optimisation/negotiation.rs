//! The negotiation about a compensation before it begins (draft §2.2; §5.3, 1).
//!
//! Whoever asks gets its answer when the energy-saving agent has given its own: a plan that wakes
//! nobody has its helpers kept awake all the same. A counter-offer within the saving target is taken
//! if what it allows is nearly as good, or if batteries speak for it, or if the order leaves the target
//! as it is; else the service-intent agent says who yields, told what each side would lose and how low
//! the target would have to be. If experience prevails, everything is asked for again, at that target and
//! with the ruling; if energy does, or nobody can be asked, the counter-offer stands. Read next:
//! [`super::running`].

use super::plan::{CompensationPlan, Waking};
use super::running::{DURATION_MIN, Draft, Energy, awake, promised_mbps};
use super::{Optimisation, Purpose, Timer, area_of};
use crate::answers::{agreement, why_not};
use crate::energy_saving::meter::waking_kw;
use crate::payloads::compensation::{
    Compensation, CompensationAction, CompensationResult, CompensationStatus, SavingMeanwhile,
};
use crate::payloads::intent::{Intent, IntentOrder, IntentPolicy, IntentResult, Party};
use crate::payloads::saving::SavingOrder;
use crate::payloads::{Schema, UnreadablePayload};
use domain::agent::{Message, Output, Progress};
use domain::content::Content;
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::profile::Layer;
use domain::reply::{Reason, Reply, Verdict};
use domain::task::TaskId;
use domain::time::Timestamp;
use domain::verb::Verb;

/// A counter-offer as good as this share of the plan is taken.
const NEARLY: f64 = 0.9;
/// The ways of compensating that this agent knows.
const METHOD: &str = "raise_power";
/// The reason why the energy-saving agent does not wake cells whatever anybody rules.
const ON_BATTERY: &str = "on-battery";

impl Optimisation {
    pub(super) fn understand(&self, content: &Content) -> Result<Compensation, Reply> {
        let target = content.target_object.as_str();
        let Some(payload) = &content.payload else {
            let words = format!("Needed: a payload of {}", Compensation::ID);
            let content = Content::new(target, words);
            return Err(Reply::new(Verdict::InputRequired, vec![content]));
        };
        let unreadable = |e: UnreadablePayload| e.reply(target);
        let order = Compensation::from_payload(payload).map_err(unreadable)?;
        if payload.values.contains_key("min_rsrp_dbm") {
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
            "Keep {} cells awake for {} minutes, {} of them sleep: they serve the users of {area}",
            order.cells.len(),
            order.duration_minutes.unwrap_or(DURATION_MIN),
            draft.plan.woken().count()
        );
        Content::new(area, words).with_payload(order.to_payload())
    }

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
                    wants: format!("{} cells awake", woken.woken().count()),
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
        let words = format!("Keep {} cells awake all the same: {why}", order.cells.len());
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

    /// The plan that wakes nobody.
    fn without_waking(&mut self, id: &TaskId, why: &str, now: Timestamp) -> Vec<Output> {
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
    let edge = (draft.plan.with.edge_mbps * 10.0).floor() / 10.0;
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
