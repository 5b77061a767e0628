//! Reading a router: its daemons, ports and counters, and its running configuration.
//!
//! FRR is asked over the sockets of `vtysh`, the kernel by `ip`, `tc` and `nft`. A configuration is
//! a map of parameters, each once:
//!
//! | parameter | value |
//! |---|---|
//! | `eth0/admin` | `up`, `down` |
//! | `eth0/mtu` | bytes |
//! | `eth0/description` | words |
//! | `eth0/address` | address and prefix length |
//! | `eth0/rate-kbps`, `eth0/queue-bytes` | of the port's shaper |
//! | `eth0/ospf-cost`, `eth0/ospf-area`, `eth0/ospf-hello-s`, `eth0/ospf-dead-s` | as configured |
//! | `eth0/ospf-passive` | `true`, `false` |
//! | `address/10.255.0.7/32` | `present`: an address of the router itself |
//! | `route/10.2.7.0/24` | `blackhole`: a static route that discards |
//! | `filter/10.2.7.0/24` | `drop`: a filter of what is forwarded |
//! | `ospfd`, `bfdd` | `running`, `stopped` |
//!
//! Read next: [`super::parameters`].

use super::filters;
use super::protocol::{DeviceState, PortState};
use crate::bring_up::full_neighbours;
use crate::error::LabError;
use crate::frr::{self, Vty};
use crate::plan::is_port;
use crate::requirements::DAEMONS;
use crate::run_folder::RunFolder;
use crate::shell::{ip_lines, run};
use serde_json::Value;
use std::collections::BTreeMap;

/// The state of a router.
///
/// # Errors
/// [`LabError::Silent`] of zebra if it does not answer.
pub(crate) fn state(namespace: &str) -> Result<DeviceState, LabError> {
    let zebra = Vty::open(namespace, "zebra")?;
    drop(zebra);
    let mut ports = ports(namespace)?;
    let said = ask(namespace, "ospfd", "show ip ospf neighbor json");
    tell_neighbours(said.as_deref(), &mut ports);
    let bfd = ask(namespace, "bfdd", "show bfd peers json");
    for (port, up) in bfd.as_deref().map(bfd_sessions).unwrap_or_default() {
        if let Some(port) = ports.get_mut(&port) {
            port.bfd_up = Some(up);
        }
    }
    let daemons = [
        ("zebra", true),
        ("ospfd", said.is_some()),
        ("bfdd", bfd.is_some()),
    ];
    Ok(DeviceState {
        daemons: daemons
            .map(|(name, answers)| (name.to_owned(), answers))
            .into(),
        ports,
    })
}

fn ask(namespace: &str, daemon: &str, line: &str) -> Option<String> {
    Vty::open(namespace, daemon)
        .and_then(|mut vty| vty.ask(line))
        .ok()
}

/// Which ports have a neighbour, by what ospfd says; without a word of it nothing is known.
fn tell_neighbours(said: Option<&str>, ports: &mut BTreeMap<String, PortState>) {
    let full = said.map(full_neighbours);
    for (name, port) in ports {
        port.adjacent = full.as_ref().map(|full| full.contains(name));
    }
}

fn bfd_sessions(said: &str) -> Vec<(String, bool)> {
    let told: Value = serde_json::from_str(said).unwrap_or_default();
    let peers = told.as_array().into_iter().flatten();
    let session = |p: &Value| Some((p["interface"].as_str()?.to_owned(), p["status"] == "up"));
    peers.filter_map(session).collect()
}

fn json(text: &str) -> Vec<Value> {
    match serde_json::from_str(text) {
        Ok(Value::Array(rows)) => rows,
        _ => Vec::new(),
    }
}

