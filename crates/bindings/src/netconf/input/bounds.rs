//! Every bound of an input in YANG, with what holds it on the other roads into the engine.
//!
//! Other protocols do not ask YANG. A leaf with a bound that nobody has accounted for fails here.

use crate::netconf::generator::is_typed;
use domain::context::Body;
use domain::profile::Skill;
use domain::radio::POWER_OFFSET_MAX_DB;
use domain::registry::Registration;
use domain::task::TaskId;
use std::collections::BTreeSet;
use std::path::Path;
use yang::{BaseType, Generation, ModuleSet, SchemaNode, ValueType};

/// What holds a bound besides YANG.
enum Keeper {
    /// A constant, as YANG would write the bound.
    Value(String),
    /// These words in this file below `crates/`.
    Words(&'static str, &'static str),
    /// Nothing, for this reason.
    Nothing(&'static str),
}
use Keeper::{Nothing, Value, Words};

const PAGE: &str = "a page ends earlier by its bytes, whatever number is asked for";
const LOOKED_UP: &str = "it is looked up, and what is not there is refused or left out";
const NUMBERED: &str = "it is compared with a number that is counted here";
const TOLD: &str = "only this rpc carries it, and a message is bounded as a whole";

/// The end of a leaf's path, its bound, and who keeps it.
fn accounts() -> Vec<(&'static str, String, Keeper)> {
    let chunk = Body::CHUNK_MOST;
    let lease = format!(
        "{}..{}",
        Registration::LEASE_LEAST_MS / 1_000,
        Registration::LEASE_MOST_MS / 1_000
    );
    let identifier = format!("1..{}", TaskId::LONGEST);
    let condition = |words| Words("engine/src/policy/governing.rs", words);
    let of = |leaf, bound: &str, keeper| (leaf, bound.to_owned(), keeper);
    vec![
        of("get-audit/limit", "1..1000", Nothing(PAGE)),
        of("get-tasks/limit", "1..1000", Nothing(PAGE)),
        of("get-tasks/text-limit", "64..1048576", Nothing(PAGE)),
        of("get-context/limit", "1..1000", Nothing(PAGE)),
        of(
            "discover-agents/limit",
            "1..1000",
            Words("engine/src/registry.rs", "const FOUND_MOST: usize = 1_000;"),
        ),
        of("register-agent/lease", "10..604800", Value(lease)),
        of("register-agent/province", "1..64", Nothing(TOLD)),
        of(
            "skill-detail/example",
            "1..512",
            Value(format!("1..{}", Skill::EXAMPLE_BYTES_MOST)),
        ),
        of(
            "data-write/id",
            "1..128 [^/]*",
            Words(
                "engine/src/data.rs",
                "!identifier::is_identifier(id, 128) || id.contains('/')",
            ),
        ),
        of("data-write/data", "0..262144", Value(format!("0..{chunk}"))),
        of(
            "data-write/sha256",
            "[0-9a-fA-F]{64}",
            Words(
                "bindings/src/netconf/operation/data.rs",
                "fn digest(text: &str) -> Option<[u8; 32]> {",
            ),
        ),
        of(
            "data-read/length",
            "1..262144",
            Value(format!("1..{chunk}")),
        ),
        of("/element", "1..256", Nothing(LOOKED_UP)),
        of("set-power/cell", "1..256", Nothing(LOOKED_UP)),
        of("set-saving/cell", "1..256", Nothing(LOOKED_UP)),
        of(
            "set-power/offset",
            "0..10",
            Value(format!("0..{POWER_OFFSET_MAX_DB}")),
        ),
        of("trace/vehicle", "1..64", Nothing(LOOKED_UP)),
        of("dispatch/work-order", "1..128", Nothing(TOLD)),
        of(
            "guide/dispatch",
            "1..9223372036854775807",
            Nothing(NUMBERED),
        ),
        of("inject-fault/element", "1..", Nothing(LOOKED_UP)),
        of(
            "inject-fault/duration",
            "60..604800",
            Words(
                "showcase/network/src/fault/terms.rs",
                "pub const LASTS_S: (f64, f64) = (60.0, 604_800.0);",
            ),
        ),
        of("clear-fault/id", "1..", Nothing(NUMBERED)),
        of("end-console-session/id", "1..64", Nothing(LOOKED_UP)),
        of("compare-day/sites", "12..300", Nothing(TOLD)),
        of("compare-day/from", "1..23", Nothing(TOLD)),
        of(
            "/node",
            r"1..64 [A-Za-z0-9]([A-Za-z0-9._\-]*[A-Za-z0-9])?",
            Nothing(LOOKED_UP),
        ),
        of(
            "-rule/name",
            "1..64 [^/]*",
            Words(
                "engine/src/policy/governing.rs",
                "const NAME_MOST: usize = 64;",
            ),
        ),
        of(
            "-rule/bound/key",
            "1..64 [^ <>=]*",
            condition("has_length(&bound.key, NAME_MOST) && is_plain(&bound.key)"),
        ),
        of("-rule/after", "1..31622400", condition("366 * 86_400_000")),
        of("withdraw-rule/author", "1..256", Nothing(LOOKED_UP)),
        of(
            "-rule/decider",
            "1..256",
            condition("TEXT_MOST: usize = 256"),
        ),
        of("-rule/agent", "1..256", condition("TEXT_MOST: usize = 256")),
        of(
            "-rule/domain",
            "1..256",
            condition("TEXT_MOST: usize = 256"),
        ),
        of(
            "-rule/target",
            "1..256",
            condition("TEXT_MOST: usize = 256"),
        ),
        of(
            "-rule/scenario",
            "1..256",
            condition("TEXT_MOST: usize = 256"),
        ),
        of("-rule/escalate-to", "1..256", Nothing(LOOKED_UP)),
        of(
            "/schema-id",
            "1..64 [a-z][a-z0-9]*(_[a-z0-9]+)*",
            Nothing(LOOKED_UP),
        ),
        of("/scenario", "1..64", Nothing(LOOKED_UP)),
        of("/preferred-language", "1..35", Nothing(LOOKED_UP)),
        of("/patch-id", "1..128", Nothing(LOOKED_UP)),
        of("/since-patch-id", "1..128", Nothing(LOOKED_UP)),
        of(
            "request-capability-extension/text",
            "1..4096",
            Words(
                "engine/src/schemas/observation.rs",
                "WISH_MOST: usize = 4_096;",
            ),
        ),
        of(
            "parse-utterance/utterance",
            "1..4096",
            Words(
                "engine/src/schemas/operation.rs",
                "UTTERANCE_BYTES_MAX: usize = 4_096;",
            ),
        ),
        of("parse-utterance/agent", "1..256", Nothing(LOOKED_UP)),
        of("reject-patch/reason", "1..1024", Nothing(TOLD)),
        of(
            "task-negotiate/content",
            r"[\s\S]*##\s*target object\s*\S+[\s\S]* [\s\S]*##\s*task description\s*\S+[\s\S]*",
            Words("domain/src/content.rs", "Missing("),
        ),
        of("/conversation", "1..128", Value(identifier)),
        of("task-negotiate/round", "1..", Nothing(NUMBERED)),
        of("task-negotiate/alternative", "1..", Nothing(NUMBERED)),
        of("task-negotiate/answer-within", "1..", Nothing(TOLD)),
        of("task-negotiate/round-limit", "1..100", Nothing(TOLD)),
    ]
}

/// The bound of a leaf as it is written here; none if it has none. A date is read, whatever it is.
fn bound(its: &ValueType) -> Option<String> {
    if its.typedef.as_deref() == Some("date-and-time") {
        return None;
    }
    let unit = 10_i128.pow(its.fraction_digits.into());
    let most = |most: i128| match its.base {
        BaseType::Unsigned(bits) if most == (1_i128 << bits) - 1 => String::new(),
        BaseType::String if most > i128::from(u32::MAX) => String::new(),
        _ => (most / unit).to_string(),
    };
    let intervals = its.intervals.iter();
    let intervals = intervals.map(|(least, end)| format!("{}..{}", least / unit, most(*end)));
    let parts: Vec<String> = intervals.chain(its.patterns.iter().cloned()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The path without the level of the input, and without the prefix of the rpc's module.
fn called(node: &SchemaNode) -> String {
    node.instance_path()
        .replacen(&format!("/{}:", node.module), "/", 1)
}

#[test]
fn every_bound_of_an_input_is_accounted_for() {
    let generation = Generation::load(&ModuleSet::convoke()).expect("the modules are shipped");
    let accounts = accounts();
    let mut used = BTreeSet::new();
    let mut unaccounted = Vec::new();
    for node in generation.schema_nodes() {
        let inside = node.path.split('/').nth(2) == Some("input") && node.in_operation;
        let Some(bound) = node.value_type.as_ref().and_then(bound) else {
            continue;
        };
        if !inside || !is_typed(&node.module) {
            continue;
        }
        let path = called(node);
        let known = accounts
            .iter()
            .position(|(end, written, _)| path.ends_with(end) && *written == bound);
        match known {
            Some(place) => drop(used.insert(place)),
            None => unaccounted.push(format!("{path}: {bound}")),
        }
    }
    assert_eq!(unaccounted, [""; 0], "bounds that nobody has accounted for");
    let idle = accounts.iter().enumerate();
    let idle: Vec<_> = idle
        .filter(|(place, _)| !used.contains(place))
        .map(|(_, (end, bound, _))| format!("{end}: {bound}"))
        .collect();
    assert_eq!(idle, [""; 0], "no such bound");
}

#[test]
fn what_keeps_a_bound_keeps_the_same_one() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (leaf, bound, keeper) in accounts() {
        match keeper {
            Value(value) => assert_eq!(value, bound, "{leaf}"),
            Words(file, words) => {
                let text = std::fs::read_to_string(crates.join(file));
                let text = text.unwrap_or_else(|cause| panic!("{file}: {cause}"));
                assert!(text.contains(words), "{leaf}: {file} has no '{words}'");
            }
            Nothing(why) => assert!(!why.is_empty(), "{leaf}"),
        }
    }
}
