//! What another protocol asks of the same data, rpcs and streams, without a session of NETCONF.
//!
//! Rights, checks and encoding are those of sessions: a request goes the way of [`super::operation`] from
//! its element on. Messages, framing and the order of replies are not known here. Read next:
//! [`crate::restconf`], which asks.

use super::answer::{Answer, Dispatch};
use super::operation::{self, Retrieval};
use super::platform::{Platform, SessionInfo};
use super::request_context::RequestContext;
use super::session_schema::SessionSchema;
use super::subscription::{Due, Subscription, SubscriptionError};
use ::netconf::error::RpcError;
use ::netconf::filter::Selection;
use ::netconf::names::namespace::BASE;
use ::netconf::xml::{Limits, XmlDocument, XmlElement};
use domain::access::{AccessRules, Principal};
use domain::event::Sequence;
use domain::time::Timestamp;
use engine::Endpoint;
use std::sync::Arc;
use tokio::sync::watch;
use yang::Generation;

/// One request of one principal, at an endpoint, by the generation in force when it began.
pub(crate) struct Sessionless<'p> {
    platform: &'p Arc<Platform>,
    endpoint: &'p Endpoint,
    session_schema: Arc<SessionSchema>,
    who: &'p Principal,
    /// In no list of sessions: its number, 0, is of none (RFC 6241 Appendix A, `lock-denied`).
    info: SessionInfo,
    now: Timestamp,
}

impl<'p> Sessionless<'p> {
    pub(crate) fn begin(
        platform: &'p Arc<Platform>,
        endpoint: &'p Endpoint,
        who: &'p Principal,
        now: Timestamp,
    ) -> Self {
        Self {
            endpoint,
            session_schema: platform.session_schema(),
            info: SessionInfo::of_none(&who.name, now),
            platform,
            who,
            now,
        }
    }

    /// The schema that the request is read by.
    pub(crate) fn generation(&self) -> &Generation {
        &self.session_schema.generation
    }

    /// What a selection has of the data that the principal may read, as sibling elements.
    ///
    /// # Errors
    /// `access-denied` where a `get` would be; `too-big`; failures of the store.
    pub(crate) fn retrieve(
        &self,
        selection: &Selection,
        retrieval: &Retrieval,
    ) -> Result<Vec<u8>, RpcError> {
        let get = XmlDocument::parse(format!("<get xmlns=\"{BASE}\"/>"), &Limits::default());
        let get = get.expect("it is an element");
        operation::retrieve(&self.cx(), get.root(), selection, retrieval)
    }

    /// The output of an rpc, as sibling elements; empty if it has none. The element is that of the
    /// operation, within an `<rpc>`.
    ///
    /// # Errors
    /// As over NETCONF.
    pub(crate) async fn call(&self, operation: XmlElement<'_>) -> Result<Vec<u8>, RpcError> {
        let answer = match operation::handle(&self.cx(), operation) {
            Dispatch::Now(answer) => answer,
            Dispatch::Later(pending) => pending.await,
        };
        Ok(match answer? {
            Answer::Body(output) | Answer::Data(output) => output,
            // The last two are of rpcs that are for sessions alone.
            Answer::Ok | Answer::Subscribed(_) | Answer::Closing(_) => Vec::new(),
        })
    }

    /// The rpcs that the principal may carry out, as namespace, module and name.
    pub(crate) fn operations(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        let cx = self.cx();
        let permitted = operation::permitted(&cx);
        permitted
            .map(|(module, rpc)| (module.namespace, module.name, rpc))
            .collect()
    }

    /// The events that a `create-subscription` asks for.
    ///
    /// # Errors
    /// As over NETCONF.
    pub(crate) fn subscribe(&self, operation: XmlElement<'_>) -> Result<Events, RpcError> {
        let mut subscription = operation::subscribe(&self.cx(), operation)?;
        subscription.enter(self.platform, &self.who.name, self.now);
        Ok(Events {
            platform: Arc::clone(self.platform),
            rules: self.platform.engine.access(),
            who: self.who.clone(),
            feed: subscription.watch(),
            subscription,
        })
    }

    fn cx(&self) -> RequestContext<'_> {
        RequestContext {
            platform: self.platform,
            session_schema: &self.session_schema,
            endpoint: self.endpoint,
            who: self.who,
            info: &self.info,
            subscribed: false,
            now: self.now,
            request: None,
        }
    }
}

/// A subscription that its owner steps.
pub(crate) struct Events {
    platform: Arc<Platform>,
    subscription: Box<Subscription>,
    who: Principal,
    /// The rules by which `who` has its groups.
    rules: Arc<AccessRules>,
    feed: watch::Receiver<Sequence>,
}

impl Events {
    /// Goes on behind an event that was told before.
    pub(crate) fn resume_after(&mut self, sequence: Sequence) {
        self.subscription.resume_after(sequence);
    }

    /// The generation by which events are read in force now.
    pub(crate) fn generation(&self) -> Arc<Generation> {
        self.platform.generation()
    }

    /// What is to be sent now, at most about `bytes` of it, to who the subscriber is by the rules in
    /// force.
    ///
    /// # Errors
    /// [`SubscriptionError`], and the subscription cannot go on.
    pub(crate) fn due(&mut self, now: Timestamp, bytes: usize) -> Result<Due, SubscriptionError> {
        self.feed.mark_unchanged();
        let engine = &self.platform.engine;
        let rules = engine.access();
        if !Arc::ptr_eq(&rules, &self.rules) {
            let source = std::mem::take(&mut self.who.source);
            self.who = engine.principal(&self.who.name).coming_from(source);
            self.rules = rules;
        }
        self.subscription.due(&self.platform, &self.who, now, bytes)
    }

    /// After how many milliseconds it is to be asked again whatever happens, if it is: it rests, or
    /// ends by itself.
    pub(crate) fn again_ms(&self, now: Timestamp) -> Option<u64> {
        let ends = self.subscription.stop().map(|stop| {
            let left = stop.as_ms().saturating_sub(now.as_ms());
            u64::try_from(left).unwrap_or(0) + 1
        });
        ends.into_iter().chain(self.subscription.rest_ms()).min()
    }

    /// Resolves when there is something to be asked for: an event, or a search that has ended. May be
    /// dropped while it waits.
    pub(crate) async fn changed(&mut self) {
        tokio::select! {
            _ = self.feed.changed(), if self.subscription.is_woken_by_events() => {}
            () = self.subscription.searched() => {}
        }
    }
}
