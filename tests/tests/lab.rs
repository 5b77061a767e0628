//! The laboratory of real routers: Abilene stands, is broken three times, and leaves nothing behind.
//!
//! Skipped with a plain word where this machine has no root, no FRR or no Linux. What is done and judged
//! is tested by hand in the crate `lab`. Read next: `docs/lab.md`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use domain::inventory::ElementId;
use lab::bring_up::{LabGuard, Laboratory};
use lab::error::LabError;
use lab::fault::LabFault;
use lab::injector::Injector;
use lab::interruption::Interruption;
use lab::run_folder::RunFolder;
use lab::score::manager::Manager;
use lab::score::trial::{LabTrial, Trials};
use lab::user::management_user;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use support::process::binary;

/// A laboratory of the test's own beside what else stands on this machine.
const PREFIX: &str = "cvtest";

/// Writes another truth into the book: what is really broken is not what it says.
fn swap(injector: &Injector) {
    let swapped = injector.book().change(|entries| {
        for entry in entries {
            entry.fault = LabFault::Quiet.as_str().to_owned();
            entry.element = Some(ElementId::new("router:Nowhere"));
            entry.changed.clear();
        }
    });
    swapped.unwrap();
}

/// The lines of a command as the user of the management system; none if it fails.
fn as_manager(program: &str, arguments: &[&Path]) -> Option<String> {
    let user = management_user(PREFIX).unwrap();
    let mut command = Command::new(program);
    command.args(arguments).uid(user).gid(user);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(said)
}

fn namespaces() -> String {
    let output = Command::new("ip").args(["netns", "list"]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Brings the laboratory up, is interrupted, and finds nothing of it.
fn leaves_nothing_if_interrupted() {
    let interruption = Interruption::default();
    let shared = interruption.clone();
    // After the first namespace, and long before OSPF can be full.
    let interrupting = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !namespaces().contains(PREFIX) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        shared.interrupt();
    });
    let brought_up = Laboratory::up("Abilene", PREFIX, &interruption);
    interrupting.join().unwrap();
    assert!(matches!(brought_up, Err(LabError::Interrupted)));
    assert!(!namespaces().contains(PREFIX), "{}", namespaces());
    assert!(!RunFolder::of(PREFIX).path().exists());
}

#[test]
fn abilene_is_broken_three_times_and_set_right_whatever_the_book_says() {
    if let Err(lacking) = lab::requirements::check() {
        println!("{lacking}: skipped");
        return;
    }
    leaves_nothing_if_interrupted();
    let wanted = Interruption::default();
    let lab = Laboratory::up("Abilene", PREFIX, &wanted).unwrap();
    // However the test ends.
    let guard = LabGuard::of(PREFIX);
    lab.start_rack(&binary()).unwrap();
    let user = management_user(PREFIX).unwrap();
    let manager = Manager::start(&binary(), PREFIX, user).unwrap();
    let trials = Trials::in_lab(&lab, &wanted).unwrap();

    let folder = lab.folder.path().to_owned();
    let documents = as_manager("cat", &[&folder.join("documents.json")]);
    assert!(documents.is_some_and(|text| text.contains("Denver")));
    for secret in ["book", "book/book.jsonl", "plan.json"] {
        let read = as_manager("cat", &[&folder.join(secret)]);
        assert_eq!(read, None, "the management system reads {secret}");
    }

    let faults = [
        LabFault::WrongMtu,
        LabFault::InterfaceDownOneEnd,
        LabFault::OspfdKilled,
    ];
    for fault in faults {
        // The book is swapped before anybody can have found anything out.
        let trial: LabTrial = trials.hold(fault, 1, &manager, swap).unwrap();
        let agents = &trial.policies[0];
        assert!(trial.calm_before, "{trial:?}");
        assert!(agents.named_first, "{trial:?}");
        assert_eq!((agents.wrong, trial.repairs.wrong), (0, 0), "{trial:?}");
        assert!(trial.repaired, "{trial:?}");
    }

    drop(manager);
    guard.down().unwrap();
    assert!(!namespaces().contains(PREFIX), "{}", namespaces());
    assert!(!folder.exists());
    assert!(
        !Path::new("/var/run/frr")
            .join(format!("{PREFIX}-Denver"))
            .exists()
    );
}
