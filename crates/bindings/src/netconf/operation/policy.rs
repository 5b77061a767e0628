//! `add-rule` and `withdraw-rule` (module convoke-policy): standing rules.
//!
//! The engine says what a rule may be; the binding only translates. Read next: `domain::policy`.

use super::codec::Codec;
use crate::netconf::error;
use crate::netconf::input::{self, Text};
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use domain::policy::{Afterwards, DecisionKind, NumberBound, RuleConditions, RuleVerdict, TimeOut};
use engine::{AddRule, WithdrawRule};

impl Codec for AddRule {
    type Input = input::AddRule<'static>;

    fn decode(_: &RequestContext<'_>, input: input::AddRule<'_>) -> Result<Self, RpcError> {
        let bound = |bound: input::AddRuleBound<'_>| {
            Ok(NumberBound {
                key: bound.key()?.owned(),
                least: bound.least().given(),
                most: bound.most().given(),
            })
        };
        let bounds: Result<Vec<NumberBound>, RpcError> = input.bound().map(bound).collect();
        Ok(Self {
            name: input.name()?.owned(),
            kind: input.kind()?.read_as(DecisionKind::parse)?,
            conditions: RuleConditions {
                decider: input.decider().map(Text::owned),
                agent: input.agent().map(Text::owned),
                domain: input.domain().map(Text::owned),
                target: input.target().map(Text::owned),
                scenario: input.scenario().map(Text::owned),
                bounds: bounds?,
            },
            verdict: input.verdict()?.read_as(RuleVerdict::parse)?,
            time_out: time_out(input)?,
            valid_until: input.valid_until().map(|it| it.timestamp()).transpose()?,
        })
    }

    fn encode((): &(), (): ()) {}
}

impl Codec for WithdrawRule {
    type Input = input::WithdrawRule<'static>;

    fn decode(_: &RequestContext<'_>, input: input::WithdrawRule<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            author: input.author().map(Text::owned),
            name: input.name()?.owned(),
        })
    }

    fn encode((): &(), (): ()) {}
}

/// What comes after a while; its leaves are there together or not at all.
fn time_out(input: input::AddRule<'_>) -> Result<Option<TimeOut>, RpcError> {
    let told = input.escalate_to().given();
    let is_stated = input.after().given().is_some() || told.is_some();
    if input.then().given().is_none() && !is_stated {
        return Ok(None);
    }
    let then = match (input.then().needed()?.as_str(), told) {
        ("escalate", _) => Afterwards::Escalate(input.escalate_to().needed()?.owned()),
        (_, Some(told)) => {
            return Err(error::invalid(told.leaf(), "nothing escalates".to_owned()));
        }
        ("accept", None) => Afterwards::Accept,
        (_, None) => Afterwards::Reject,
    };
    let after_ms = i64::from(input.after().needed()?) * 1_000;
    Ok(Some(TimeOut { after_ms, then }))
}
