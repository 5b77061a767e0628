//! `convoke learn history` and `convoke eval alarms`: files in, files and JSON output (`--json`), and
//! exit code.
//!
//! The set is invented here: faults that cause losses, losses that cause drops, and two types that
//! have nothing to do with it. No platform runs. Read next: `cli.rs`.

#![allow(clippy::unwrap_used)]

mod support;

use netconf::xml::{Limits, XmlDocument};
use serde_json::Value;
use std::path::Path;
use support::block_on;
use support::process::{Finished, run};
use tempfile::TempDir;

/// The types of the set: 0 causes 1, 1 causes 2.
const TYPES: usize = 5;
const DEVICES: usize = 20;

/// Numbers that look random and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: i64) -> i64 {
        // Knuth's MMIX generator; its upper bits are the better ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % end
    }

    /// A delay of 1 to 255 s, about as often at every scale.
    fn delay(&mut self) -> i64 {
        let scale = 1 << self.below(8);
        scale + self.below(scale)
    }
}

/// The lines of a record without its heading.
fn alarms() -> Vec<String> {
    let mut chance = Chance(7);
    let mut lines = Vec::new();
    for device in 0..DEVICES {
        let mut raise = |alarm_type: usize, start: i64| {
            lines.push(format!("{alarm_type},{device},{start},{}", start + 60));
        };
        for _ in 0..20 {
            let fault = chance.below(2_000_000);
            let loss = fault + chance.delay();
            raise(0, fault);
            raise(1, loss);
            if chance.below(5) > 0 {
                raise(2, loss + chance.delay());
            }
            raise(3, chance.below(2_000_000));
            raise(4, chance.below(2_000_000));
        }
    }
    lines
}

/// The bytes of a square matrix with ones in these places, as NumPy writes it.
fn matrix(side: usize, ones: &[[usize; 2]]) -> Vec<u8> {
    let header = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({side}, {side}), }}");
    let header = format!("{header:<117}\n");
    let mut cells = vec![0_i64; side * side];
    for [row, column] in ones {
        cells[row * side + column] = 1;
    }
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let cells: Vec<u8> = cells.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &cells].concat()
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let file = folder.join(name);
    std::fs::write(&file, content).unwrap();
    file.display().to_string()
}

/// A folder with the set, and with this truth.
fn set(truth: &[[usize; 2]]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let heading = "alarm_id,device_id,start_timestamp,end_timestamp";
    let record = format!("{heading}\n{}\n", alarms().join("\n"));
    write(folder.path(), "Alarm.csv", record);
    write(folder.path(), "DAG.npy", matrix(TYPES, truth));
    folder
}

fn convoke(folder: &TempDir, arguments: &[&str]) -> Finished {
    block_on(run(folder.path(), arguments))
}

fn eval(folder: &TempDir) -> Vec<Value> {
    let set = folder.path().display().to_string();
    convoke(folder, &["eval", "alarms", &set, "--json"])
        .well()
        .json()
}

