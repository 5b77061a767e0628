//! `get-audit` (module convoke-audit): the audit trail, page by page.
//!
//! Read next: `engine`'s `trail`.

use super::input::{all, number, text, time};
use super::{Answer, Codec, output};
use crate::netconf::AUDIT_NAMESPACE;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::audit::AuditKind;
use engine::query::AuditTrail;
use engine::{AuditFilter, AuditPage, Audited};

/// `limit`, if it is not given: the default of the module.
const RECORDS: usize = 100;

impl Codec for AuditTrail {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self(AuditFilter {
            since: time(input, "since")?,
            after: number(input, "after"),
            kinds: all(input, "kind")
                .filter_map(|kind| AuditKind::parse(kind.trimmed_text()))
                .collect(),
            user: text(input, "user"),
            limit: number(input, "limit").unwrap_or(RECORDS),
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
