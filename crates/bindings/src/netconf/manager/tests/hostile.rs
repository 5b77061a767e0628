//! Whatever a system says is taken or left, and never costs more than what it sent.

use super::*;
use ::netconf::client::Notification;
use proptest::prelude::*;

/// Names of nodes of all models that are read.
const NAMES: &[&str] = &[
    "alarms",
    "alarm-list",
    "alarm",
    "resource",
    "alarm-type-id",
    "is-cleared",
    "last-changed",
    "perceived-severity",
    "alarm-notification",
    "networks",
    "network",
    "node",
    "node-id",
    "link",
    "link-id",
    "source",
    "source-node",
    "source-tp",
    "destination",
    "dest-node",
    "termination-point",
    "tp-id",
    "kind",
    "cell",
    "interfaces",
    "interface",
    "name",
    "oper-status",
    "statistics",
    "in-octets",
    "performance",
    "from",
    "until",
    "reading",
    "value",
    "parameter",
    "field-report",
    "dispatch",
];

const SPACES: &[&str] = &[
    "urn:ietf:params:xml:ns:yang:ietf-alarms",
    "urn:ietf:params:xml:ns:yang:ietf-network",
    "urn:ietf:params:xml:ns:yang:ietf-network-topology",
    "urn:ietf:params:xml:ns:yang:ietf-interfaces",
    "urn:convoke:params:xml:ns:yang:convoke-ems",
];

const TEXTS: &[&str] = &[
    "",
    "link",
    "router:a",
    "-1",
    "1e999",
    "NaN",
    "18446744073709551616",
    "2026-11-21T07:00:00Z",
    "9999-99-99T99:99:99Z",
    "/a[b='",
    "/a[b=é]",
    "up",
    "cleared",
    "a:b:c",
    ":",
];

/// Any tree of these names, namespaces and texts.
fn tree() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(TEXTS).prop_map(str::to_owned);
    leaf.prop_recursive(8, 96, 8, |inner| {
        let children = prop::collection::vec(inner, 0..6);
        let (name, space) = (prop::sample::select(NAMES), prop::sample::select(SPACES));
        (name, space, children).prop_map(|(name, space, children)| {
            format!("<{name} xmlns=\"{space}\">{}</{name}>", children.concat())
        })
    })
}

