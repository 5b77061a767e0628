//! What management systems say, well and badly, and what is asked of them.
//!
//! Inventories of our own making come back as they went out in `tests/tests/managed.rs`.

#![allow(clippy::unwrap_used)]

mod book;
mod hostile;

use super::*;
use ::netconf::client::{ClientEvent, ClientSession, Reply};
use ::netconf::xml::{Limits, XmlDocument};
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::telemetry::{Action, Condition, Outcome, Saving};
use domain::time::Timestamp;
use yang::{Generation, ModuleSet};

/// A document, as it comes in a message.
pub(super) fn document(text: &str) -> XmlDocument {
    XmlDocument::parse(text.as_bytes().to_vec(), &Limits::client()).unwrap()
}

/// A document of `<data>` with this inside.
pub(super) fn data(inside: &str) -> XmlDocument {
    document(&format!("<data>{inside}</data>"))
}

fn id(text: &str) -> ElementId {
    ElementId::new(text)
}

/// The reply to an rpc, with this inside.
fn reply(inside: &str) -> Reply {
    let mut client = ClientSession::default();
    let base = "urn:ietf:params:xml:ns:netconf:base:1.0";
    let hello = format!(
        "<hello xmlns=\"{base}\"><capabilities><capability>urn:ietf:params:netconf:base:1.0\
         </capability></capabilities><session-id>1</session-id></hello>]]>]]>"
    );
    client.receive(hello.as_bytes());
    let _ = client.poll();
    client.call("<x/>");
    let reply = format!("<rpc-reply xmlns=\"{base}\" message-id=\"1\">{inside}</rpc-reply>]]>]]>");
    client.receive(reply.as_bytes());
    match client.poll() {
        Some(ClientEvent::Reply(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

/// Three routers of somebody's, as RFC 8345 has them: each link is two.
const TRIANGLE: &str = r#"<networks xmlns="urn:ietf:params:xml:ns:yang:ietf-network"
    xmlns:nt="urn:ietf:params:xml:ns:yang:ietf-network-topology"><network>
  <network-id>l3</network-id>
  <node><node-id>NYC</node-id><nt:termination-point><nt:tp-id>et-0/0</nt:tp-id></nt:termination-point></node>
  <node><node-id>CHI</node-id></node>
  <node><node-id>CSG-7</node-id></node>
  <nt:link><nt:link-id>NYC-CHI</nt:link-id>
    <nt:source><nt:source-node>NYC</nt:source-node><nt:source-tp>et-0/0</nt:source-tp></nt:source>
    <nt:destination><nt:dest-node>CHI</nt:dest-node><nt:dest-tp>et-0/1</nt:dest-tp></nt:destination></nt:link>
  <nt:link><nt:link-id>CHI-NYC</nt:link-id>
    <nt:source><nt:source-node>CHI</nt:source-node><nt:source-tp>et-0/1</nt:source-tp></nt:source>
    <nt:destination><nt:dest-node>NYC</nt:dest-node><nt:dest-tp>et-0/0</nt:dest-tp></nt:destination></nt:link>
  <nt:link><nt:link-id>CHI-CSG-7</nt:link-id>
    <nt:source><nt:source-node>CHI</nt:source-node></nt:source>
    <nt:destination><nt:dest-node>CSG-7</nt:dest-node></nt:destination></nt:link>
  <nt:link><nt:link-id>broken</nt:link-id></nt:link>
</network></networks>"#;

pub(super) fn triangle() -> SystemInventory {
    let defaults = DomainDefaults {
        province: Some("East".to_owned()),
        cores: vec!["NYC".to_owned()],
        sites: vec!["CSG-".to_owned()],
        ..DomainDefaults::of(Domain::Ip)
    };
    read_networks(data(TRIANGLE).root(), &defaults)
}

#[test]
fn standard_models_alone_make_an_inventory() {
    let read = triangle();
    let inventory = &read.inventory;
    let of_kind = |kind| -> Vec<String> {
        let found = inventory.of_kind(kind);
        found.map(|e| e.id.to_string()).collect()
    };
    assert_eq!(of_kind(ElementKind::Router), ["router:CHI", "router:NYC"]);
    assert_eq!(of_kind(ElementKind::Site), ["site:CSG-7"]);
    assert_eq!(
        of_kind(ElementKind::Link),
        ["link:CHI-CSG-7", "link:NYC-CHI"]
    );
    let link = &inventory.links[&id("link:NYC-CHI")];
    assert_eq!((&link.a, &link.b), (&id("router:NYC"), &id("router:CHI")));
    assert!(link.backbone && !inventory.links[&id("link:CHI-CSG-7")].backbone);
    assert_eq!(inventory.province_of(&id("router:NYC")), Some("East"));
    assert_eq!(inventory.cores.len(), 1);
    assert_eq!(read.unreadable, 1);
    // Both directions, and both interfaces, are the one link.
    for name in ["CHI-NYC", "NYC-CHI", "et-0/1", "NYC/et-0/0"] {
        assert_eq!(read.names.element(name), id("link:NYC-CHI"), "{name}");
    }
    assert_eq!(read.names.foreign(&id("router:CHI")), "CHI");
    // A site behind a link that is down is cut off.
    let failed = [id("link:CHI-CSG-7")].into();
    assert_eq!(inventory.sites_cut_off(&failed), [id("site:CSG-7")].into());
}

/// A node of the networks with these leaves of convoke-ems, and what else is inside.
fn node(id: &str, leaves: &[(&str, &str)], inside: &str) -> String {
    let said = |(name, value): &(&str, &str)| format!("<{name} xmlns=\"{EMS}\">{value}</{name}>");
    let said: String = leaves.iter().map(said).collect();
    format!("<node><node-id>{id}</node-id>{said}{inside}</node>")
}

/// The networks with these nodes.
fn networks(nodes: &[String]) -> XmlDocument {
    data(&format!(
        "<networks xmlns=\"urn:ietf:params:xml:ns:yang:ietf-network\"><network>{}</network></networks>",
        nodes.concat()
    ))
}

#[test]
fn a_system_documents_what_its_settings_grant_and_nothing_else() {
    let module = format!(
        "<t:termination-point xmlns:t=\"urn:ietf:params:xml:ns:yang:ietf-network-topology\">\
         <t:tp-id>optic:x/b</t:tp-id><domain xmlns=\"{EMS}\">IP</domain></t:termination-point>"
    );
    let of = |kind, domain, province| {
        let place = ("place", "Riverton");
        [
            ("kind", kind),
            ("domain", domain),
            place,
            ("province", province),
        ]
    };
    let said = networks(&[
        node("router:a", &[("kind", "router"), ("place", "Seaton")], ""),
        node("router:b", &of("router", "IP", "South"), ""),
        node("site:c", &of("site", "Wireless", "North"), &module),
        node("zone:d", &[], ""),
    ]);
    let defaults = DomainDefaults {
        province: Some("North".to_owned()),
        ..DomainDefaults::of(Domain::Ip)
    };
    let read = read_networks(said.root(), &defaults);
    let kept: Vec<_> = read.inventory.elements.keys().cloned().collect();
    assert_eq!(kept, [id("optic:x/b"), id("router:a")]);
    assert_eq!((read.outside, read.unreadable), (3, 0));
    let provinces: Vec<_> = read.inventory.provinces.values().collect();
    assert!(
        provinces.iter().all(|said| *said == "North"),
        "{provinces:?}"
    );
    // The site belongs to a system that is granted its domain, or that names it.
    let wireless = read_networks(said.root(), &DomainDefaults::of(Domain::Wireless));
    assert!(wireless.inventory.elements.contains_key(&id("site:c")));
    let named = DomainDefaults {
        sites: vec!["site:".to_owned()],
        ..defaults
    };
    let read = read_networks(said.root(), &named);
    assert!(read.inventory.elements.contains_key(&id("site:c")));
}

#[test]
fn an_element_is_what_its_name_says_and_of_a_domain_that_has_such() {
    let of = |kind, domain| [("kind", kind), ("domain", domain)];
    let said = networks(&[
        node("router:a", &of("router", "IP"), ""),
        node("site:b", &of("router", "IP"), ""),
        node("router:", &of("router", "IP"), ""),
        node("site:c", &of("site", "IP"), ""),
        node("router:d", &of("router", "Wireless"), ""),
        node("duct:e", &of("duct", "IP"), ""),
    ]);
    let kept = |defaults: &DomainDefaults| {
        let read = read_networks(said.root(), defaults);
        let kept: Vec<_> = read.inventory.elements.keys().cloned().collect();
        (kept, read.outside)
    };
    let ip = DomainDefaults::of(Domain::Ip);
    assert_eq!(kept(&ip), (vec![id("duct:e"), id("router:a")], 4));
    let named = DomainDefaults {
        sites: vec!["site:".to_owned()],
        ..ip
    };
    let three = vec![id("duct:e"), id("router:a"), id("site:c")];
    assert_eq!(kept(&named), (three, 3));
    let wireless = DomainDefaults::of(Domain::Wireless);
    assert_eq!(kept(&wireless), (Vec::new(), 6));
}

#[test]
fn links_run_through_ducts_and_are_plugged_into_modules() {
    let mut said = triangle().inventory;
    let name = id("link:NYC-CHI");
    let link = said.links.get_mut(&name).unwrap();
    link.ducts = vec![id("router:CHI"), id("duct:unknown")];
    link.optic_a = id("router:NYC");
    let b = link.optic_b.clone();
    let whole = merged([&said]).inventory;
    let link = &whole.links[&name];
    assert!(link.ducts.is_empty());
    assert_eq!((&link.optic_a, &link.optic_b), (&id(""), &b));
}

#[test]
fn several_systems_document_one_network() {
    let (east, mut west) = (triangle().inventory, triangle().inventory);
    west.elements.remove(&id("router:CHI"));
    let both = merged([&west, &east]);
    assert_eq!(both.inventory, east);
    assert_eq!(both.owners[&id("router:NYC")], 0);
    assert_eq!(both.owners[&id("router:CHI")], 1);
    let alone = merged([&west]).inventory;
    assert!(alone.links.is_empty(), "their end is known to nobody");
    assert!(!alone.elements.contains_key(&id("link:NYC-CHI")));
}

#[test]
fn an_element_belongs_to_the_first_that_documents_it() {
    let read = |nodes: &[String]| {
        read_networks(networks(nodes).root(), &DomainDefaults::of(Domain::Ip)).inventory
    };
    let of = |model, town, province| {
        [
            ("kind", "router"),
            ("model", model),
            ("place", town),
            ("province", province),
        ]
    };
    let honest = read(&[node("router:a", &of("Arc 1", "Riverton", "North"), "")]);
    let core = format!("<core xmlns=\"{EMS}\">true</core><battery xmlns=\"{EMS}\">9</battery>");
    let claiming = read(&[
        node("router:a", &of("Fake", "Elsewhere", "South"), &core),
        node("router:b", &of("Fake", "Riverton", "South"), ""),
        node("router:c", &of("Real", "Seaton", "South"), ""),
    ]);
    let both = merged([&honest, &claiming]);
    let ids: Vec<_> = both.inventory.elements.keys().cloned().collect();
    assert_eq!(ids, [id("router:a"), id("router:c")]);
    assert_eq!(both.inventory.elements[&id("router:a")].model, "Arc 1");
    assert!(both.inventory.cores.is_empty() && both.inventory.battery_wh.is_empty());
    assert_eq!(both.inventory.province_of(&id("router:a")), Some("North"));
    assert_eq!(both.inventory.province_of(&id("router:c")), Some("South"));
    assert!(!both.inventory.provinces.contains_key("Elsewhere"));
    let left_out: Vec<_> = both
        .left_out
        .iter()
        .map(|(of, left)| (of.refused, of.first, of.over, left.examples.clone()))
        .collect();
    let expected = [
        (1, 0, DisputedThing::Element, vec![id("router:a")]),
        (1, 0, DisputedThing::Province, vec![id("router:b")]),
    ];
    assert_eq!(left_out, expected);
    // The order of the settings decides, and nothing else.
    let other_way = merged([&claiming, &honest]);
    assert_eq!(other_way.owners[&id("router:a")], 0);
    assert_eq!(other_way.inventory.elements[&id("router:a")].model, "Fake");
}

const INTERFACES: &str = r#"<interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces">
  <interface><name>et-0/0</name><oper-status>up</oper-status><speed>1000000000</speed><statistics>
    <discontinuity-time>2026-01-01T00:00:00Z</discontinuity-time><in-octets>IN</in-octets>
    <in-unicast-pkts>PKTS</in-unicast-pkts><in-errors>ERR</in-errors></statistics></interface>
  <interface><name>et-0/1</name><oper-status>OPER</oper-status></interface>
  <interface><name>lo0</name><oper-status>up</oper-status></interface>
</interfaces>"#;

fn interfaces(oper: &str, octets: u64, packets: u64, errors: u64) -> String {
    let text = INTERFACES.replace("OPER", oper);
    let text = text.replace("IN<", &format!("{octets}<"));
    let text = text.replace("PKTS", &packets.to_string());
    text.replace("ERR", &errors.to_string())
}

#[test]
fn counters_are_the_performance_of_links() {
    let read = |octets, packets, errors| {
        read_interfaces(data(&interfaces("up", octets, packets, errors)).root())
    };
    let known = triangle();
    let performance = |after| {
        let before = read(1_000, 100, 0);
        link_performance(&before, &after, 10.0, &known.names, None, &known.inventory)
    };
    let links = performance(read(125_001_000, 190, 10));
    let link = &links[&id("link:NYC-CHI")];
    assert_eq!(links.len(), 1);
    assert_eq!(
        (link.traffic_mbps, link.utilisation, link.loss),
        (100.0, 0.1, 0.1)
    );
    // A counter that fell was set back.
    let links = performance(read(5, 190, 10));
    assert!(
        !links.contains_key(&id("link:NYC-CHI")) || links[&id("link:NYC-CHI")].traffic_mbps == 0.0
    );
}

#[test]
fn a_link_is_measured_by_its_interfaces() {
    let mut known = triangle();
    known
        .names
        .found_interfaces(["et-0/0", "et-0/1", "lo0"], None);
    let link = id("link:NYC-CHI");
    let measured = |oper: &str, errors| {
        let reading =
            |errors| read_interfaces(data(&interfaces(oper, 1, 100 + errors, errors)).root());
        measured_link(&link, &known.names, &reading(0), &reading(errors), 2.0)
    };
    let condition = |oper, errors| measured(oper, errors).unwrap().condition;
    assert_eq!(condition("up", 0), Condition::Good);
    assert_eq!(condition("up", 50), Condition::Degraded);
    assert_eq!(condition("lower-layer-down", 0), Condition::Failed);
    let readings = measured("down", 0).unwrap().readings;
    assert_eq!((readings["oper_up_a"], readings["oper_up_b"]), (1.0, 0.0));
    let other = id("link:CHI-CSG-7");
    let none = measured_link(
        &other,
        &known.names,
        &Default::default(),
        &Default::default(),
        2.0,
    );
    assert_eq!(none.unwrap_err(), "no interface says how link:CHI-CSG-7 is");
    let filter = interfaces_filter(["a<b"]);
    assert!(filter.contains("<name>a&lt;b</name>"), "{filter}");
}

fn actions() -> Vec<Action> {
    let element = id("link:NYC-CHI");
    let at = Timestamp::from_ms(1_800_000_000_000);
    vec![
        Action::Probe {
            element: element.clone(),
        },
        Action::Dispatch {
            element: element.clone(),
            work_order: Some("wo-1 & more".to_owned()),
        },
        Action::Guide {
            dispatch: 3,
            element: element.clone(),
            steps: vec!["Look".to_owned(), "Mend <it>".to_owned()],
        },
        Action::SetPower {
            cell: id("cell:1/2"),
            offset_db: 3.456,
        },
        Action::SetSaving {
            cells: [id("cell:1/2"), id("cell:1/3")].into(),
            saving: Saving::DeepSleep,
        },
        Action::ReadConfiguration {
            element: element.clone(),
        },
        Action::Configure {
            element: element.clone(),
            parameter: "cost".to_owned(),
            value: "10".to_owned(),
        },
        Action::Restart { element },
        Action::Trace {
            vehicle: "W0L000051T2123456".to_owned(),
            from: at,
            until: at.plus_s(60.0),
        },
        Action::TellCustomer {
            ticket: "T-1".to_owned(),
            text: "Hello".to_owned(),
            question: true,
        },
    ]
}

#[test]
fn every_action_is_an_rpc_of_the_schema() {
    let schema = Generation::load(&ModuleSet::convoke()).unwrap();
    let known = triangle();
    for action in actions() {
        let rpc = action_request(&action, &known.names, 12);
        assert_eq!(schema.check_rpc(&rpc), Ok(()), "{rpc}");
    }
    let guide = action_request(&actions()[2], &known.names, 12);
    assert!(guide.contains(">12</dispatch>"), "{guide}");
    assert!(guide.contains(">NYC-CHI</element>"), "{guide}");
}

const EMS: &str = "urn:convoke:params:xml:ns:yang:convoke-ems";

#[test]
fn answers_are_outcomes() {
    let known = triangle();
    let outcome = |number: usize, inside: &str| {
        let inside = inside.replace("X>", &format!("X xmlns=\"{EMS}\">"));
        read_action_reply(&actions()[number], &reply(&inside), &known.names)
    };
    let ems = |name: &str, text: &str| format!("<{name} xmlns=\"{EMS}\">{text}</{name}>");
    let probed = outcome(
        0,
        &format!(
            "{}{}",
            ems("condition", "failed"),
            ems("reading", "<name>light_a_dbm</name><value>-40.0</value>")
        ),
    );
    let Outcome::Measured(measured) = probed.outcome else {
        panic!("{probed:?}")
    };
    assert_eq!(measured.condition, Condition::Failed);
    assert_eq!(measured.readings["light_a_dbm"], -40.0);
    let sent = outcome(
        1,
        &format!(
            "{}{}",
            ems("dispatch", "9"),
            ems("arrival", "2026-11-21T07:00:00Z")
        ),
    );
    assert!(matches!(sent.outcome, Outcome::Dispatched { .. }));
    assert_eq!(sent.dispatch, Some(9));
    assert_eq!(outcome(7, "<ok/>").outcome, Outcome::Done);
    let read = outcome(
        5,
        &ems("parameter", "<name>cost</name><running>9</running>"),
    );
    let Outcome::Configuration(read) = read.outcome else {
        panic!()
    };
    assert_eq!(read.running["cost"], "9");
    assert!(read.planned.is_empty());
    // An answer that is none says nothing of the element.
    assert!(matches!(outcome(0, "<ok/>").outcome, Outcome::Failed(_)));
}

#[test]
fn refusals_say_whether_to_try_again() {
    let known = triangle();
    let refused = |tag: &str, app_tag: &str| {
        let error = format!(
            "<rpc-error><error-type>application</error-type><error-tag>{tag}</error-tag>\
             <error-severity>error</error-severity>{app_tag}<error-message>why</error-message>\
             </rpc-error>"
        );
        read_action_reply(&actions()[0], &reply(&error), &known.names)
    };
    let app = |tag| format!("<error-app-tag>{tag}</error-app-tag>");
    let is_impossible =
        |tag, app: &str| matches!(refused(tag, app).outcome, Outcome::Impossible(_));
    assert!(is_impossible("operation-failed", &app("impossible")));
    assert!(!is_impossible("operation-failed", &app("attempt-failed")));
    assert!(!is_impossible("operation-failed", &app("too-long")));
    assert!(!is_impossible("resource-denied", ""));
    assert!(is_impossible("invalid-value", &app("unknown-element")));
    assert!(is_impossible("access-denied", ""));
    assert!(refused("operation-not-supported", "").is_unsupported);
    assert!(!refused("access-denied", "").is_unsupported);
}

#[test]
fn what_is_offered_is_in_the_hello_or_the_library() {
    use ::netconf::hello::Capabilities;
    let library = "urn:ietf:params:netconf:capability:yang-library:1.1?revision=2019-01-04";
    let unknown = SystemOffer::of_hello(&Capabilities::new([library]));
    assert!(
        unknown.actions() && unknown.interfaces(),
        "everything is tried"
    );
    let alone = "urn:x:acme?module=acme-alarms&revision=2020-01-01";
    let said = SystemOffer::of_hello(&Capabilities::new([alone]));
    assert!(!said.actions() && !said.alarms());
    assert_eq!(said.module_of("urn:x:acme"), "acme-alarms");
    assert_eq!(said.module_of("urn:x:other"), "other");
    let mut read = unknown;
    let modules = "<yang-library xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-library\"><module-set>\
        <module><name>ietf-alarms</name><namespace>urn:ietf:params:xml:ns:yang:ietf-alarms</namespace>\
        </module></module-set></yang-library>";
    read.read_library(data(modules).root());
    assert!(read.alarms() && !read.actions() && !read.networks());
}
