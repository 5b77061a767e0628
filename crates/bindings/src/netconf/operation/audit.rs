//! `get-audit` (module convoke-audit): the audit trail, page by page.
//!
//! Read next: `engine`'s `trail`.

use super::codec::Codec;
use crate::netconf::input::{self, Instant, Text};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use domain::audit::AuditKind;
use engine::query::AuditTrail;
use engine::{AuditFilter, AuditPage, Audited};

impl Codec for AuditTrail {
    type Input = input::GetAudit<'static>;

    fn decode(_: &RequestContext<'_>, input: input::GetAudit<'_>) -> Result<Self, RpcError> {
        let kinds = input.kind().map(|kind| kind.read_as(AuditKind::parse));
        Ok(Self(AuditFilter {
            since: input.since().map(Instant::timestamp).transpose()?,
            after: input.after().given(),
            kinds: kinds.collect::<Result<_, _>>()?,
            user: input.user().map(Text::owned),
            limit: input.limit().into(),
        }))
    }

    fn encode<'a>(page: &'a AuditPage, output: output::GetAudit<'a>) -> output::GetAudit<'a> {
        output.record(&page.records, record).next(page.next)
    }
}

fn record<'a>(node: output::Record<'a>, of: &'a Audited) -> output::Record<'a> {
    let (record, event) = (&*of.record, &of.record.event);
    let told = |text: &'a String| (!text.is_empty()).then_some(text);
    node.sequence(of.sequence)
        .time(of.time)
        .kind(event.kind.as_str())
        .user(told(&event.user))
        .source(told(&event.source))
        .subject(told(&event.subject))
        .reason(told(&event.reason))
        .count(record.count)
        .first(record.since)
}