#[test]
fn a_history_becomes_a_document_and_a_picture() {
    let folder = set(&[]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (record, out, svg) = (path("Alarm.csv"), path("causes.json"), path("causes.svg"));
    let learn = ["learn", "history", "--alarms", &record, "--out", &out];
    let told = convoke(&folder, &[&learn[..], &["--svg", &svg]].concat()).well();
    assert!(
        told.stdout
            .contains("alarms of 5 types on 20 devices, no topology")
    );
    assert!(told.stdout.contains("same device"), "{}", told.stdout);

    let text = std::fs::read_to_string(&out).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["schema"], "convoke-alarm-causes");
    assert_eq!(document["version"], 1);
    let edges = document["edges"].as_array().unwrap();
    let ends = |edge: &Value| format!("{} > {}", edge["cause"], edge["effect"]);
    let mut found: Vec<String> = edges.iter().map(ends).collect();
    found.sort();
    assert_eq!(found, [r#""0" > "1""#, r#""1" > "2""#], "{text}");
    assert_eq!(edges[0]["same_device"], 1.0);
    assert!((1..=255).contains(&edges[0]["delay_s"].as_i64().unwrap()));

    let drawn = std::fs::read_to_string(&svg).unwrap();
    let drawn = XmlDocument::parse(drawn, &Limits::client()).unwrap();
    assert_eq!(drawn.root().name(), "svg");

    let lines = convoke(&folder, &[&learn[..], &["--json"]].concat())
        .well()
        .json();
    assert_eq!(lines.len(), edges.len() + 1);
    assert_eq!(lines[0]["event"], "edge");
    let last = lines.last().unwrap();
    assert_eq!(last["event"], "learnt");
    assert_eq!([&last["edges"], &last["devices"]], [2, DEVICES]);
    assert_eq!(
        std::fs::read_to_string(&out).unwrap(),
        text,
        "the same bytes"
    );
}

#[test]
fn the_topology_is_a_matrix_or_a_list_of_links() {
    let folder = set(&[]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (record, out) = (path("Alarm.csv"), path("causes.json"));
    let learn = |topology: &str| {
        let files = ["--alarms", &record, "--out", &out, "--topology", topology];
        convoke(
            &folder,
            &[&["learn", "history", "--json"][..], &files].concat(),
        )
    };
    let joined = matrix(DEVICES, &[[0, 1], [1, 0], [3, 2]]);
    let as_matrix = write(folder.path(), "Topology.npy", joined);
    let as_text = write(folder.path(), "links.txt", "# two links\n0,1\n2,3\n");
    let by_matrix = learn(&as_matrix).well();
    assert_eq!(by_matrix.json().last().unwrap()["links"], 2);
    assert_eq!(learn(&as_text).well().stdout, by_matrix.stdout);
    let torn = write(folder.path(), "torn.npy", &matrix(DEVICES, &[])[..900]);
    let refused = learn(&torn).with_code(2);
    assert!(
        refused
            .stderr
            .contains("its cells take 772 bytes, not 3200"),
        "{}",
        refused.stderr
    );
    let foreign = write(folder.path(), "foreign.txt", "a,b\n");
    let refused = learn(&foreign).with_code(2);
    assert!(
        refused.stderr.contains("no link of the topology"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_line_that_is_no_alarm_is_refused_by_its_number() {
    let folder = set(&[]);
    let heading = "alarm_id,device_id,start_timestamp,end_timestamp";
    let record = write(
        folder.path(),
        "bad.csv",
        format!("{heading}\n1,2,3,4\n1,2,late,9\n"),
    );
    let out = folder.path().join("out.json").display().to_string();
    let learn = ["learn", "history", "--alarms", &record, "--out", &out];
    let refused = convoke(&folder, &learn).with_code(2);
    let told = "bad.csv: line 3: start_timestamp 'late' is not a number of seconds";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    assert!(!Path::new(&out).exists());
    let missing = ["learn", "history", "--alarms", "nowhere.csv", "--out", &out];
    convoke(&folder, &missing).with_code(1);
}

/// `convoke learn` from training days is as it was, and wants its file.
#[test]
fn learning_from_days_still_wants_a_file() {
    let folder = set(&[]);
    let refused = convoke(&folder, &["learn", "--seeds", "1"]).with_code(2);
    assert!(refused.stderr.contains("--out"), "{}", refused.stderr);
    let both = [
        "learn", "--seeds", "1", "history", "--alarms", "a", "--out", "b",
    ];
    convoke(&folder, &both).with_code(2);
}

#[test]
fn edges_are_scored_against_a_truth_that_taught_nothing() {
    let truth = [[0, 1], [1, 2]];
    let scored = eval(&set(&truth));
    let (last, edges) = scored.split_last().unwrap();
    assert_eq!(last["event"], "scored");
    for (member, value) in [("precision", 1.0), ("recall", 1.0), ("f1", 1.0)] {
        assert_eq!(last[member], value, "{last}");
    }
    assert_eq!([&last["edges"], &last["true_edges"]], [2, 2]);
    for name in ["counting_common_cut", "counting_best_cut_of_this_set"] {
        assert!(last["yardstick"][name]["f1"].is_f64(), "{last}");
    }
    // The rows of the truth in another order: the same edges are learnt, and they are wrong.
    for permuted in [[4, 3, 2, 1, 0], [1, 0, 2, 3, 4], [2, 3, 4, 0, 1]] {
        let other = truth.map(|[cause, effect]| [permuted[cause], permuted[effect]]);
        let scored = eval(&set(&other));
        let (last, others) = scored.split_last().unwrap();
        assert_eq!(others, edges);
        assert!(last["f1"].as_f64().unwrap() < 0.9, "{last}");
    }
}

#[test]
fn a_truth_about_other_types_is_refused() {
    let folder = set(&[]);
    write(folder.path(), "DAG.npy", matrix(3, &[[0, 1]]));
    let set = folder.path().display().to_string();
    let refused = convoke(&folder, &["eval", "alarms", &set]).with_code(2);
    assert!(
        refused.stderr.contains("3 rows, none of alarm type '3'"),
        "{}",
        refused.stderr
    );
}
