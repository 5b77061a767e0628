//! `/alarms` and `alarm-notification` (RFC 8632).
//!
//! Alarms that are asked for by resource are looked up, the writer prunes the rest. Read next:
//! [`domain::ems::View`], which keeps them.

use crate::netconf::encode::reader::{Reader, keys};
use crate::netconf::{ALARMS_NAMESPACE, EMS_NAMESPACE};
use ::netconf::data::{IdentityRef, Node, Writer};
use ::netconf::filter::{Projection, View};
use domain::ems::{AlarmList, AlarmRecord, Change, Ems};
use domain::inventory::ElementId;
use domain::telemetry::{Alarm, AlarmType, Severity};
use engine::Refusal;
use engine::query::AlarmsOf;

/// What an alarm takes, in bytes: a guess too high costs nothing.
const ALARM_BYTES: usize = 1_024;

/// What is said of a condition that has gone.
const CLEARED: &str = "cleared";

/// The type of an alarm, an identity of convoke-ems.
fn alarm_type(of: AlarmType) -> IdentityRef<'static> {
    IdentityRef {
        prefix: "cvems",
        namespace: EMS_NAMESPACE,
        name: of.as_str(),
    }
}

impl Reader<'_> {
    pub(super) fn write_alarms(
        &self,
        ems: Ems,
        view: &View<'_>,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let list = view.child(ALARMS_NAMESPACE, "alarm-list");
        let asked = list.and_then(|list| list.child(ALARMS_NAMESPACE, "alarm"));
        let resources = match asked {
            Some(view) => keys(&view, "resource"),
            None => Some(Vec::new()),
        };
        let resources = resources.map(|ids| ids.into_iter().map(ElementId::new).collect());
        let found = self.read(AlarmsOf { ems, resources })?;
        let mut writer = Writer::new(projection, out);
        if writer.open(&Node::container(ALARMS_NAMESPACE, "alarms").state()) {
            writer.node(&inventory(ems));
            writer.node(&summary(&found));
            write_list(&found, &mut writer);
            writer.close();
        }
        Ok(())
    }
}

fn write_list(found: &AlarmList, writer: &mut Writer<'_>) {
    let list = Node::container("", "alarm-list")
        .leaf("number-of-alarms", found.number as u32)
        .leaf_opt("last-changed", found.last_changed.map(|t| t.to_string()));
    writer.reserve(found.alarms.len() * ALARM_BYTES);
    if writer.open(&list) {
        for of in &found.alarms {
            writer.node(&alarm(of));
        }
        writer.close();
    }
}

fn alarm(of: &AlarmRecord) -> Node<'_> {
    Node::entry("", "alarm", 3)
        .leaf("resource", of.resource.as_str())
        .leaf("alarm-type-id", alarm_type(of.alarm_type))
        .leaf("alarm-type-qualifier", &of.qualifier)
        .leaf("time-created", of.created.to_string())
        .leaf("is-cleared", of.is_cleared())
        .leaf("last-raised", of.last_raised.to_string())
        .leaf("last-changed", of.latest().time.to_string())
        .leaf("perceived-severity", of.severity.as_str())
        .leaf("alarm-text", &of.latest().text)
        .list("status-change", 1, of.changes(), change)
}

fn change<'a>(node: Node<'a>, of: &'a Change) -> Node<'a> {
    let severity = of.severity.map_or(CLEARED, Severity::as_str);
    node.leaf("time", of.time.to_string())
        .leaf("perceived-severity", severity)
        .leaf("alarm-text", &of.text)
}

/// How many alarms there are of each severity.
fn summary(of: &AlarmList) -> Node<'_> {
    let tallies = of.tally.iter().rev();
    Node::container("", "summary").list("alarm-summary", 1, tallies, |node, (severity, tally)| {
        node.leaf("severity", severity.as_str())
            .leaf("total", tally.total as u32)
            .leaf("not-cleared", (tally.total - tally.cleared) as u32)
            .leaf("cleared", tally.cleared as u32)
    })
}

