//! `get-audit` (module convoke-audit): the audit trail, page by page.
//!
//! Read next: `engine`'s `trail`.

use super::input::{Instant, Text};
use super::{Answer, Codec, input, output};
use crate::netconf::AUDIT_NAMESPACE;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
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

    fn encode(page: AuditPage) -> Answer {
        let next = page.next;
        let next = next.map(|next| Node::value(AUDIT_NAMESPACE, "next", next));
        output(page.records.iter().map(record).chain(next))
    }
}

fn record(of: &Audited) -> Node<'_> {
    let (record, event) = (&*of.record, &of.record.event);
    let told = |text: &'_ String| (!text.is_empty()).then(|| text.clone());
    Node::entry(AUDIT_NAMESPACE, "record", 1)
        .leaf("sequence", of.sequence)
        .leaf("time", of.time.to_string())
        .leaf("kind", event.kind.as_str())
        .leaf_opt("user", told(&event.user))
        .leaf_opt("source", told(&event.source))
        .leaf_opt("subject", told(&event.subject))
        .leaf_opt("reason", told(&event.reason))
        .leaf("count", record.count)
        .leaf("first", record.since.to_string())
}
