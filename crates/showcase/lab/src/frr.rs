//! FRR: what its daemons start with, how they are started and ended, and how they are spoken to.
//!
//! Each router has a path space of its own (`-N`), in which every daemon listens on a socket for
//! lines of configuration: the one that `vtysh` speaks to, and in its form (a line and a zero byte;
//! the answer, three zero bytes and a status). Read next: [`crate::rack`].

use crate::error::LabError;
use crate::frr_process::{clear_after, daemon_within};
use crate::plan::{DEAD_S, HELLO_S, LAN_PORT, LabPlan};
use crate::processes::{folder_of, signal_if};
use crate::rack::line::connected;
use crate::requirements::{DAEMONS, FRR_FOLDER};
use crate::run_folder::RunFolder;
use crate::shell;
use rustix::process::{Pid, Signal};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a daemon may take to answer a line.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// How long a daemon may take to end.
const ENDING: Duration = Duration::from_secs(3);
/// The most that a daemon may answer to one line, in bytes.
const ANSWER_MAX: usize = 4 * 1_024 * 1_024;

/// The folder with the sockets of a path space.
pub(crate) fn path_space(namespace: &str) -> PathBuf {
    Path::new("/var/run/frr").join(namespace)
}

/// Writes what the daemons of a router start with.
///
/// # Errors
/// [`LabError::File`]
pub(crate) fn configure(plan: &LabPlan, router: usize, folder: &RunFolder) -> Result<(), LabError> {
    let namespace = plan.namespace(router);
    for daemon in DAEMONS {
        let text = match daemon {
            "ospfd" => ospf(plan, router),
            "zebra" => format!(
                "hostname {0}\nip router-id {1}\n",
                namespace, plan.routers[router].loopback
            ),
            _ => format!("hostname {namespace}\n"),
        };
        folder.write(&format!("conf/{namespace}.{daemon}.conf"), &text, 0o644)?;
    }
    Ok(())
}

fn ospf(plan: &LabPlan, router: usize) -> String {
    let mut text = format!("hostname {}\n", plan.namespace(router));
    for link in &plan.links {
        for (_, end) in link.ends() {
            if end.router == router {
                text += &format!(
                    "interface {}\n ip ospf network point-to-point\n ip ospf cost {}\n \
                     ip ospf hello-interval {HELLO_S}\n ip ospf dead-interval {DEAD_S}\n \
                     ip ospf area 0.0.0.0\n ip ospf bfd\n",
                    end.port, link.cost
                );
            }
        }
    }
    let loopback = plan.routers[router].loopback;
    text + &format!(
        "interface lo\n ip ospf area 0.0.0.0\ninterface {LAN_PORT}\n ip ospf area 0.0.0.0\n \
         ip ospf passive\nrouter ospf\n ospf router-id {loopback}\n timers throttle spf 50 200 1000\n"
    )
}

/// Starts a daemon of a router with its start configuration.
///
/// # Errors
/// [`LabError::Shell`] with what it complains of.
pub(crate) fn start(namespace: &str, daemon: &str, folder: &RunFolder) -> Result<(), LabError> {
    let program = format!("{FRR_FOLDER}/{daemon}");
    let file = folder
        .configurations()
        .join(format!("{namespace}.{daemon}.conf"));
    let file = file.display().to_string();
    let arguments = [
        &program,
        "-d",
        "-N",
        namespace,
        "-f",
        &file,
        "-A",
        "127.0.0.1",
        "-P",
        "0",
    ];
    shell::within(namespace, &arguments)?;
    Ok(())
}

/// The process of a daemon, if it runs: the one that its file names and that was started for its
/// namespace.
pub(crate) fn process(namespace: &str, daemon: &str) -> Option<Pid> {
    let number = told_number(namespace, daemon)?;
    let its = is_daemon(&folder_of(number), namespace, daemon);
    its.then(|| Pid::from_raw(number)).flatten()
}

