//! What a management system serves and tells: alarms (RFC 8632), networks (RFC 8345), performance and
//! notifications (module convoke-ems).
//!
//! Knows how domain values look on the wire; who sees them is the engine's question. Read next:
//! [`alarms`], [`topology`].

mod alarms;
mod topology;

use super::Reader;
use crate::netconf::{ALARMS_NAMESPACE, EMS_NAMESPACE, NETWORK_NAMESPACE};
use ::netconf::data::{IdentityRef, Node, Writer};
use ::netconf::filter::Projection;
use domain::ems::{Ems, News};
use domain::telemetry::{AlarmType, CellPerformance, FieldReport, LinkPerformance, Performance};
use engine::Refusal;
use engine::query::PerformanceOf;

/// A number as decimal64 writes it (RFC 7950 §9.3.2): rounded, without zeros that say nothing. None
/// if it is no number.
pub(in crate::netconf) fn decimal(value: f64, digits: usize) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let text = format!("{value:.digits$}");
    let text = text.trim_end_matches('0');
    let text = if text.ends_with('.') {
        format!("{text}0")
    } else {
        text.to_owned()
    };
    Some(if text == "-0.0" {
        "0.0".to_owned()
    } else {
        text
    })
}

/// The type of an alarm, an identity of convoke-ems.
fn alarm_type(of: AlarmType) -> IdentityRef<'static> {
    IdentityRef {
        prefix: "cvems",
        namespace: EMS_NAMESPACE,
        name: of.as_str(),
    }
}

impl Reader<'_> {
    /// Writes what a management system knows.
    pub(super) fn write_managed(
        &self,
        ems: Ems,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let view = projection.view();
        if let Some(view) = view.child(ALARMS_NAMESPACE, "alarms") {
            self.write_alarms(ems, &view, projection, out)?;
        }
        if view.wants(NETWORK_NAMESPACE, "networks") {
            self.write_networks(ems, projection, out)?;
        }
        if view.wants(EMS_NAMESPACE, "performance")
            && let Some(found) = self.read(PerformanceOf(ems))?
        {
            write_performance(&found, projection, out);
        }
        Ok(())
    }
}

fn write_performance(of: &Performance, projection: &Projection<'_>, out: &mut Vec<u8>) {
    let performance = Node::container(EMS_NAMESPACE, "performance")
        .state()
        .leaf("from", of.from.to_string())
        .leaf("until", of.until.to_string());
    let mut writer = Writer::new(projection, out);
    if writer.open(&performance) {
        for (id, figures) in &of.cells {
            writer.node(&cell(
                Node::entry("", "cell", 1).leaf("id", id.as_str()),
                figures,
            ));
        }
        for (id, figures) in &of.links {
            writer.node(&link(
                Node::entry("", "link", 1).leaf("id", id.as_str()),
                figures,
            ));
        }
        writer.close();
    }
}

fn cell<'a>(node: Node<'a>, of: &CellPerformance) -> Node<'a> {
    node.leaf_opt("load", decimal(of.load, 4))
        .leaf_opt("users", decimal(of.users, 2))
        .leaf_opt("traffic", decimal(of.traffic_mbps, 3))
        .leaf_opt("throughput", decimal(of.throughput_mbps, 3))
        .leaf_opt("edge-throughput", decimal(of.edge_throughput_mbps, 3))
        .leaf_opt("interference", decimal(of.interference_dbm, 2))
        .leaf_opt("power-offset", decimal(of.power_offset_db, 2))
        .leaf("saving", of.saving.as_str())
        .leaf_opt("energy", decimal(of.energy_kwh, 6))
}

fn link<'a>(node: Node<'a>, of: &LinkPerformance) -> Node<'a> {
    node.leaf_opt("utilisation", decimal(of.utilisation, 4))
        .leaf_opt("traffic", decimal(of.traffic_mbps, 3))
        .leaf_opt("latency", decimal(of.latency_ms, 3))
        .leaf_opt("loss", decimal(of.loss, 6))
}

/// The notification.
pub(in crate::netconf) fn told(of: &News) -> Node<'_> {
    let (_, name) = engine::reported(of);
    let ours = Node::container(EMS_NAMESPACE, name);
    match of {
        News::Alarm(alarm) => alarms::told(Node::container(ALARMS_NAMESPACE, name), alarm),
        News::Period {
            from,
            until,
            cells,
            links,
        } => ours
            .leaf("from", from.to_string())
            .leaf("until", until.to_string())
            .leaf("cells", *cells as u32)
            .leaf("links", *links as u32),
        News::Field(report) => field(ours, report),
        News::Complaint(complaint) => ours
            .leaf("time", complaint.time.to_string())
            .leaf("site", complaint.site.as_str())
            .leaf("text", &complaint.text),
        News::Ticket(ticket) => ours
            .leaf("ticket", &ticket.ticket)
            .leaf("time", ticket.time.to_string())
            .leaf("from", &ticket.from)
            .leaf("language", &ticket.language)
            .leaf("text", &ticket.text),
        News::CustomerAnswered { ticket, text } => ours.leaf("ticket", ticket).leaf("text", text),
    }
}

fn field<'a>(node: Node<'a>, report: &'a FieldReport) -> Node<'a> {
    let about = |token: u64, element: &'a domain::inventory::ElementId| {
        node.leaf("dispatch", token)
            .leaf("element", element.as_str())
    };
    match report {
        FieldReport::Arrived {
            token,
            element,
            question,
        } => about(*token, element).leaf("question", question),
        FieldReport::Ended {
            token,
            element,
            repaired,
            finding,
        } => about(*token, element)
            .leaf("repaired", *repaired)
            .leaf("finding", finding),
    }
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn numbers_are_written_in_their_canonical_form() {
        for (value, digits, text) in [
            (0.0, 3, "0.0"),
            (-0.0004, 3, "0.0"),
            (12.340, 3, "12.34"),
            (-39.95, 1, "-40.0"),
            (100.0, 2, "100.0"),
            (0.000_001, 6, "0.000001"),
        ] {
            assert_eq!(decimal(value, digits).as_deref(), Some(text));
        }
        assert_eq!(decimal(f64::NAN, 3), None);
    }
}
