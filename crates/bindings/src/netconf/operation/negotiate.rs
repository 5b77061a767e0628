//! `task-negotiate`: read, checked by the schema, asked of the engine, and its reply written.

use super::codec::Codec;
use super::typed;
use super::validation::check;
use crate::netconf::encode::negotiation::refusal;
use crate::netconf::encode::schema::patch;
use crate::netconf::error;
use crate::netconf::input::{self, Inner, Instant, TaskNegotiate, Text};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::content::{ContentError, Payload};
use domain::excerpt::excerpt;
use domain::reply::Reply;
use domain::task::{Subscription, TaskId};
use domain::verb::Verb;
use engine::{Negotiate, Negotiated, Notice};

const MS_PER_S: i64 = 1_000;

impl Codec for Negotiate {
    type Input = TaskNegotiate<'static>;

    fn check(cx: &RequestContext<'_>, input: XmlElement<'_>) -> Result<(), RpcError> {
        check(cx, input).map_err(|first| typed::all_violations(cx, input).unwrap_or(first))
    }

    fn decode(cx: &RequestContext<'_>, input: TaskNegotiate<'_>) -> Result<Self, RpcError> {
        let verb = verb(input)?;
        let subscription = input.task_subscription().map(subscription).transpose()?;
        let answer_within_s = input.answer_within().map(i64::from);
        Ok(Self {
            from: input.task_send_from().map(Text::owned),
            to: input.task_send_to().map(Text::owned),
            task: input.task_id().map(task),
            texts: input.content().map(Text::owned).collect(),
            asynchronous: input.task_async().given(),
            subscription: subscription.flatten(),
            expected_response: input.expected_response().map(Text::owned),
            terms: input.term_explains().map(term).collect::<Result<_, _>>()?,
            data: input.msg_data().map(Text::owned),
            context: input.context().map(Text::owned),
            conversation: input.conversation().map(Text::owned),
            round: input.round().given(),
            alternative: input.alternative().given(),
            parent: input.parent_task().map(task),
            deadline: input.deadline().map(Instant::timestamp).transpose()?,
            answer_within_ms: answer_within_s.map(|s| s * MS_PER_S),
            fulfillment: input.fulfillment_required().given(),
            round_limit: input.round_limit().map(u32::from),
            payload: payload(cx, input.element())?,
            request: cx.request,
            ..Self::new(cx.endpoint.clone(), verb)
        })
    }

    /// `<data>` with one `<reply>` of convoke-negotiation.
    fn encode<'a>(
        negotiated: &'a Negotiated,
        output: output::TaskNegotiate<'a>,
    ) -> output::TaskNegotiate<'a> {
        output.data(reply(&negotiated.reply, &negotiated.notice))
    }
}

fn task(named: Text<'_>) -> TaskId {
    TaskId::new(named.as_str())
}

fn term(of: input::TaskNegotiateTermExplains<'_>) -> Result<(String, String), RpcError> {
    let explanation = of.explaination().map(Text::owned);
    Ok((of.term()?.owned(), explanation.unwrap_or_default()))
}

/// The payload that stands there as typed XML; one is enough.
fn payload(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
) -> Result<Option<Payload>, RpcError> {
    let mut payload = None;
    for element in operation.children().filter(typed::is_payload) {
        let found = typed::payload(element, &cx.platform.engine.templates())?;
        if payload.replace(found).is_some() {
            return Err(error::of_sections(&ContentError::SecondPayload, element));
        }
    }
    Ok(payload)
}

/// `task-subscription`; each protocol has one method, so that it need not be said. Whether reports
/// can go there, the engine knows.
fn subscription(
    of: input::TaskNegotiateTaskSubscription<'_>,
) -> Result<Option<Subscription>, RpcError> {
    if !of.element().has_children() {
        return Ok(None);
    }
    let protocol = of.subscript_protocol().needed()?.owned();
    let only = match protocol.as_str() {
        "netconf" => "create-subscription",
        _ => "POST",
    };
    let method = of.subscript_method().map(Text::owned);
    Ok(Some(Subscription {
        method: method.unwrap_or_else(|| only.to_owned()),
        url: of.subscript_url().map(Text::owned).unwrap_or_default(),
        protocol,
    }))
}

/// `commuType` decides, and `type` must agree with it (a contradiction is never guessed at).
fn verb(input: TaskNegotiate<'_>) -> Result<Verb, RpcError> {
    let said = input.commu_type().needed()?;
    let word = said.as_str().trim_ascii();
    let verb = Verb::parse(word).ok_or_else(|| {
        let known: Vec<&str> = Verb::ALL.iter().map(|v| v.as_str()).collect();
        error::invalid(
            said.leaf(),
            format!(
                "'{}' is no commuType; known are {}",
                excerpt(word),
                known.join(", ")
            ),
        )
    })?;
    if let Some(kind) = input.r#type().given() {
        let name = kind.as_str();
        let agrees = match name {
            "FEASIBILITY" => verb == Verb::FeasibilityNegotiate,
            _ => verb == Verb::FulfillmentNegotiate,
        };
        if !agrees {
            return Err(error::invalid(
                kind.leaf(),
                format!("type {name} contradicts commuType {verb}"),
            ));
        }
    }
    Ok(verb)
}

/// The reply, with what convoke-schema tells besides.
fn reply<'a>(reply: &'a Reply, notice: &'a Notice) -> output::Reply<'a> {
    output::Reply::default()
        .task_id(reply.task.as_ref().map(TaskId::as_str))
        .task_status(reply.status.map(|s| s.as_str()))
        .verdict(reply.verdict.as_str())
        .round(reply.round)
        .alternative(reply.alternative)
        .content(reply.content.iter().map(|c| c.render()))
        .refusal(&reply.reasons, refusal)
        .payload_warning(&notice.warnings)
        .schema_update_suggestion(&notice.patches, patch)
}