/// Sends a signal to a daemon; false if it does not run.
pub(crate) fn signal(namespace: &str, daemon: &str, signal: Signal) -> bool {
    let its = |folder: &Path| is_daemon(folder, namespace, daemon);
    told_number(namespace, daemon).is_some_and(|number| signal_if(number, signal, its))
}

/// The number of its process that a daemon has written down.
fn told_number(namespace: &str, daemon: &str) -> Option<i32> {
    let file = path_space(namespace).join(format!("{daemon}.pid"));
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn is_daemon(folder: &Path, namespace: &str, daemon: &str) -> bool {
    daemon_within(folder, namespace) == Some(daemon)
}

/// Ends a daemon at once, and waits until it is gone.
pub(crate) fn end(namespace: &str, daemon: &str) {
    let deadline = Instant::now() + ENDING;
    let number = told_number(namespace, daemon);
    let mut ended = false;
    while signal(namespace, daemon, Signal::KILL) && Instant::now() < deadline {
        ended = true;
        std::thread::sleep(Duration::from_millis(5));
    }
    if let Some(number) = number.filter(|_| ended) {
        clear_after(daemon, number);
    }
    let _ = std::fs::remove_file(path_space(namespace).join(format!("{daemon}.pid")));
    let _ = std::fs::remove_file(path_space(namespace).join(format!("{daemon}.vty")));
}

/// A conversation with a daemon, as `vtysh` has it.
pub(crate) struct Vty {
    stream: UnixStream,
    router: String,
    daemon: String,
}

impl Vty {
    /// Begins a conversation.
    ///
    /// # Errors
    /// [`LabError::Silent`] if the daemon does not run, or does not answer.
    pub(crate) fn open(namespace: &str, daemon: &str) -> Result<Self, LabError> {
        let silent = || LabError::Silent {
            router: namespace.to_owned(),
            daemon: daemon.to_owned(),
        };
        let socket = path_space(namespace).join(format!("{daemon}.vty"));
        let stream = connected(&socket).map_err(|_| silent())?;
        let bound = |stream: &UnixStream| -> std::io::Result<()> {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))
        };
        bound(&stream).map_err(|_| silent())?;
        let mut vty = Self {
            stream,
            router: namespace.to_owned(),
            daemon: daemon.to_owned(),
        };
        vty.ask("enable")?;
        Ok(vty)
    }

    /// Says a line; returns the answer.
    ///
    /// # Errors
    /// [`LabError::Silent`] without an answer in time; [`LabError::Refused`] if the line is refused.
    pub(crate) fn ask(&mut self, line: &str) -> Result<String, LabError> {
        let (answer, status) = self.exchange(line).ok_or_else(|| LabError::Silent {
            router: self.router.clone(),
            daemon: self.daemon.clone(),
        })?;
        match status {
            0 => Ok(answer),
            _ => Err(LabError::Refused {
                router: self.router.clone(),
                line: line.to_owned(),
                said: answer.trim().to_owned(),
            }),
        }
    }

    fn exchange(&mut self, line: &str) -> Option<(String, u8)> {
        self.stream
            .write_all(&[line.as_bytes(), &[0]].concat())
            .ok()?;
        let mut bytes = Vec::new();
        let mut piece = [0; 16_384];
        loop {
            let read = self.stream.read(&mut piece).ok().filter(|n| *n > 0)?;
            bytes.extend_from_slice(&piece[..read]);
            if let [text @ .., 0, 0, 0, status] = bytes.as_slice() {
                return Some((String::from_utf8_lossy(text).into_owned(), *status));
            }
            if bytes.len() > ANSWER_MAX {
                return None;
            }
        }
    }

    /// Configures, line by line.
    ///
    /// # Errors
    /// As [`Vty::ask`], at the first line that fails.
    pub(crate) fn configure(&mut self, lines: &[String]) -> Result<(), LabError> {
        self.ask("configure terminal")?;
        let said = lines.iter().try_for_each(|line| self.ask(line).map(drop));
        self.ask("end")?;
        said
    }
}
