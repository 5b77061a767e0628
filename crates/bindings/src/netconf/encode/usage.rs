//! `/usage`: what each user holds, how often more was refused, how busy agents are, how far who follows the
//! streams is behind, who is signed in to the console, how the store keeps up, and how far it was verified (module convoke-usage).
//!
//! Each of its nodes is marked `nacm:default-deny-all` by its module: only a rule opens it. Each list is made only if it is asked for, and has
//! the bound of what it lists. Read next: `engine::accounts`, [`crate::netconf::subscribers`].

use super::reader::Reader;
use crate::netconf::USAGE_NAMESPACE;
use crate::netconf::output::{self, Parent as _};
use crate::netconf::subscribers::Subscriber;
use ::netconf::data::write;
use ::netconf::filter::{Projection, View};
use engine::query::ConsoleSessionsOf;
use engine::{
    AgentStatistics, ConsoleSession, Endpoint, Refusal, StoreStatistics, Verification,
    VerificationState,
};
use std::collections::BTreeMap;

/// The name of the one stream, at whatever endpoint (RFC 5277 §3.2.3).
const STREAM: &str = "NETCONF";

impl Reader<'_> {
    /// Writes `/usage`.
    pub(super) fn write_usage(
        &self,
        view: &View<'_>,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let engine = &self.platform.engine;
        let wants = |name| view.wants(USAGE_NAMESPACE, name);
        let agents = wants("agent").then(|| engine.agent_statistics(self.now));
        let subscribers = wants("subscription").then(|| self.platform.subscribers.all());
        // Of others only administrators are told.
        let signed_in = match wants("console-session") {
            true => self.read(ConsoleSessionsOf)?,
            false => Vec::new(),
        };
        let store = wants("store").then(|| (engine.store_statistics(), engine.store_size()));
        let verification = wants("verification").then(|| engine.verification());
        let node = output::Usage::default().memory_short(engine.accounts().is_short());
        let node = match wants("user") {
            true => self.users(node),
            false => node,
        };
        let node = node
            .agent(agents.iter().flatten(), works)
            .subscription(subscribers.iter().flatten(), |node, of| follows(node, of))
            .console_session(&signed_in, signed)
            .store(store.as_ref(), kept)
            .verification(verification.as_ref(), verified);
        write(&node.written(), projection, out);
        Ok(())
    }

    fn users<'a>(&self, node: output::Usage<'a>) -> output::Usage<'a> {
        let mut sessions: BTreeMap<String, u32> = BTreeMap::new();
        for session in self.platform.sessions(self.endpoint) {
            *sessions.entry(session.username.clone()).or_default() += 1;
        }
        node.user(self.platform.engine.usage(), |node, usage| {
            let held = sessions.get(&usage.name).copied().unwrap_or(0);
            node.name(usage.name)
                .sessions(held)
                .connections(usage.connections)
                .held_bytes(usage.held_bytes)
                .requests(usage.requests)
                .tasks_open(usage.tasks_open)
                .data_bytes(usage.data_bytes)
                .refused(usage.refused)
        })
    }
}

fn works<'a>(node: output::UsageAgent<'a>, of: &'a AgentStatistics) -> output::UsageAgent<'a> {
    node.name(&*of.name)
        .waiting(of.waiting)
        .waiting_time(of.waiting_ms)
        .step_since(of.step_since)
        .steps(of.steps)
        .step_time(of.step_time.as_micros() as u64)
        .failed(of.failed)
}

fn follows<'a>(node: output::Subscription<'a>, of: &'a Subscriber) -> output::Subscription<'a> {
    let (agent, system) = match &of.endpoint {
        Endpoint::Platform => (None, None),
        Endpoint::Agent(agent) => (Some(agent.as_str()), None),
        Endpoint::Ems(system) => (None, Some(system.as_str())),
    };
    node.id(of.id)
        .session_id(of.session)
        .user(&of.user)
        .stream(STREAM)
        .agent(agent)
        .management_system(system)
        .since(of.since)
        .sent(of.sent())
        .lag_events(of.lag())
}

fn signed<'a>(
    node: output::ConsoleSession<'a>,
    of: &'a ConsoleSession,
) -> output::ConsoleSession<'a> {
    node.id(&of.id)
        .user(&of.user)
        .since(of.since)
        .until(of.until)
        .by(of.by.as_str())
}

fn kept<'a>(
    node: output::Store<'a>,
    (of, size): &(StoreStatistics, Option<u64>),
) -> output::Store<'a> {
    node.queued(of.queued)
        .changes(of.batches)
        .failed(of.failed)
        .commits(of.transactions)
        .write_time(of.writing.as_micros() as u64)
        .commit_time(of.committing.as_micros() as u64)
        .backend(of.backend.as_str())
        .condition(of.condition.as_str())
        .size(*size)
        .entries(of.last)
        .commit_bucket(of.commit_buckets.iter(), |node, bucket| {
            node.up_to(bucket.up_to_us).commits(bucket.commits)
        })
}

fn verified<'a>(node: output::Verification<'a>, of: &Verification) -> output::Verification<'a> {
    let counted = of.state != VerificationState::Off;
    node.state(of.state.as_str())
        .began(of.began)
        .ended(of.ended)
        .rows(counted.then_some(of.rows))
        .entries(counted.then_some(of.entries))
}
