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
use lab::user::{agents_user, management_user};
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

/// True if a user may read a file, enter a folder or write to a socket.
fn may(user: u32, path: &Path) -> bool {
    assert!(path.exists(), "{}", path.display());
    let right = match path.extension().is_some_and(|it| it == "sock") {
        true => "-w",
        false => "-r",
    };
    let mut command = Command::new("test");
    command.arg(right).arg(path).uid(user).gid(user);
    command.status().unwrap().success()
}

/// Asserts that management system and agents may read what is theirs, and nothing of each other's or
/// root's.
fn everybody_knows_what_is_theirs(folder: &Path) {
    let (management, agents) = (management_user(PREFIX), agents_user(PREFIX));
    let (management, agents) = (management.unwrap(), agents.unwrap());
    let roots = ["book", "plan.json", "conf"];
    let managements = ["documents.json", "rack.sock", "management"];
    let of_agents = ["agents/ems.toml", "agents/agents_ed25519"];
    for name in roots {
        let file = folder.join(name);
        assert!(!may(management, &file) && !may(agents, &file), "{name}");
    }
    for name in managements {
        let file = folder.join(name);
        assert!(may(management, &file) && !may(agents, &file), "{name}");
    }
    assert!(of_agents.iter().all(|name| may(agents, &folder.join(name))));
    assert!(!may(management, &folder.join(of_agents[1])));
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
    let manager = Manager::start(&binary(), PREFIX).unwrap();
    let trials = Trials::in_lab(&lab, &wanted).unwrap();

    let folder = lab.folder.path().to_owned();
    everybody_knows_what_is_theirs(&folder);

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