/// The alarms that elements of the system's domain can raise.
fn inventory(ems: Ems) -> Node<'static> {
    let known = AlarmType::ALL.into_iter().map(|t| (t, possible(t)));
    let own = known.filter(|(_, (systems, _))| systems.contains(&ems));
    Node::container("", "alarm-inventory").list("alarm-type", 2, own, |node, (of, (_, words))| {
        node.leaf("alarm-type-id", alarm_type(of))
            .leaf("alarm-type-qualifier", "")
            .leaf("will-clear", true)
            .leaf("description", words)
    })
}

/// Whose elements raise it; what may be behind it, and what helps.
fn possible(of: AlarmType) -> (&'static [Ems], &'static str) {
    const WIRELESS: &[Ems] = &[Ems::Wireless];
    const IP: &[Ems] = &[Ems::Ip];
    match of {
        AlarmType::LossOfSignal => (
            IP,
            "No light arrives: a cut fibre or duct, a dead card or module at the far end. Probe the link and what lies along it.",
        ),
        AlarmType::LinkDown => (
            IP,
            "A link carries nothing: what it runs through or ends on has failed. Probe both ends.",
        ),
        AlarmType::CardFailure => (IP, "A card is silent. Probe it; restart or replace it."),
        AlarmType::NodeUnreachable => (
            IP,
            "A router is silent: it has failed, or all its links have. Probe it: its console answers over another network.",
        ),
        AlarmType::SiteUnreachable => (
            WIRELESS,
            "A site is silent: without power, or cut off. Probe its zone and its backhaul.",
        ),
        AlarmType::CellsOutOfService => (
            WIRELESS,
            "No cell of a site carries traffic: power or backhaul is gone.",
        ),
        AlarmType::MainsFailure => (
            WIRELESS,
            "A site runs on battery: the supply of its zone has failed. Probe the zone; the utility repairs it.",
        ),
        AlarmType::SignalDegraded => (
            IP,
            "Bit errors: a module ages, a connector is dirty. Probe the link.",
        ),
        AlarmType::TemperatureHigh => (
            &[Ems::Wireless, Ems::Ip],
            "A board or cabinet is too hot: a fan or the cooling has failed.",
        ),
        AlarmType::AntennaMismatch => (
            WIRELESS,
            "An antenna reflects power: a connector or feeder is damaged.",
        ),
        AlarmType::ClockUnsynchronised => (
            WIRELESS,
            "A site lost its time reference: its receiver, or the path to the clock.",
        ),
        AlarmType::Congestion => (
            IP,
            "Packets are dropped: more traffic than the link carries. Read the performance.",
        ),
        AlarmType::OpticalPowerLow => (
            IP,
            "A module sends too little light: it ages. Replace it before it fails.",
        ),
        AlarmType::CellUnavailable => (
            WIRELESS,
            "A cell is off the air: its hardware has failed, or it was locked. Read its configuration.",
        ),
        AlarmType::CellDegraded => (
            WIRELESS,
            "A cell serves badly: its configuration departs from the plan, or its hardware fails.",
        ),
        AlarmType::InterferenceHigh => (
            WIRELESS,
            "Foreign power on a carrier: an outside source, or a neighbour.",
        ),
        AlarmType::BatteryLow => (
            WIRELESS,
            "The batteries of a site are nearly empty: mains is away.",
        ),
        AlarmType::Unknown => (
            &[Ems::Wireless, Ems::Ip],
            "An alarm of a type that has no name here: its text is what the element said. Probe the element.",
        ),
    }
}

/// The notification of a change, as it arrived.
pub(super) fn told<'a>(node: Node<'a>, of: &'a Alarm) -> Node<'a> {
    let severity = match of.cleared {
        true => CLEARED,
        false => of.severity.as_str(),
    };
    node.leaf("resource", of.resource.as_str())
        .leaf("alarm-type-id", alarm_type(of.alarm_type))
        .leaf("alarm-type-qualifier", &of.qualifier)
        .leaf("time", of.time.to_string())
        .leaf("perceived-severity", severity)
        .leaf("alarm-text", &of.text)
}
