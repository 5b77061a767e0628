//! Memory stays level over many calls: this crate avoids the leaks of libyang's bindings. One test,
//! alone in its process, because it reads the size of the process; the bound is a quarter of the
//! growth with those leaks.
#![allow(clippy::unwrap_used)]

use yang::{Generation, ModuleSet};

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";

fn resident_kib() -> i64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<i64>().unwrap() * 4
}

/// Growth in KiB over `times` calls, after as many tenths to warm up.
fn growth(times: u32, mut call: impl FnMut()) -> i64 {
    (0..times / 10 + 3).for_each(|_| call());
    let before = resident_kib();
    (0..times).for_each(|_| call());
    resident_kib() - before
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_level() {
    let convoke = Generation::load(&ModuleSet::convoke()).unwrap();
    let data = format!("<tasks xmlns=\"{AGENT}\"><task-id>t</task-id></tasks>");

    // The binding's find_xpath leaks 64 to 144 bytes a call, its print_bytes
    // the whole text: 2 to 8 MiB here.
    let select = growth(30_000, || {
        convoke
            .select(&data, "/a:tasks/a:task-id", &[("a", AGENT)])
            .unwrap();
        convoke
            .select(&data, "/a:tasks[", &[("a", AGENT)])
            .unwrap_err();
    });
    assert!(select < 512, "selecting: {select} KiB");

    let rpc = format!("<task-negotiate xmlns=\"{AGENT}\"><content>x</content></task-negotiate>");
    let check = growth(30_000, || {
        convoke.check_rpc(&rpc).unwrap_err();
        convoke.check_notification(&rpc).unwrap_err();
    });
    assert!(check < 512, "checking: {check} KiB");

    // The binding's embedded modules leak every text at every load: 60 x 180 KiB.
    let load = growth(60, || {
        drop(Generation::load(&ModuleSet::convoke()).unwrap())
    });
    assert!(load < 2_700, "loading: {load} KiB");
    let failing = ModuleSet::convoke().with_text(
        "a",
        "module a { namespace \"urn:a\"; prefix a; leaf x { type nothing; } }",
    );
    let load = growth(60, || drop(Generation::load(&failing).unwrap_err()));
    assert!(load < 2_700, "failing to load: {load} KiB");
}
