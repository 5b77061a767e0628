//! The content of an `<rpc>`: expensive permitted operations of a guest, and denied ones.
//!
//! Each is XML within the limits of messages, so that it is answered by a reply. Read next:
//! [`super::spoilt`].

use super::{Kind, escaped, filter, xpath};
use crate::rng::SeededRng;
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
pub(super) fn of(kind: Kind, rng: &mut SeededRng) -> String {
    match kind {
        Kind::XPath => search(rng),
        Kind::Subtree => format!(
            "<get><filter type=\"subtree\">{}</filter>{}</get>",
            filter::subtree(rng),
            with_defaults(rng)
        ),
        Kind::GetData => get_data(rng),
        Kind::Registrations => registration(rng),
        Kind::Subscriptions => subscription(rng),
        Kind::Operations => operation(rng),
        // What costs most is what is asked most often.
        _ => match rng.below(6) {
            0 => search(rng),
            1 => get_data(rng),
            2 => operation(rng),
            3 => "<get><filter/></get>".to_owned(),
            _ => "<get/>".to_owned(),
        },
    }
}

fn search(rng: &mut SeededRng) -> String {
    let get = *rng.one(&["get", "get", "get", "get-config"]);
    let source = match get {
        "get-config" => "<source><running/></source>",
        _ => "",
    };
    let attributes = xpath::attributes(rng);
    format!("<{get}>{source}<filter type=\"xpath\"{attributes}/></{get}>")
}

fn with_defaults(rng: &mut SeededRng) -> String {
    let mode = *rng.one(&[
        "report-all",
        "report-all-tagged",
        "trim",
        "explicit",
        "sometimes",
    ]);
    match rng.below(3) {
        0 => format!("<with-defaults xmlns=\"{WITH_DEFAULTS}\">{mode}</with-defaults>"),
        _ => String::new(),
    }
}

/// `get-data` (RFC 8526 §3.1): parameters in the order of the module, valid, invalid or too many.
fn get_data(rng: &mut SeededRng) -> String {
    let datastore = *rng.one(&[
        "operational",
        "operational",
        "operational",
        "running",
        "intended",
        "candidate",
        "nowhere",
    ]);
    let mut inside = format!("<datastore xmlns:ds=\"{DATASTORES}\">ds:{datastore}</datastore>");
    if rng.once_in(2) {
        let _ = write!(
            inside,
            "<subtree-filter>{}</subtree-filter>",
            filter::subtree(rng)
        );
    } else if rng.once_in(2) {
        inside.push_str(&xpath_filter(rng));
    }
    if rng.once_in(4) {
        let value = *rng.one(&["true", "false", "both"]);
        let _ = write!(inside, "<config-filter>{value}</config-filter>");
    }
    if rng.once_in(3) {
        for _ in 0..rng.size(200) {
            inside.push_str("<origin-filter xmlns:or=\"urn:ietf:params:xml:ns:yang:ietf-origin\">or:system</origin-filter>");
        }
    }
    if rng.once_in(3) {
        let depth = *rng.one(&["0", "1", "3", "65535", "65536", "unbounded", "-1"]);
        let _ = write!(inside, "<max-depth>{depth}</max-depth>");
    }
    if rng.once_in(3) {
        inside.push_str("<with-origin/>");
    }
    inside.push_str(&with_defaults(rng));
    format!("<get-data xmlns=\"{NMDA}\">{inside}</get-data>")
}

/// An expression as the text of an element, with the prefixes that it needs.
fn xpath_filter(rng: &mut SeededRng) -> String {
    let mut declared = String::new();
    for (prefix, namespace, _) in xpath::MODULES {
        let _ = write!(declared, " xmlns:{prefix}=\"{namespace}\"");
    }
    let expression = escaped(&xpath::expression(rng));
    format!("<xpath-filter{declared}>{expression}</xpath-filter>")
}

