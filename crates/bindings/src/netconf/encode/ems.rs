//! What a management system serves and tells: alarms (RFC 8632), networks (RFC 8345), performance and
//! notifications (module convoke-ems).
//!
//! Knows how domain values look on the wire; who sees them is the engine's question. Read next:
//! [`alarms`], [`topology`].

mod alarms;
mod topology;

use super::reader::Reader;
use crate::netconf::output::{self, Parent as _};
use crate::netconf::{ALARMS_NAMESPACE, EMS_NAMESPACE, NETWORK_NAMESPACE};
use ::netconf::data::{Node, Writer};
use ::netconf::filter::Projection;
use domain::ems::{Ems, News};
use domain::inventory::ElementId;
use domain::telemetry::{CellPerformance, FieldReport, LinkPerformance, Performance};
use engine::Refusal;
use engine::query::PerformanceOf;

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
    let performance = output::Performance::default().from(of.from).until(of.until);
    let mut writer = Writer::new(projection, out);
    if writer.open(&performance.written()) {
        output::Performance::within(&mut writer)
            .cell(&of.cells, cell)
            .link(&of.links, link);
        writer.close();
    }
}

fn cell<'a>(
    node: output::Cell<'a>,
    (id, of): (&'a ElementId, &CellPerformance),
) -> output::Cell<'a> {
    node.id(id.as_str())
        .load(of.load)
        .users(of.users)
        .traffic(of.traffic_mbps)
        .throughput(of.throughput_mbps)
        .edge_throughput(of.edge_throughput_mbps)
        .interference(of.interference_dbm)
        .power_offset(of.power_offset_db)
        .saving(of.saving.as_str())
        .energy(of.energy_kwh)
}

fn link<'a>(
    node: output::Link<'a>,
    (id, of): (&'a ElementId, &LinkPerformance),
) -> output::Link<'a> {
    node.id(id.as_str())
        .utilisation(of.utilisation)
        .traffic(of.traffic_mbps)
        .latency(of.latency_ms)
        .loss(of.loss)
}

/// The notification.
pub(in crate::netconf) fn told(of: &News) -> Node<'_> {
    match of {
        News::Alarm(alarm) => {
            let (_, name) = engine::reported(of);
            alarms::told(Node::container(ALARMS_NAMESPACE, name), alarm)
        }
        News::Period {
            from,
            until,
            cells,
            links,
        } => output::PerformanceReport::default()
            .from(*from)
            .until(*until)
            .cells(*cells as u32)
            .links(*links as u32)
            .written(),
        News::Field(report) => field(report).written(),
        News::Complaint(complaint) => output::CustomerComplaint::default()
            .time(complaint.time)
            .site(complaint.site.as_str())
            .text(&complaint.text)
            .written(),
        News::Ticket(ticket) => output::CustomerTicket::default()
            .ticket(&ticket.ticket)
            .time(ticket.time)
            .from(&ticket.from)
            .language(&ticket.language)
            .text(&ticket.text)
            .written(),
        News::CustomerAnswered { ticket, text } => output::CustomerAnswer::default()
            .ticket(ticket)
            .text(text)
            .written(),
    }
}

fn field<'a>(report: &'a FieldReport) -> output::FieldReport<'a> {
    let about = |token: u64, element: &'a ElementId| {
        output::FieldReport::default()
            .dispatch(token)
            .element(element.as_str())
    };
    match report {
        FieldReport::Arrived {
            token,
            element,
            question,
        } => about(*token, element).question(question),
        FieldReport::Ended {
            token,
            element,
            repaired,
            finding,
        } => about(*token, element).repaired(*repaired).finding(finding),
    }
}
