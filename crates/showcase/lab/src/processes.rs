//! Ending processes of a laboratory, and nobody else's.
//!
//! A process is held before it is looked at and ended through the same handle, so that its number
//! cannot become another's meanwhile. Read next: [`crate::bring_up`].

use crate::error::LabError;
use crate::frr_process;
use crate::shell::run;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long is tried to end processes, which may start others meanwhile.
const ENDING: Duration = Duration::from_secs(5);
/// The time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The arguments with which the rack of a prefix is started.
pub(crate) fn rack_arguments(prefix: &str) -> [&str; 4] {
    ["lab", "rack", "--prefix", prefix]
}

/// Ends the process with this number if it is the rack of this prefix.
pub(crate) fn end_rack(number: i32, prefix: &str) {
    signal_if(number, Signal::TERM, |folder| {
        let words = std::fs::read(folder.join("cmdline"));
        words.is_ok_and(|words| is_rack(&words, prefix))
    });
}

/// Ends every process in a network namespace, unless it is the network of this process too, and
/// removes what daemons of FRR among them leave.
pub(crate) fn end_all_within(namespace: &str) {
    let network = Path::new("/run/netns").join(namespace);
    if is_same(Path::new("/proc/self/ns/net"), &network) {
        return;
    }
    let said = run("ip", &["netns", "pids", namespace]).unwrap_or_default();
    let mut daemons = Vec::new();
    for number in said.split_whitespace().filter_map(|n| n.parse().ok()) {
        let mut daemon = None;
        let within = |folder: &Path| {
            daemon = frr_process::daemon_within(folder, namespace);
            is_same(&folder.join("ns/net"), &network)
        };
        if signal_if(number, Signal::KILL, within) {
            daemons.extend(daemon.map(|daemon| (daemon, number)));
        }
    }
    let deadline = Instant::now() + ENDING;
    for (daemon, number) in daemons {
        let lives = || frr_process::daemon_within(&folder_of(number), namespace) == Some(daemon);
        while lives() && Instant::now() < deadline {
            std::thread::sleep(LOOK_AGAIN);
        }
        frr_process::clear_after(daemon, number);
    }
}

/// Ends every process of a user.
///
/// # Errors
/// [`LabError::Alive`] if some are still there after five seconds.
pub(crate) fn end_all_of(user: u32) -> Result<(), LabError> {
    end_all_of_by(user, Instant::now() + ENDING)
}

