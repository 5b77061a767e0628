//! The service-intent agent: what the operator wants, and what comes first (draft §2.2, Figure 2).
//!
//! It holds the priorities of three intents, fault, experience and energy, and the bounds within which
//! they hold; gives the energy-saving agent its standing task; and decides when two intents conflict.
//! Priorities are set by a task (`set`) that stays open while they are in force: cancelled, the usual
//! ones hold again, and after a restart it is still there. Read next: [`ruling`].

pub mod ruling;

use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor};
use crate::outbox::{Outbox, ReplyOutcome};
use crate::payloads::Schema;
use crate::payloads::intent::{
    Intent, IntentAction, IntentOrder, IntentPolicy, IntentResult, IntentStatus,
};
use crate::payloads::saving::{SavingAction, SavingOrder};
use domain::agent::{Ask, Briefing, Input, Message, Output, Progress};
use domain::content::Content;
use domain::inventory::Domain;
use domain::notification::Notification;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Task, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use ruling::rule;

/// The throughput that users keep at the least until somebody says otherwise, in Mbit/s.
const MIN_THROUGHPUT_MBPS: f64 = 2.0;
/// The load up to which cells save energy, in percent.
const MAX_LOAD_PERCENT: u64 = 50;
/// By how much consumption is to fall, in percent.
const SAVING_TARGET_PERCENT: f64 = 5.0;
/// For how long a conflict is decided, in minutes.
const RULING_MIN: u64 = 240;

/// Seconds after which energy saving that was not taken on, or has ended, is ordered again.
const AGAIN_S: f64 = 600.0;

/// The policy that holds until somebody sets another.
pub fn usual_policy() -> IntentPolicy {
    IntentPolicy {
        priorities: Intent::ALL.to_vec(),
        min_throughput_mbps: Some(MIN_THROUGHPUT_MBPS),
        max_load_percent: Some(MAX_LOAD_PERCENT),
        saving_target_percent: Some(SAVING_TARGET_PERCENT),
        duration_minutes: Some(RULING_MIN),
    }
}

/// The service-intent agent.
#[derive(Debug)]
pub struct ServiceIntent {
    context: AgentContext,
    outbox: Outbox<TaskId>,
    policy: IntentPolicy,
    /// The task that set the policy; none if it is the usual one.
    set_by: Option<TaskId>,
    /// The standing task of the energy-saving agent, and whose it is.
    saving: Option<(TaskId, String)>,
    /// The time at which it is ordered again, by the token of the waking.
    again: Option<Token>,
}