/// Reads a document as everything that it could be.
fn read_all(text: &str) {
    let document = data(text);
    let (offer, known) = (SystemOffer::default(), triangle());
    let mut library = SystemOffer::default();
    library.read_library(document.root());
    let list = read_alarm_list(document.root(), &offer);
    let (mut book, types) = (AlarmBook::default(), AlarmTypeMap::default());
    let (clock, now) = (SystemClock::default(), Timestamp::from_ms(1_000));
    book.take_list(list, &known.names, &types, &clock, (now, now));
    let read = read_networks(document.root(), &DomainDefaults::of(Domain::Ip));
    let whole = merged([&read.inventory]).inventory;
    whole.sites_cut_off(&Default::default());
    let interfaces = read_interfaces(document.root());
    let (names, inventory) = (&known.names, &known.inventory);
    link_performance(&interfaces, &interfaces, 1.0, names, None, inventory);
    read_performance(document.root(), names);
    let notification = Notification {
        event_time: String::new(),
        document: document.clone(),
    };
    read_report(&notification, &offer, names);
    for action in actions() {
        read_action_reply(&action, &reply(text), names);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_tree_is_taken_or_left(text in tree()) {
        read_all(&text);
    }
}

#[test]
fn long_names_and_texts_are_bounded() {
    let long = "é".repeat(100_000);
    let alarms = format!(
        "<alarms xmlns=\"{}\"><alarm-list><alarm><resource>r</resource><alarm-type-id>x:{long}\
         </alarm-type-id><alarm-type-qualifier>{long}</alarm-type-qualifier>\
         <alarm-text>{long}</alarm-text></alarm><alarm><resource>{long}</resource>\
         <alarm-type-id>x</alarm-type-id></alarm></alarm-list></alarms>",
        SPACES[0]
    );
    let list = read_alarm_list(data(&alarms).root(), &SystemOffer::default());
    assert_eq!(
        (list.alarms.len(), list.unreadable, list.complete),
        (1, 1, false)
    );
    let alarm = &list.alarms[0];
    assert!(alarm.alarm_type.name.len() <= 256 && alarm.qualifier.len() <= 256);
    assert!(!alarm.text.is_empty() && alarm.text.len() <= 512);
    let networks = format!(
        "<networks xmlns=\"{}\"><network><node><node-id>{long}</node-id></node></network></networks>",
        SPACES[1]
    );
    let read = read_networks(data(&networks).root(), &DomainDefaults::of(Domain::Ip));
    assert_eq!((read.inventory.elements.len(), read.unreadable), (0, 1));
}

#[test]
fn what_is_said_once_for_many_is_short() {
    let long = "é".repeat(10_000);
    let path = |length| format!("/r[n='{}']", "x".repeat(length));
    let entry = |resource: String| {
        format!("<alarm><resource>{resource}</resource><alarm-type-id>x</alarm-type-id></alarm>")
    };
    let alarms = format!(
        "<alarms xmlns=\"{}\"><alarm-list>{}{}</alarm-list></alarms>",
        SPACES[0],
        entry(path(1_000)),
        entry(path(1_100))
    );
    let list = read_alarm_list(data(&alarms).root(), &SystemOffer::default());
    assert_eq!((list.alarms.len(), list.unreadable), (1, 1));
    let ticket = format!(
        "<notification xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\">\
         <eventTime>2026-11-21T07:00:00Z</eventTime><customer-ticket xmlns=\"{}\">\
         <ticket>T-1</ticket><from>{long}</from><language>{long}</language><text>{long}</text>\
         </customer-ticket></notification>",
        SPACES[4]
    );
    let received = Notification {
        event_time: "2026-11-21T07:00:00Z".to_owned(),
        document: document(&ticket),
    };
    let (_, report) = read_report(&received, &SystemOffer::default(), &triangle().names);
    let SystemReport::Ticket(ticket) = report else {
        panic!("{report:?}")
    };
    assert!(ticket.from.len() <= 256 && ticket.language.len() <= 256);
    assert_eq!(ticket.text.len(), 4_096);
    let readings: String = (0..100)
        .map(|number| format!("<reading><name>r{number}</name><value>1</value></reading>"))
        .collect();
    let named = format!(
        "<reading><name>{}</name><value>1</value></reading>",
        "n".repeat(65)
    );
    let inside = format!("<condition>good</condition>{named}{readings}");
    let inside = inside.replace(
        "<condition>",
        &format!("<condition xmlns=\"{}\">", SPACES[4]),
    );
    let inside = inside.replace("<reading>", &format!("<reading xmlns=\"{}\">", SPACES[4]));
    let read = read_action_reply(&actions()[0], &reply(&inside), &triangle().names);
    let Outcome::Measured(measured) = read.outcome else {
        panic!("{read:?}")
    };
    assert_eq!(measured.readings.len(), 63, "the first has too long a name");
}

/// Ten thousand elements that each name the next as what they are built into.
#[test]
fn a_chain_of_parents_is_no_way_to_overflow_a_stack() {
    let nodes: String = (0..10_000)
        .map(|n| {
            let next = (n + 1) % 10_000;
            format!(
                "<node><node-id>card:{n}</node-id><kind xmlns=\"{0}\">card</kind>\
                 <parent xmlns=\"{0}\">card:{next}</parent></node>",
                SPACES[4]
            )
        })
        .collect();
    let networks = format!(
        "<networks xmlns=\"{}\"><network>{nodes}</network></networks>",
        SPACES[1]
    );
    let read = read_networks(data(&networks).root(), &DomainDefaults::of(Domain::Ip));
    let whole = merged([&read.inventory]).inventory;
    let first = ElementId::new("card:0");
    assert!(whole.elements.contains_key(&first));
    whole.node_of(&first);
    whole.works(&first, &Default::default());
}
