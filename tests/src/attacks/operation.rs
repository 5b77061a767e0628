//! The content of an `<rpc>`: expensive permitted operations of a guest, and denied ones.
//!
//! Each is XML within the limits of messages, so that it is answered by a reply. Read next:
//! [`super::spoilt`].

use super::{Kind, escaped, filter, xpath};
use crate::dice::Dice;
use netconf::names::namespace::{
    BASE, DATASTORES, MONITORING, NETMOD_NOTIFICATION, NMDA, NOTIFICATION, WITH_DEFAULTS,
};
use std::fmt::Write as _;

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
const AUDIT: &str = "urn:convoke:params:xml:ns:yang:convoke-audit";
const DATA: &str = "urn:convoke:params:xml:ns:yang:convoke-data";
const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
const SCHEMA: &str = "urn:convoke:params:xml:ns:yang:convoke-schema";
const SIMULATION: &str = "urn:convoke:params:xml:ns:yang:convoke-simulation";

/// An operation in its message.
pub fn rpc(number: usize, operation: &str) -> String {
    format!("<rpc xmlns=\"{BASE}\" message-id=\"{number}\">{operation}</rpc>")
}

/// An operation of an attack of this kind.
pub(super) fn of(kind: Kind, dice: &mut Dice) -> String {
    match kind {
        Kind::XPath => search(dice),
        Kind::Subtree => format!(
            "<get><filter type=\"subtree\">{}</filter>{}</get>",
            filter::subtree(dice),
            with_defaults(dice)
        ),
        Kind::GetData => get_data(dice),
        Kind::Registrations => registration(dice),
        Kind::Subscriptions => subscription(dice),
        Kind::Operations => operation(dice),
        // What costs most is what is asked most often.
        _ => match dice.below(6) {
            0 => search(dice),
            1 => get_data(dice),
            2 => operation(dice),
            3 => "<get><filter/></get>".to_owned(),
            _ => "<get/>".to_owned(),
        },
    }
}

fn search(dice: &mut Dice) -> String {
    let get = *dice.one(&["get", "get", "get", "get-config"]);
    let source = match get {
        "get-config" => "<source><running/></source>",
        _ => "",
    };
    let attributes = xpath::attributes(dice);
    format!("<{get}>{source}<filter type=\"xpath\"{attributes}/></{get}>")
}

fn with_defaults(dice: &mut Dice) -> String {
    let mode = *dice.one(&[
        "report-all",
        "report-all-tagged",
        "trim",
        "explicit",
        "sometimes",
    ]);
    match dice.below(3) {
        0 => format!("<with-defaults xmlns=\"{WITH_DEFAULTS}\">{mode}</with-defaults>"),
        _ => String::new(),
    }
}

/// `get-data` (RFC 8526 §3.1): parameters in the order of the module, valid, invalid or too many.
fn get_data(dice: &mut Dice) -> String {
    let datastore = *dice.one(&[
        "operational",
        "operational",
        "operational",
        "running",
        "intended",
        "candidate",
        "nowhere",
    ]);
    let mut inside = format!("<datastore xmlns:ds=\"{DATASTORES}\">ds:{datastore}</datastore>");
    if dice.once_in(2) {
        let _ = write!(
            inside,
            "<subtree-filter>{}</subtree-filter>",
            filter::subtree(dice)
        );
    } else if dice.once_in(2) {
        inside.push_str(&xpath_filter(dice));
    }
    if dice.once_in(4) {
        let value = *dice.one(&["true", "false", "both"]);
        let _ = write!(inside, "<config-filter>{value}</config-filter>");
    }
    if dice.once_in(3) {
        for _ in 0..dice.size(200) {
            inside.push_str("<origin-filter xmlns:or=\"urn:ietf:params:xml:ns:yang:ietf-origin\">or:system</origin-filter>");
        }
    }
    if dice.once_in(3) {
        let depth = *dice.one(&["0", "1", "3", "65535", "65536", "unbounded", "-1"]);
        let _ = write!(inside, "<max-depth>{depth}</max-depth>");
    }
    if dice.once_in(3) {
        inside.push_str("<with-origin/>");
    }
    inside.push_str(&with_defaults(dice));
    format!("<get-data xmlns=\"{NMDA}\">{inside}</get-data>")
}

/// An expression as the text of an element, with the prefixes that it needs.
fn xpath_filter(dice: &mut Dice) -> String {
    let mut declared = String::new();
    for (prefix, namespace, _) in xpath::MODULES {
        let _ = write!(declared, " xmlns:{prefix}=\"{namespace}\"");
    }
    let expression = escaped(&xpath::expression(dice));
    format!("<xpath-filter{declared}>{expression}</xpath-filter>")
}

