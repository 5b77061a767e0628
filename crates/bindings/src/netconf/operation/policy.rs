//! `add-rule`, `check-rule` and `withdraw-rule` (module convoke-policy): standing rules.
//!
//! The engine says what a rule may be, and what one would decide, which is asked beside the sessions; the binding only
//! translates. Read next: `domain::policy`, [`super::beside`].

use super::beside::{asked, beside};
use super::codec::Codec;
use super::validation::check;
use crate::netconf::answer::{Answer, Dispatch};
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::input::{self, Input, Optional, Text, Word};
use crate::netconf::output::{self, Output};
use crate::netconf::request_context::RequestContext;
use ::netconf::error::{ErrorPath, RpcError};
use ::netconf::xml::XmlElement;
use domain::policy::{Afterwards, DecisionKind, NumberBound, RuleConditions, RuleVerdict, TimeOut};
use engine::{AddRule, CheckRule, RuleCheck, RuleDecision, RuleRemark, WithdrawRule};
use std::sync::Arc;

/// The rule that an input wants: that of `add-rule` and that of `check-rule` say the same.
macro_rules! wanted {
    ($input:expr) => {{
        let input = $input;
        let mut bounds = Vec::new();
        for bound in input.bound() {
            bounds.push(NumberBound {
                key: bound.key()?.owned(),
                least: bound.least().given(),
                most: bound.most().given(),
            });
        }
        AddRule {
            name: input.name()?.owned(),
            kind: input.kind()?.read_as(DecisionKind::parse)?,
            conditions: RuleConditions {
                decider: input.decider().map(Text::owned),
                agent: input.agent().map(Text::owned),
                domain: input.domain().map(Text::owned),
                target: input.target().map(Text::owned),
                scenario: input.scenario().map(Text::owned),
                bounds,
            },
            verdict: input.verdict()?.read_as(RuleVerdict::parse)?,
            time_out: time_out(input.after(), input.then(), input.escalate_to())?,
            valid_until: input.valid_until().map(|it| it.timestamp()).transpose()?,
        }
    }};
}

impl Codec for AddRule {
    type Input = input::AddRule<'static>;

    fn decode(_: &RequestContext<'_>, input: input::AddRule<'_>) -> Result<Self, RpcError> {
        Ok(wanted!(input))
    }

    fn encode((): &(), (): ()) {}
}

/// `check-rule`: a rule that cannot be is refused at once; what it would decide is found out beside the session, in its
/// sender's turn.
pub(super) fn check_rule(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Dispatch, RpcError> {
    check(cx, operation)?;
    let path = ErrorPath::of(operation);
    let rule = CheckRule(wanted!(input::CheckRule::of(operation)));
    let trial = asked(cx, origin, &path, rule)?;
    let engine = Arc::clone(&cx.platform.engine);
    let work = move |over: &dyn Fn() -> bool| trial.carry_out(&engine, over);
    beside(cx, path, work, |checked, path| match checked {
        Some(checked) => Ok(Answer::of(encode(&checked, Output::begin()))),
        None => Err(error::abandoned(path)),
    })
}

fn encode<'a>(check: &'a RuleCheck, output: output::CheckRule<'a>) -> output::CheckRule<'a> {
    let decides = |node: output::Decides<'a>, decision: &'a RuleDecision| {
        node.id(decision.subject.to_string())
            .verdict(decision.verdict.as_str())
            .at(decision.at)
    };
    let remark = |node: output::Remark<'a>, (number, remark): (u64, &'a RuleRemark)| {
        node.number(number)
            .about(remark.lack.about())
            .value(&*remark.value)
            .remark(remark.lack.as_str())
    };
    output
        .decides_count(check.decides_count)
        .decides(&check.decides, decides)
        .remark((1..).zip(&check.remarks), remark)
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
fn time_out(
    after: Optional<'_, u32>,
    then: Optional<'_, Word<'_>>,
    escalate_to: Optional<'_, Text<'_>>,
) -> Result<Option<TimeOut>, RpcError> {
    if !after.is_given() && !then.is_given() && !escalate_to.is_given() {
        return Ok(None);
    }
    let then = match then.needed()?.as_str() {
        "escalate" => Afterwards::Escalate(escalate_to.needed()?.owned()),
        other => {
            if let Some(told) = escalate_to.given() {
                return Err(error::invalid(told.leaf(), "nothing escalates".to_owned()));
            }
            match other {
                "accept" => Afterwards::Accept,
                _ => Afterwards::Reject,
            }
        }
    };
    let after_ms = i64::from(after.needed()?) * 1_000;
    Ok(Some(TimeOut { after_ms, then }))
}