impl TaskExecutor for ServiceIntent {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let mut agent = Self {
            context: AgentContext::open(&briefing, now),
            outbox: Outbox::default(),
            policy: usual_policy(),
            set_by: None,
            saving: None,
            again: None,
        };
        let mut outputs = Vec::new();
        for task in &briefing.open {
            outputs.extend(agent.resume(task));
        }
        outputs.extend(agent.order_saving(now));
        (agent, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        let heard = match input {
            Input::Replied { token, reply } => {
                self.outbox.replied(&mut self.context, token, reply, now)
            }
            Input::Woken(token) if self.again == Some(token) => {
                self.again = None;
                return self.order_saving(now);
            }
            Input::Woken(token) => self.outbox.woken(&mut self.context, token, now),
            Input::Joined(profile) => {
                let knows = self.context.roster.iter().any(|p| p.name == profile.name);
                self.context.roster.retain(|p| p.name != profile.name);
                self.context.roster.push(profile);
                return match knows || self.saving.is_some() {
                    true => Vec::new(),
                    false => self.order_saving(now),
                };
            }
            Input::Notified(news) => {
                let ours = self.saving.as_ref().is_some_and(|(t, _)| *t == news.task);
                if ours && news.awaits == Some(Awaits::Decision) {
                    return self.take_less(&news, now);
                }
                if ours && news.status.is_terminal() {
                    self.saving = None;
                    let why = &news.content.task_description;
                    let note = Output::Note(format!("Energy saving has ended: {why}"));
                    return vec![note, self.order_again(now)];
                }
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        match heard {
            ReplyOutcome::Handled(outputs) => outputs,
            ReplyOutcome::Answered {
                purpose: task,
                reply,
                ..
            } => self.saving_answered(&task, reply.map(|r| r.verdict).ok(), now),
            ReplyOutcome::Unknown => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(understand(content))
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let order = match understand(&ask.content) {
            Ok(order) => order,
            Err(reply) => return (reply, Vec::new()),
        };
        match order.action {
            IntentAction::Arbitrate => self.arbitrate(&ask.from, &order),
            IntentAction::Set => {
                let mut outputs = self.hold(&ask.task, order.policy);
                outputs.extend(self.order_saving(now));
                (Reply::accepted(), outputs)
            }
            IntentAction::Show => {
                let result = self.in_force();
                (intent_reply(result, self.describe()), Vec::new())
            }
        }
    }

    fn stopped(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        if self.set_by.as_ref() != Some(task) {
            return Vec::new();
        }
        self.set_by = None;
        self.policy = usual_policy();
        let mut outputs = vec![Output::Note(format!(
            "The usual policy: {}",
            self.describe()
        ))];
        outputs.extend(self.order_saving(now));
        outputs
    }
}

fn understand(content: &Content) -> Result<IntentOrder, Reply> {
    let order = IntentOrder::needed_in(content)?;
    let twice = |i: &Intent| order.policy.priorities.iter().filter(|p| *p == i).count() > 1;
    if let Some(intent) = order.policy.priorities.iter().find(|i| twice(i)) {
        let words = format!("{} stands twice", intent.as_str());
        return Err(Reply::refused("twice", "priorities", words));
    }
    match order.action == IntentAction::Arbitrate && order.parties.len() < 2 {
        true => {
            let words = "a conflict has two parties or more";
            Err(Reply::refused("no-conflict", "parties", words))
        }
        false => Ok(order),
    }
}

impl ServiceIntent {
    fn resume(&mut self, task: &Task) -> Vec<Output> {
        match understand(&task.content) {
            Ok(order) if order.action == IntentAction::Set => self.hold(task, order.policy),
            Ok(order) => {
                let reply = match order.action {
                    IntentAction::Arbitrate => self.arbitrate(&task.from, &order).0,
                    _ => intent_reply(self.in_force(), self.describe()),
                };
                let news = Output::of_reply(&task.id, &task.content.target_object, reply);
                news.into_iter().collect()
            }
            Err(reply) => {
                let news = Output::of_reply(&task.id, &task.content.target_object, reply);
                news.into_iter().collect()
            }
        }
    }

    /// Holds a policy; what it does not say stays as it was. The task that set the one before ends.
    fn hold(&mut self, task: &Task, set: IntentPolicy) -> Vec<Output> {
        let mut outputs = Vec::new();
        if let Some(earlier) = self.set_by.replace(task.id.clone())
            && earlier != task.id
        {
            let result = IntentResult {
                status: IntentStatus::Replaced,
                ..self.in_force()
            };
            let words = format!("Task {} sets another policy", task.id);
            let content = intent_reply(result, words).content.into_iter().next();
            let progress = Progress::Result(content.unwrap_or_default());
            outputs.push(Output::report(&earlier, progress));
        }
        let known = std::mem::take(&mut self.policy);
        let mut priorities = set.priorities;
        let rest = known.priorities.iter().filter(|i| !priorities.contains(i));
        let rest: Vec<Intent> = rest.copied().collect();
        priorities.extend(rest);
        self.policy = IntentPolicy {
            priorities,
            min_throughput_mbps: set.min_throughput_mbps.or(known.min_throughput_mbps),
            max_load_percent: set.max_load_percent.or(known.max_load_percent),
            saving_target_percent: set.saving_target_percent.or(known.saving_target_percent),
            duration_minutes: set.duration_minutes.or(known.duration_minutes),
        };
        let words = self.describe();
        outputs.push(Output::Note(format!("Policy in force: {words}")));
        let content = Content::new("network", words).with_payload(self.in_force().to_payload());
        let percent = 0;
        outputs.push(Output::report(
            &task.id,
            Progress::Working { percent, content },
        ));
        outputs
    }

    fn in_force(&self) -> IntentResult {
        IntentResult {
            status: IntentStatus::InForce,
            policy: self.policy.clone(),
            ..IntentResult::default()
        }
    }

    fn describe(&self) -> String {
        let names: Vec<&str> = self.policy.priorities.iter().map(|i| i.as_str()).collect();
        names.join(" before ")
    }

    fn arbitrate(&self, from: &str, order: &IntentOrder) -> (Reply, Vec<Output>) {
        let result = rule(&self.policy, order);
        let words = result.reason.clone().unwrap_or_default();
        let note = Output::Note(format!("Conflict put by {from}: {words}"));
        (intent_reply(result, words), vec![note])
    }

    /// Gives the energy-saving agent the target and the bounds in force; its earlier task ends with it.
    fn order_saving(&mut self, now: Timestamp) -> Vec<Output> {
        let found =
            self.context
                .colleague(SavingOrder::ID, Layer::Resource, Some(Domain::Wireless));
        let Some(to) = found else {
            return vec![Output::Note("No agent saves energy".to_owned())];
        };
        let task = self.context.task_id(now);
        self.saving = Some((task.clone(), to.clone()));
        let order = SavingOrder {
            action: SavingAction::Activate,
            area: "network".to_owned(),
            saving_target_percent: self.policy.saving_target_percent,
            max_load_percent: self.policy.max_load_percent,
            min_throughput_mbps: self.policy.min_throughput_mbps,
            ..SavingOrder::default()
        };
        let words = "Save energy within these bounds until told otherwise";
        let content = Content::new("network", words).with_payload(order.to_payload());
        let message = Message::new(to, Verb::TaskAssign, task.clone(), content);
        self.outbox.send(&mut self.context, task, message, now)
    }

    /// So much cannot be saved: what is offered first is taken, which keeps what users were promised.
    fn take_less(&mut self, news: &Notification, now: Timestamp) -> Vec<Output> {
        let words = &news.content.task_description;
        let note = Output::Note(format!("Less can be saved than is the target: {words}"));
        let target = news.content.target_object.as_str();
        let content = Content::new(target, "Word on the decision").with_result("accept 1");
        let content = content.in_reply_to(Awaits::Decision);
        let verb = Verb::FulfillmentNegotiate;
        let task = news.task.clone();
        let message = Message::new(news.from.clone(), verb, task.clone(), content);
        let mut outputs = vec![note];
        outputs.extend(self.outbox.send(&mut self.context, task, message, now));
        outputs
    }

    fn saving_answered(
        &mut self,
        task: &TaskId,
        verdict: Option<Verdict>,
        now: Timestamp,
    ) -> Vec<Output> {
        let taken = [Verdict::Accepted, Verdict::Pending, Verdict::Result];
        let ours = self.saving.as_ref().is_some_and(|(t, _)| t == task);
        if !ours || verdict.is_some_and(|v| taken.contains(&v)) {
            return Vec::new();
        }
        self.saving = None;
        let note = Output::Note("Energy saving was not taken on".to_owned());
        vec![note, self.order_again(now)]
    }

    fn order_again(&mut self, now: Timestamp) -> Output {
        let token = self.context.token();
        self.again = Some(token);
        let at = now.plus_s(AGAIN_S);
        Output::Wake { token, at }
    }
}

fn intent_reply(result: IntentResult, words: String) -> Reply {
    let content = Content::new("network", "Service intent")
        .with_payload(result.to_payload())
        .with_result(words);
    Reply::new(Verdict::Result, vec![content])
}

#[cfg(test)]
mod tests;