fn ports(namespace: &str) -> Result<BTreeMap<String, PortState>, LabError> {
    let links = json(&run("ip", &["-n", namespace, "-j", "-s", "link", "show"])?);
    let queues = json(&run("tc", &["-n", namespace, "-s", "-j", "qdisc", "show"])?);
    let drops = |name: &str| {
        let own = queues.iter().filter(|q| q["dev"].as_str() == Some(name));
        own.filter_map(|q| q["drops"].as_u64()).sum()
    };
    let flag = |link: &Value, flag: &str| {
        let flags = link["flags"].as_array();
        flags.is_some_and(|all| all.iter().any(|f| f.as_str() == Some(flag)))
    };
    let port = |link: &Value| {
        let name = link["ifname"].as_str().filter(|name| is_port(name))?;
        let count = |side: &str, what: &str| link["stats64"][side][what].as_u64().unwrap_or(0);
        let state = PortState {
            admin_up: flag(link, "UP"),
            carrier: flag(link, "LOWER_UP"),
            rx_bytes: count("rx", "bytes"),
            tx_bytes: count("tx", "bytes"),
            errors: count("rx", "errors") + count("tx", "errors"),
            queue_drops: drops(name),
            adjacent: None,
            bfd_up: None,
        };
        Some((name.to_owned(), state))
    };
    Ok(links.iter().filter_map(port).collect())
}

/// The running configuration of a router.
///
/// # Errors
/// [`LabError::Silent`] of zebra if it does not answer.
pub(crate) fn configuration(namespace: &str) -> Result<BTreeMap<String, String>, LabError> {
    drop(Vty::open(namespace, "zebra")?);
    let mut told = BTreeMap::new();
    of_links(namespace, &mut told)?;
    of_shapers(namespace, &mut told)?;
    of_routes(namespace, &mut told)?;
    let filters = filters::dropped(namespace).into_iter();
    told.extend(filters.map(|prefix| (format!("filter/{prefix}"), "drop".to_owned())));
    for daemon in &DAEMONS[1..] {
        let running = ask(namespace, daemon, "show running-config");
        let word = if running.is_some() {
            "running"
        } else {
            "stopped"
        };
        told.insert((*daemon).to_owned(), word.to_owned());
        if let (Some(text), "ospfd") = (&running, *daemon) {
            of_ospf(text, &mut told);
        }
    }
    Ok(told)
}

fn of_links(namespace: &str, told: &mut BTreeMap<String, String>) -> Result<(), LabError> {
    for link in json(&run("ip", &["-n", namespace, "-j", "addr", "show"])?) {
        let Some(name) = link["ifname"].as_str() else {
            continue;
        };
        let addresses = link["addr_info"].as_array().into_iter().flatten();
        let addresses = addresses.filter(|a| a["family"].as_str() == Some("inet"));
        let written =
            |a: &Value| format!("{}/{}", a["local"].as_str().unwrap_or(""), a["prefixlen"]);
        if name == "lo" {
            let own = addresses.filter(|a| a["scope"].as_str() != Some("host"));
            told.extend(own.map(|a| (format!("address/{}", written(a)), "present".to_owned())));
        } else if is_port(name) {
            let mut set = |parameter: &str, value: String| {
                told.insert(format!("{name}/{parameter}"), value);
            };
            let flags = link["flags"].as_array().into_iter().flatten();
            let up = flags.into_iter().any(|f| f.as_str() == Some("UP"));
            set("admin", if up { "up" } else { "down" }.to_owned());
            set("mtu", link["mtu"].to_string());
            set(
                "description",
                link["ifalias"].as_str().unwrap_or("").to_owned(),
            );
            let all: Vec<String> = addresses.map(written).collect();
            set("address", all.join(" "));
        }
    }
    Ok(())
}

fn of_shapers(namespace: &str, told: &mut BTreeMap<String, String>) -> Result<(), LabError> {
    // The JSON of `tc` tells the queue as a delay; its words tell it in bytes.
    let said = run("tc", &["-n", namespace, "-r", "qdisc", "show"])?;
    for line in said.lines().filter(|line| line.starts_with("qdisc tbf")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |word: &str| {
            let place = words.iter().position(|w| *w == word)?;
            words.get(place + 1).copied()
        };
        let Some(port) = after("dev") else { continue };
        if let Some(rate) = after("rate").and_then(kbps) {
            told.insert(format!("{port}/rate-kbps"), rate.to_string());
        }
        if let Some(limit) = after("limit").and_then(bytes) {
            told.insert(format!("{port}/queue-bytes"), limit.to_string());
        }
    }
    Ok(())
}

/// A rate as `tc` writes it, in kbit/s.
fn kbps(text: &str) -> Option<u64> {
    let (number, factor) = [("Gbit", 1e6), ("Mbit", 1e3), ("Kbit", 1.0), ("bit", 1e-3)]
        .into_iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    Some((number.parse::<f64>().ok()? * factor).round() as u64)
}

