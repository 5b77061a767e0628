//! Setting one parameter of a router, as an engineer would.
//!
//! The vocabulary is that of [`super::device`]; values are checked before anything is done, and
//! nothing but the one parameter is changed. Read next: [`super::service`].

use super::filters;
use crate::bring_up::shape;
use crate::error::LabError;
use crate::frr::{self, Vty};
use crate::plan::is_port;
use crate::run_folder::RunFolder;
use crate::shell::{run, within};
use std::net::Ipv4Addr;

/// The words that remove an address, a route or a filter.
const NONE: &str = "none";

/// Sets a parameter.
///
/// # Errors
/// [`LabError::Request`] if there is no such parameter, or it takes no such value;
/// [`LabError::Silent`] or [`LabError::Refused`] if the router does not take it.
pub(crate) fn set(
    namespace: &str,
    parameter: &str,
    value: &str,
    folder: &RunFolder,
) -> Result<(), LabError> {
    drop(Vty::open(namespace, "zebra")?);
    let wrong = || LabError::Request(format!("'{parameter}' does not take '{value}'"));
    match parameter.split_once('/') {
        None => daemon(namespace, parameter, value, folder).unwrap_or_else(|| Err(wrong())),
        Some(("address", prefix)) => {
            let prefix = checked_prefix(prefix).ok_or_else(wrong)?;
            let word = added(value, "present").ok_or_else(wrong)?;
            Ok(run("ip", &["-n", namespace, "addr", word, &prefix, "dev", "lo"]).map(drop)?)
        }
        Some(("route", prefix)) => {
            let prefix = checked_prefix(prefix).ok_or_else(wrong)?;
            let word = added(value, "blackhole").ok_or_else(wrong)?;
            let arguments = ["-n", namespace, "route", word, "blackhole", &prefix];
            Ok(run("ip", &arguments).map(drop)?)
        }
        Some(("filter", prefix)) => {
            let prefix = checked_prefix(prefix).ok_or_else(wrong)?;
            let word = added(value, "drop").ok_or_else(wrong)?;
            filters::set(namespace, &prefix, word == "add")
        }
        Some((port, parameter)) => of_port(namespace, port, parameter, value, &wrong),
    }
}

/// Addition for the word that a parameter has where it is, removal for none.
fn added(value: &str, present: &str) -> Option<&'static str> {
    match value {
        NONE => Some("del"),
        value if value == present => Some("add"),
        _ => None,
    }
}

/// A prefix in its one form.
pub(crate) fn checked_prefix(text: &str) -> Option<String> {
    let (address, length) = text.split_once('/')?;
    let (address, length): (Ipv4Addr, u8) = (address.parse().ok()?, length.parse().ok()?);
    (length <= 32).then(|| format!("{address}/{length}"))
}

fn daemon(
    namespace: &str,
    name: &str,
    value: &str,
    folder: &RunFolder,
) -> Option<Result<(), LabError>> {
    let known = ["ospfd", "bfdd"].contains(&name) && ["running", "stopped"].contains(&value);
    let running = frr::process(namespace, name).is_some();
    known.then(|| match (value, running) {
        ("running", false) => frr::start(namespace, name, folder),
        ("stopped", true) => {
            frr::end(namespace, name);
            Ok(())
        }
        _ => Ok(()),
    })
}

fn of_port(
    namespace: &str,
    port: &str,
    parameter: &str,
    value: &str,
    wrong: &dyn Fn() -> LabError,
) -> Result<(), LabError> {
    // FRR would take the configuration of a port that there is none of.
    let shown = ["-n", namespace, "link", "show", "dev", port];
    if !is_port(port) || run("ip", &shown).is_err() {
        return Err(wrong());
    }
    let number = |range: std::ops::RangeInclusive<u64>| {
        let number = value.parse::<u64>().ok().filter(|n| range.contains(n));
        number.ok_or_else(wrong)
    };
    let ip = |words: &[&str]| -> Result<(), LabError> {
        let mut all = vec!["-n", namespace, "link", "set", "dev", port];
        all.extend(words);
        Ok(run("ip", &all).map(drop)?)
    };
    let ospf = |line: String| -> Result<(), LabError> {
        let lines = [format!("interface {port}"), line];
        Vty::open(namespace, "ospfd")?.configure(&lines)
    };
    match parameter {
        "admin" if ["up", "down"].contains(&value) => ip(&[value]),
        "mtu" => ip(&["mtu", &number(576..=9_000)?.to_string()]),
        "description" if value.len() <= 200 && !value.contains(char::is_control) => {
            ip(&["alias", value])
        }
        "rate-kbps" => reshape(namespace, port, Some(number(8..=10_000_000)?), None),
        "queue-bytes" => reshape(namespace, port, None, Some(number(100..=100_000_000)?)),
        "ospf-cost" => ospf(format!("ip ospf cost {}", number(1..=65_535)?)),
        "ospf-hello-s" => ospf(format!("ip ospf hello-interval {}", number(1..=65_535)?)),
        "ospf-dead-s" => ospf(format!("ip ospf dead-interval {}", number(1..=65_535)?)),
        "ospf-passive" => match value {
            "true" => ospf("ip ospf passive".to_owned()),
            "false" => ospf("no ip ospf passive".to_owned()),
            _ => Err(wrong()),
        },
        "ospf-area" => {
            let area: Ipv4Addr = value.parse().map_err(|_| wrong())?;
            ospf("no ip ospf area".to_owned())?;
            ospf(format!("ip ospf area {area}"))
        }
        _ => Err(wrong()),
    }
}

/// Shapes a port anew; what is not given stays.
fn reshape(
    namespace: &str,
    port: &str,
    rate_kbps: Option<u64>,
    queue_bytes: Option<u64>,
) -> Result<(), LabError> {
    let now = super::device::configuration(namespace)?;
    let read = |parameter: &str| {
        let told = now.get(&format!("{port}/{parameter}"));
        told.and_then(|value| value.parse::<u64>().ok())
    };
    let missing = || LabError::Request(format!("{port} is not shaped"));
    let rate = rate_kbps
        .or_else(|| read("rate-kbps"))
        .ok_or_else(missing)?;
    let queue = queue_bytes
        .or_else(|| read("queue-bytes"))
        .ok_or_else(missing)?;
    let line = shape(port, rate, queue);
    let mut words = vec!["tc"];
    words.extend(line.split(' '));
    Ok(within(namespace, &words).map(drop)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_addresses_with_a_length() {
        assert_eq!(
            checked_prefix("10.2.7.0/24").as_deref(),
            Some("10.2.7.0/24")
        );
        for wrong in ["10.2.7.0", "10.2.7.0/33", "10.2.7/24", "; rm/24", "::/0"] {
            assert_eq!(checked_prefix(wrong), None, "{wrong}");
        }
    }
}