fn end_all_of_by(user: u32, deadline: Instant) -> Result<(), LabError> {
    let mut was_ended = false;
    loop {
        let lives = numbers().any(|number| is_of(&folder_of(number), user));
        let is_late = Instant::now() >= deadline;
        // A look alone misses one that starts another and ends.
        match lives {
            true if is_late => return Err(LabError::Alive(user)),
            false if was_ended || is_late => return Ok(()),
            _ => {}
        }
        was_ended = kill_all_of(user);
        if lives || !was_ended {
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

/// Has a process of the user kill all others of it: the system does that in one step, in which none starts
/// another. False if no such process can be started.
fn kill_all_of(user: u32) -> bool {
    let mut killer = Command::new("/bin/sh");
    killer.args(["-c", "kill -KILL -1"]).uid(user);
    killer.stdin(Stdio::null()).stdout(Stdio::null());
    killer.stderr(Stdio::null()).status().is_ok()
}

/// The numbers of all processes.
fn numbers() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn is_of(folder: &Path, user: u32) -> bool {
    let status = std::fs::read_to_string(folder.join("status"));
    status.is_ok_and(|status| runs_as(&status, user))
}

/// True if a process runs as a user and nobody else, by its status, and has not ended.
fn runs_as(status: &str, user: u32) -> bool {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
    let user = user.to_string();
    let own = field("Uid:").is_some_and(|ids| ids.split_whitespace().eq([user.as_str(); 4]));
    let ended = field("State:").is_some_and(|state| state.trim_start().starts_with(['Z', 'X']));
    own && !ended
}

/// True if two paths lead to the same file; false if one leads to none.
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| path.metadata().ok().map(|it| (it.dev(), it.ino()));
    identity(one).is_some_and(|it| identity(other) == Some(it))
}

/// True if a command line is that of the rack of this prefix, and of no other.
fn is_rack(commandline: &[u8], prefix: &str) -> bool {
    let ended = commandline.strip_suffix(&[0u8]).unwrap_or(commandline);
    let words = ended.split(|b| *b == 0).skip(1);
    words.eq(rack_arguments(prefix).map(str::as_bytes))
}

pub(crate) fn folder_of(number: i32) -> PathBuf {
    PathBuf::from(format!("/proc/{number}"))
}

/// Sends a process a signal if it is what it is taken for, as its folder in `/proc` tells; false if it
/// was not sent.
pub(crate) fn signal_if(number: i32, signal: Signal, is_it: impl FnOnce(&Path) -> bool) -> bool {
    let Some(pid) = Some(number).filter(|n| *n > 0).and_then(Pid::from_raw) else {
        return false;
    };
    let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    is_it(&folder_of(number)) && pidfd_send_signal(&held, signal).is_ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::unprivileged::{Unprivileged, is_root};
    use crate::user::USERS;

    #[test]
    fn the_rack_of_another_prefix_is_another_rack() {
        let own = b"/usr/bin/convoke\0lab\0rack\0--prefix\0cvlab\0";
        assert!(is_rack(own, "cvlab"));
        for other in ["cv", "cvl", "cvlabs", "cvtest", ""] {
            assert!(!is_rack(own, other), "{other}");
        }
        let others: [&[u8]; 5] = [
            b"",
            b"less\0lab\0rack\0",
            b"/usr/bin/convoke\0lab\0rack\0",
            b"/usr/bin/convoke\0lab\0rack\0--prefix\0cvlab\0--more\0",
            b"/usr/bin/convoke\0lab\0manage\0--prefix\0cvlab\0",
        ];
        assert!(!others.iter().any(|words| is_rack(words, "cvlab")));
    }

    #[test]
    fn a_process_is_its_users_under_all_four_numbers() {
        let status = |state: &str, ids: &str| {
            format!("Name:\tconvoke\nState:\t{state}\nUid:\t{ids}\nGid:\t7\t7\t7\t7\n")
        };
        let own = "2100000007\t2100000007\t2100000007\t2100000007";
        assert!(runs_as(&status("S (sleeping)", own), 2_100_000_007));
        assert!(!runs_as(&status("S (sleeping)", own), 2_100_000_008));
        assert!(!runs_as(&status("S (sleeping)", own), 7));
        assert!(!runs_as(&status("Z (zombie)", own), 2_100_000_007));
        let root_too = "2100000007\t0\t2100000007\t2100000007";
        assert!(!runs_as(&status("S (sleeping)", root_too), 2_100_000_007));
        assert!(!runs_as("", 0));
    }

    #[test]
    fn only_a_process_that_is_meant_is_ended() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let number = i32::try_from(child.id()).unwrap();
        end_rack(number, "cvlab");
        signal_if(number, Signal::KILL, |_| false);
        assert_eq!(child.try_wait().unwrap(), None);
        let is_sleep = |folder: &Path| {
            let words = std::fs::read(folder.join("cmdline")).unwrap();
            words.starts_with(b"sleep\0")
        };
        // A program that has just been started may not have its command line yet.
        while !signal_if(number, Signal::KILL, is_sleep) {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::yield_now();
        }
        assert!(!child.wait().unwrap().success());
    }

    /// Processes that start another and end, for ever, are ended.
    #[test]
    fn nothing_is_said_to_be_gone_that_lives() {
        let user = *USERS.end() - 2;
        if !is_root() || crate::requirements::check().is_err() {
            return;
        }
        let arguments = ["-c", "next() { echo; next & }; next"];
        let (to, from) = std::sync::mpsc::channel();
        let tell = move |_: &str| to.send(()).unwrap_or_default();
        let started = Unprivileged::start(Path::new("/bin/sh"), &arguments, user, tell).unwrap();
        from.recv().unwrap();
        let ended = end_all_of(user);
        drop(started);
        assert!(ended.is_ok(), "{ended:?}");
        for _ in 0..9 {
            assert!(!numbers().any(|n| is_of(&folder_of(n), user)));
        }

        let arguments = ["-c", "echo; exec sleep 60"];
        let (to, from) = std::sync::mpsc::channel();
        let tell = move |_: &str| to.send(()).unwrap_or_default();
        let _started = Unprivileged::start(Path::new("/bin/sh"), &arguments, user, tell).unwrap();
        from.recv().unwrap();
        let late = end_all_of_by(user, Instant::now());
        assert!(matches!(late, Err(LabError::Alive(u)) if u == user));
        assert!(end_all_of(user).is_ok());
    }
}