/// A size as `tc` writes it, in bytes.
fn bytes(text: &str) -> Option<u64> {
    let (number, factor) = [("Mb", 1_048_576.0), ("Kb", 1_024.0), ("b", 1.0)]
        .into_iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    Some((number.parse::<f64>().ok()? * factor).round() as u64)
}

fn of_routes(namespace: &str, told: &mut BTreeMap<String, String>) -> Result<(), LabError> {
    let arguments = ["-n", namespace, "-j", "route", "show", "type", "blackhole"];
    for route in json(&run("ip", &arguments)?) {
        if let Some(prefix) = route["dst"].as_str() {
            told.insert(format!("route/{prefix}"), "blackhole".to_owned());
        }
    }
    Ok(())
}

fn of_ospf(text: &str, told: &mut BTreeMap<String, String>) {
    let mut port: Option<&str> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("interface ") {
            port = Some(name.trim()).filter(|name| is_port(name));
            if let Some(name) = port {
                told.insert(format!("{name}/ospf-passive"), "false".to_owned());
            }
        }
        let (Some(name), Some(words)) = (port, line.strip_prefix(" ip ospf ")) else {
            continue;
        };
        let (word, value) = words
            .trim()
            .split_once(' ')
            .unwrap_or((words.trim(), "true"));
        let parameter = match word {
            "cost" => "ospf-cost",
            "area" => "ospf-area",
            "hello-interval" => "ospf-hello-s",
            "dead-interval" => "ospf-dead-s",
            "passive" => "ospf-passive",
            _ => continue,
        };
        told.insert(format!("{name}/{parameter}"), value.to_owned());
    }
}

/// Switches a router off and on: all its daemons end, its ports go down and up, and the daemons
/// start with their start configuration.
///
/// # Errors
/// [`LabError::Shell`]
pub(crate) fn restart(namespace: &str, folder: &RunFolder) -> Result<(), LabError> {
    for daemon in DAEMONS {
        frr::end(namespace, daemon);
    }
    let ports: Vec<String> = ports(namespace)?.into_keys().collect();
    let each = |word: &str| {
        ports
            .iter()
            .map(|p| format!("link set {p} {word}"))
            .collect::<Vec<_>>()
    };
    ip_lines(Some(namespace), &each("down"))?;
    ip_lines(Some(namespace), &each("up"))?;
    DAEMONS
        .iter()
        .try_for_each(|daemon| frr::start(namespace, daemon, folder))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_tc_writes_them() {
        assert_eq!(
            ["10Mbit", "48Kbit", "800bit"].map(kbps),
            [Some(10_000), Some(48), Some(1)]
        );
        assert_eq!(
            ["200000b", "4Kb", "x"].map(bytes),
            [Some(200_000), Some(4_096), None]
        );
    }

    #[test]
    fn an_ospfd_that_says_nothing_has_not_lost_its_neighbours() {
        let neighbour =
            r#"{"neighbors":{"10.255.0.2":[{"converged":"Full","ifaceName":"eth0:10.0.0.1"}]}}"#;
        let told = |said: Option<&str>| {
            let two = ["eth0", "eth1"].map(|name| (name.to_owned(), PortState::default()));
            let mut ports = BTreeMap::from(two);
            tell_neighbours(said, &mut ports);
            ports
                .into_values()
                .map(|port| port.adjacent)
                .collect::<Vec<_>>()
        };
        assert_eq!(told(Some(neighbour)), [Some(true), Some(false)]);
        assert_eq!(told(Some("{}")), [Some(false), Some(false)]);
        assert_eq!(told(None), [None, None]);
    }

    #[test]
    fn a_running_configuration_is_read_by_port() {
        let text = "interface eth0\n ip ospf network point-to-point\n ip ospf cost 7\n \
                    ip ospf area 0.0.0.0\n ip ospf passive\nexit\ninterface lo\n ip ospf area 0.0.0.0\n";
        let mut told = BTreeMap::new();
        of_ospf(text, &mut told);
        let told: Vec<String> = told.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let expected = [
            "eth0/ospf-area=0.0.0.0",
            "eth0/ospf-cost=7",
            "eth0/ospf-passive=true",
        ];
        assert_eq!(told, expected);
    }
}