/// A subscription: its stream, start time and filter.
fn subscription(dice: &mut Dice) -> String {
    let mut inside = String::new();
    if dice.once_in(2) {
        let stream = *dice.one(&["NETCONF", "NETCONF", "nowhere", "FAULTS"]);
        let _ = write!(inside, "<stream>{stream}</stream>");
    }
    match dice.below(4) {
        0 => {}
        1 => {
            let filter = filter::subtree(dice);
            let _ = write!(inside, "<filter type=\"subtree\">{filter}</filter>");
        }
        _ => {
            let attributes = xpath::attributes(dice);
            let _ = write!(inside, "<filter type=\"xpath\"{attributes}/>");
        }
    }
    if dice.once_in(2) {
        let times = ["2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "yesterday"];
        let _ = write!(inside, "<startTime>{}</startTime>", dice.one(&times));
        if dice.once_in(3) {
            inside.push_str("<stopTime>2026-06-01T00:00:00Z</stopTime>");
        }
    }
    format!("<create-subscription xmlns=\"{NOTIFICATION}\">{inside}</create-subscription>")
}

/// An RPC for agents, from a client that is none.
fn registration(dice: &mut Dice) -> String {
    let name = *dice.one(&["guest", "TMF-Convoke-IP-1.0.0", "operator", "TMF-X-Y-1.0.0"]);
    match dice.below(8) {
        0 => format!("<renew-lease xmlns=\"{REGISTRY}\"><lease>60</lease></renew-lease>"),
        1 => format!("<deregister-agent xmlns=\"{REGISTRY}\"/>"),
        2 => format!(
            "<discover-agents xmlns=\"{REGISTRY}\"><skill>{}</skill></discover-agents>",
            words(dice, 4_000)
        ),
        3 => format!(
            "<form-team xmlns=\"{REGISTRY}\"><name>{}</name></form-team>",
            words(dice, 400)
        ),
        _ => format!(
            "<register-agent xmlns=\"{REGISTRY}\"><name>{name}</name><description>{}</description>{}\
             <version>1.0.0</version><provider>{}</provider><layer>resource</layer></register-agent>",
            words(dice, 30_000),
            skills(dice),
            words(dice, 200),
        ),
    }
}

fn skills(dice: &mut Dice) -> String {
    let mut skills = "<skills>".to_owned();
    for number in 0..dice.size(400) {
        let _ = write!(
            skills,
            "<skill><skill-name>s{number}</skill-name><skill-description>{}</skill-description>",
            words(dice, 200)
        );
        for _ in 0..dice.size(8) {
            let _ = write!(skills, "<skill-tags>{}</skill-tags>", words(dice, 20));
        }
        skills.push_str("</skill>");
    }
    skills + "</skills>"
}

/// A text of random length, repetitive or not.
fn words(dice: &mut Dice, most: usize) -> String {
    let word = *dice.one(&[
        "target: ",
        "x",
        "## target object ",
        "5Mbps and ",
        "\u{202e}",
        "故障",
    ]);
    let times = dice.size(most) / word.len() + 1;
    word.repeat(times)
}

/// Unknown, denied, and unrestricted operations.
fn operation(dice: &mut Dice) -> String {
    match dice.below(16) {
        0 => unknown(dice),
        1 => large(dice),
        2 => format!(
            "<task-negotiate xmlns=\"{AGENT}\"><task-sendTo>TMF-Convoke-IP-1.0.0</task-sendTo>\
             <commuType>taskAssgin</commuType><task-id>g{}</task-id><content>## target object\nsite:1\n\
             ## task description\n{}</content></task-negotiate>",
            dice.below(1_000),
            words(dice, 100_000)
        ),
        3 => format!(
            "<data-write xmlns=\"{DATA}\"><id>d{}</id><value>{}</value></data-write>",
            dice.below(1_000),
            words(dice, 200_000)
        ),
        4 => format!(
            "<edit-config><target><running/></target><config>{}</config></edit-config>",
            filter::subtree(dice)
        ),
        5 => {
            let verb = *dice.one(&["lock", "unlock", "validate", "commit", "discard-changes"]);
            match verb {
                "lock" | "unlock" => format!("<{verb}><target><running/></target></{verb}>"),
                _ => format!("<{verb}/>"),
            }
        }
        6 => format!(
            "<kill-session><session-id>{}</session-id></kill-session>",
            dice.below(1 << 33)
        ),
        7 | 8 => {
            let names = [
                "irtf-agent",
                "convoke-registry",
                "ietf-netconf",
                "nobody",
                "",
            ];
            format!(
                "<get-schema xmlns=\"{MONITORING}\"><identifier>{}</identifier></get-schema>",
                dice.one(&names)
            )
        }
        9 => format!("<get-audit xmlns=\"{AUDIT}\"/>"),
        10 => format!(
            "<inject-fault xmlns=\"{SIMULATION}\"><kind>{}</kind></inject-fault>",
            words(dice, 40)
        ),
        11 => format!(
            "<publish-schema-template xmlns=\"{SCHEMA}\"><template>{}</template></publish-schema-template>",
            words(dice, 100_000)
        ),
        12 => format!("<get-tasks xmlns=\"{REGISTRY}\"/>"),
        13 => format!(
            "<get-context xmlns=\"{REGISTRY}\"><task-id>{}</task-id></get-context>",
            words(dice, 300)
        ),
        14 => format!(
            "<get-config><source><{}/></source></get-config>",
            dice.one(&["running", "startup", "candidate", "url"])
        ),
        _ => format!(
            "<get><filter type=\"subtree\"><netconf xmlns=\"{NETMOD_NOTIFICATION}\"/></filter></get>"
        ),
    }
}

fn unknown(dice: &mut Dice) -> String {
    let name = "op".repeat(dice.size(120));
    let namespace = *dice.one(&[BASE, "urn:nobody", "", REGISTRY]);
    format!(
        "<{name} xmlns=\"{namespace}\">{}</{name}>",
        words(dice, 50_000)
    )
}

/// Many elements, attributes or declarations, each within its limit.
fn large(dice: &mut Dice) -> String {
    let mut inside = String::new();
    match dice.below(3) {
        0 => inside.push_str(&"<a/>".repeat(dice.size(60_000))),
        1 => {
            for number in 0..dice.size(4_000) {
                let _ = write!(inside, "<a{number}");
                for attribute in 0..dice.size(20) {
                    let _ = write!(inside, " b{attribute}=\"{attribute}\"");
                }
                inside.push_str("/>");
            }
        }
        _ => {
            for number in 0..dice.size(2_000) {
                let _ = write!(inside, "<p:a xmlns:p=\"urn:{number}\" p:b=\"\"/>");
            }
        }
    }
    format!("<unheard-of xmlns=\"urn:nobody\">{inside}</unheard-of>")
}
