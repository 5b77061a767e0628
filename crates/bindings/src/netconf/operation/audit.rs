//! `get-audit` (module convoke-audit): the audit trail, page by page.
//!
//! Read next: `engine`'s `trail`.

use super::input::{all, number, text, time};
use super::{Answer, check, output};
use crate::netconf::AUDIT_NAMESPACE;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use domain::audit::AuditKind;
use engine::{AuditFilter, Audited, Execution, Operation, Outcome, Query, Records};

/// `limit`, if it is not given: the default of the module.
const RECORDS: usize = 100;

pub(super) fn get_audit(
    cx: &RequestContext<'_>,
    operation: Element<'_>,
) -> Result<Answer, RpcError> {
    check(cx, operation)?;
    let filter = AuditFilter {
        since: time(operation, "since")?,
        after: number(operation, "after"),
        kinds: all(operation, "kind")
            .filter_map(|kind| AuditKind::parse(kind.trimmed_text()))
            .collect(),
        user: text(operation, "user"),
        limit: number(operation, "limit").unwrap_or(RECORDS),
    };
    let wanted = Operation::Read(Query::Audit(filter));
    match cx.platform.engine.execute(cx.who, wanted, cx.now) {
        Execution::Done(Ok(Outcome::Records(Records::Audit(page)))) => {
            let next = page
                .next
                .map(|next| Node::value(AUDIT_NAMESPACE, "next", next));
            Ok(output(page.records.iter().map(record).chain(next)))
        }
        Execution::Done(Err(refusal)) => {
            Err(error::refused(&refusal, RpcOrigin::Audit("get-audit")))
        }
        _ => unreachable!("a query is answered at once, with records"),
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