/// A subscription: its stream, start time and filter.
fn subscription(rng: &mut SeededRng) -> String {
    let mut inside = String::new();
    if rng.once_in(2) {
        let stream = *rng.one(&["NETCONF", "NETCONF", "nowhere", "FAULTS"]);
        let _ = write!(inside, "<stream>{stream}</stream>");
    }
    match rng.below(4) {
        0 => {}
        1 => {
            let filter = filter::subtree(rng);
            let _ = write!(inside, "<filter type=\"subtree\">{filter}</filter>");
        }
        _ => {
            let attributes = xpath::attributes(rng);
            let _ = write!(inside, "<filter type=\"xpath\"{attributes}/>");
        }
    }
    if rng.once_in(2) {
        let times = ["2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "yesterday"];
        let _ = write!(inside, "<startTime>{}</startTime>", rng.one(&times));
        if rng.once_in(3) {
            inside.push_str("<stopTime>2026-06-01T00:00:00Z</stopTime>");
        }
    }
    format!("<create-subscription xmlns=\"{NOTIFICATION}\">{inside}</create-subscription>")
}

/// An RPC for agents, from a client that is none.
fn registration(rng: &mut SeededRng) -> String {
    let name = *rng.one(&["guest", "TMF-Convoke-IP-1.0.0", "operator", "TMF-X-Y-1.0.0"]);
    match rng.below(8) {
        0 => format!("<renew-lease xmlns=\"{REGISTRY}\"><lease>60</lease></renew-lease>"),
        1 => format!("<deregister-agent xmlns=\"{REGISTRY}\"/>"),
        2 => format!(
            "<discover-agents xmlns=\"{REGISTRY}\"><skill>{}</skill></discover-agents>",
            words(rng, 4_000)
        ),
        3 => format!(
            "<form-team xmlns=\"{REGISTRY}\"><name>{}</name></form-team>",
            words(rng, 400)
        ),
        _ => format!(
            "<register-agent xmlns=\"{REGISTRY}\"><name>{name}</name><description>{}</description>{}\
             <version>1.0.0</version><provider>{}</provider><layer>resource</layer></register-agent>",
            words(rng, 30_000),
            skills(rng),
            words(rng, 200),
        ),
    }
}

fn skills(rng: &mut SeededRng) -> String {
    let mut skills = "<skills>".to_owned();
    for number in 0..rng.size(400) {
        let _ = write!(
            skills,
            "<skill><skill-name>s{number}</skill-name><skill-description>{}</skill-description>",
            words(rng, 200)
        );
        for _ in 0..rng.size(8) {
            let _ = write!(skills, "<skill-tags>{}</skill-tags>", words(rng, 20));
        }
        skills.push_str("</skill>");
    }
    skills + "</skills>"
}

/// A text of random length, repetitive or not.
fn words(rng: &mut SeededRng, most: usize) -> String {
    let word = *rng.one(&[
        "target: ",
        "x",
        "## target object ",
        "5Mbps and ",
        "\u{202e}",
        "故障",
    ]);
    let times = rng.size(most) / word.len() + 1;
    word.repeat(times)
}

/// Unknown, denied, and unrestricted operations.
fn operation(rng: &mut SeededRng) -> String {
    match rng.below(16) {
        0 => unknown(rng),
        1 => large(rng),
        2 => format!(
            "<task-negotiate xmlns=\"{AGENT}\"><task-sendTo>TMF-Convoke-IP-1.0.0</task-sendTo>\
             <commuType>taskAssgin</commuType><task-id>g{}</task-id><content>## target object\nsite:1\n\
             ## task description\n{}</content></task-negotiate>",
            rng.below(1_000),
            words(rng, 100_000)
        ),
        3 => format!(
            "<data-write xmlns=\"{DATA}\"><id>d{}</id><value>{}</value></data-write>",
            rng.below(1_000),
            words(rng, 200_000)
        ),
        4 => format!(
            "<edit-config><target><running/></target><config>{}</config></edit-config>",
            filter::subtree(rng)
        ),
        5 => {
            let verb = *rng.one(&["lock", "unlock", "validate", "commit", "discard-changes"]);
            match verb {
                "lock" | "unlock" => format!("<{verb}><target><running/></target></{verb}>"),
                _ => format!("<{verb}/>"),
            }
        }
        6 => format!(
            "<kill-session><session-id>{}</session-id></kill-session>",
            rng.below(1 << 33)
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
                rng.one(&names)
            )
        }
        9 => format!("<get-audit xmlns=\"{AUDIT}\"/>"),
        10 => format!(
            "<inject-fault xmlns=\"{SIMULATION}\"><kind>{}</kind></inject-fault>",
            words(rng, 40)
        ),
        11 => format!(
            "<publish-schema-template xmlns=\"{SCHEMA}\"><template>{}</template></publish-schema-template>",
            words(rng, 100_000)
        ),
        12 => format!("<get-tasks xmlns=\"{REGISTRY}\"/>"),
        13 => format!(
            "<get-context xmlns=\"{REGISTRY}\"><task-id>{}</task-id></get-context>",
            words(rng, 300)
        ),
        14 => format!(
            "<get-config><source><{}/></source></get-config>",
            rng.one(&["running", "startup", "candidate", "url"])
        ),
        _ => format!(
            "<get><filter type=\"subtree\"><netconf xmlns=\"{NETMOD_NOTIFICATION}\"/></filter></get>"
        ),
    }
}

fn unknown(rng: &mut SeededRng) -> String {
    let name = "op".repeat(rng.size(120));
    let namespace = *rng.one(&[BASE, "urn:nobody", "", REGISTRY]);
    format!(
        "<{name} xmlns=\"{namespace}\">{}</{name}>",
        words(rng, 50_000)
    )
}

/// Many elements, attributes or declarations, each within its limit.
fn large(rng: &mut SeededRng) -> String {
    let mut inside = String::new();
    match rng.below(3) {
        0 => inside.push_str(&"<a/>".repeat(rng.size(60_000))),
        1 => {
            for number in 0..rng.size(4_000) {
                let _ = write!(inside, "<a{number}");
                for attribute in 0..rng.size(20) {
                    let _ = write!(inside, " b{attribute}=\"{attribute}\"");
                }
                inside.push_str("/>");
            }
        }
        _ => {
            for number in 0..rng.size(2_000) {
                let _ = write!(inside, "<p:a xmlns:p=\"urn:{number}\" p:b=\"\"/>");
            }
        }
    }
    format!("<unheard-of xmlns=\"urn:nobody\">{inside}</unheard-of>")
}
