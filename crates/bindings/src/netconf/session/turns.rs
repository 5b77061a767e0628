//! The requests of one session in their turns.
//!
//! Replies leave in the order of requests (RFC 6241 §4.5). Negotiations are decided as they
//! arrive and wait for the disk side by side, so a client that pipelines shares one fsync among
//! many; a request that reads waits for the negotiations in front of it. Read next:
//! [`crate::netconf::operation`].

use super::{OUTPUT_BYTES, Session};
use crate::netconf::answer::{Answer, Dispatch, Pending};
use crate::netconf::error;
use crate::netconf::operation;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use ::netconf::session::{Envelope, Rpc};
use domain::time::Timestamp;
use std::collections::VecDeque;

/// How many requests of one session may wait for the disk at a time.
pub(super) const PENDING: usize = 1_024;

/// A request in its turn.
pub(super) struct Turn {
    pub(super) envelope: Envelope,
    /// How many bytes were received before it.
    pub(super) starts: u64,
    pub(super) state: State,
}

pub(super) enum State {
    Answered(Result<Answer, RpcError>),
    Pending(Pending),
    /// Not looked at before everything in front of it is answered.
    Unread(Box<Rpc>),
}

impl Session {
    pub(super) async fn front(turns: &mut VecDeque<Turn>) {
        match turns.front_mut() {
            Some(turn) => {
                if let State::Pending(pending) = &mut turn.state {
                    turn.state = State::Answered(pending.as_mut().await);
                }
            }
            None => std::future::pending().await,
        }
    }

    /// Whether the request taken up last waits to be looked at: what comes behind it waits as bytes, which
    /// are counted.
    pub(super) fn is_waiting(&self) -> bool {
        let last = self.turns.back();
        last.is_some_and(|turn| matches!(turn.state, State::Unread(_)))
    }

    /// Whether another request may be taken up: one of a session always.
    pub(super) fn has_room(&self) -> bool {
        self.turns.is_empty() || !self.requests.is_full()
    }

    /// Takes a request up at once, or in its turn.
    pub(super) fn request(&mut self, rpc: Rpc, now: Timestamp) {
        let (envelope, starts) = (rpc.envelope.clone(), rpc.place.start);
        match self.take_up(Box::new(rpc), now, self.turns.len()) {
            State::Answered(answer) if self.turns.is_empty() => self.send(&envelope, answer, now),
            state => self.turns.push_back(Turn {
                envelope,
                starts,
                state,
            }),
        }
    }

    /// Handles a request that has `place` others in front of it, if its turn to be looked at has
    /// come: RFC 6241 §4.5 wants requests to take effect in order. Negotiations are decided in
    /// order and may wait for the disk side by side; what reads waits for all in front of it.
    fn take_up(&self, rpc: Box<Rpc>, now: Timestamp, place: usize) -> State {
        let unread = |turn: &Turn| matches!(turn.state, State::Unread(_));
        let blocked = match place {
            0 => false,
            place => operation::waits(rpc.operation()) || unread(&self.turns[place - 1]),
        };
        if blocked {
            return State::Unread(rpc);
        }
        let request = self.input.map(|input| input.request(&rpc.place));
        let in_doubt = request.is_some_and(|request| request.in_doubt);
        if in_doubt && !operation::is_repeatable(rpc.operation()) {
            return State::Answered(Err(error::leader_changed()));
        }
        let cx = RequestContext {
            request,
            ..self.cx(now)
        };
        match operation::handle(&cx, rpc.operation()) {
            Dispatch::Now(Ok(Answer::Subscribed(mut subscription))) if self.input.is_some() => {
                subscription.keep_request(rpc.document.source());
                State::Answered(Ok(Answer::Subscribed(subscription)))
            }
            Dispatch::Now(answer) => State::Answered(answer),
            Dispatch::Later(pending) => State::Pending(pending),
        }
    }

    /// Answers the requests whose turn it is; true if there was one.
    pub(super) fn take_turns(&mut self, now: Timestamp) -> bool {
        let mut moved = false;
        while !self.machine.closing() && self.machine.pending_output() < OUTPUT_BYTES {
            self.look_ahead(now);
            let Some(Turn {
                envelope,
                starts,
                state,
            }) = self.turns.pop_front()
            else {
                break;
            };
            let state = match state {
                State::Pending(mut pending) => match poll_once(&mut pending) {
                    Some(answer) => State::Answered(answer),
                    None => State::Pending(pending),
                },
                state => state,
            };
            match state {
                State::Answered(answer) => self.send(&envelope, answer, now),
                state => {
                    self.turns.push_front(Turn {
                        envelope,
                        starts,
                        state,
                    });
                    break;
                }
            }
            moved = true;
        }
        if self.machine.closing() {
            // RFC 6241 §7.8: requests behind a close-session are not processed.
            self.turns.clear();
        }
        moved
    }

    /// Takes up the requests that were left unread and need not wait any longer.
    fn look_ahead(&mut self, now: Timestamp) {
        let unread = |turn: &Turn| matches!(turn.state, State::Unread(_));
        // What comes behind an unread request is unread too.
        if !self.turns.back().is_some_and(unread) {
            return;
        }
        let first = self.turns.iter().position(unread).unwrap_or(0);
        for place in first..self.turns.len() {
            // The first one makes way for those behind it, or it stops them all.
            let waiting = State::Answered(Ok(Answer::Ok));
            match std::mem::replace(&mut self.turns[place].state, waiting) {
                State::Unread(rpc) => {
                    let state = self.take_up(rpc, now, place);
                    let stops = matches!(state, State::Unread(_));
                    self.turns[place].state = state;
                    if stops {
                        return;
                    }
                }
                state => self.turns[place].state = state,
            }
            if place == 0 {
                // What it answers may end the session; see first.
                return;
            }
        }
    }

    fn send(&mut self, envelope: &Envelope, answer: Result<Answer, RpcError>, now: Timestamp) {
        match answer {
            Ok(Answer::Ok) => self.machine.reply_ok(envelope),
            Ok(Answer::Body(body)) => self.machine.reply_raw(envelope, &body),
            Ok(Answer::Data(data)) => self.machine.reply_data_raw(envelope, &data),
            Ok(Answer::Subscribed(mut subscription)) => {
                subscription.enter(&self.platform, &self.info.username, now);
                self.machine.reply_ok(envelope);
                self.subscription = Some(subscription);
            }
            Ok(Answer::Closing(reason)) => {
                self.machine.reply_ok(envelope);
                self.machine.close(reason);
            }
            Err(error) => self.machine.reply_errors(envelope, &[error]),
        }
    }

    pub(super) fn cx(&self, now: Timestamp) -> RequestContext<'_> {
        RequestContext {
            platform: &self.platform,
            session_schema: &self.session_schema,
            endpoint: &self.endpoint,
            who: &self.who,
            info: &self.info,
            subscribed: self.subscription.is_some(),
            now,
            request: None,
        }
    }
}

/// Polls a future once; what it waits for wakes nobody, so it must be awaited later.
fn poll_once(pending: &mut Pending) -> Option<Result<Answer, RpcError>> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match pending.as_mut().poll(&mut context) {
        std::task::Poll::Ready(outcome) => Some(outcome),
        std::task::Poll::Pending => None,
    }
}
