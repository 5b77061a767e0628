//! Programs that run as the unprivileged user of a management system.
//!
//! Each has a session of its own, so that there is no terminal whose input it could write, and none
//! among its files, since whoever holds one reads what is typed there. It has neither groups nor
//! capabilities nor a way to gain any, and nothing of this process's environment. It sees no process
//! but its user's own: its `/proc` hides others, whose command lines and networks tell what was done.
//! It leaves session and mounts while it is root's still (`setsid`, `unshare`, then `setpriv`), under
//! one number throughout. Read next: [`crate::user`].

use crate::error::LabError;
use crate::process_hiding::unshare_arguments;
use crate::shell::program_path;
use rustix::process::{Pid, Signal, getpid, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest line that is told at once, in bytes.
const LINE_MAX: u64 = 64 * 1_024;
/// How long is waited for the last lines of a program that has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A program that runs as another user. It is ended when this is dropped.
#[derive(Debug)]
pub struct Unprivileged {
    child: Child,
    heard: Vec<JoinHandle<()>>,
}

impl Unprivileged {
    /// Starts a program as a user. What it prints is told line by line, a long line in pieces; its
    /// errors go to those of this process, without what a terminal would act on.
    ///
    /// # Errors
    /// [`LabError::File`] if it cannot be started.
    pub fn start(
        program: &Path,
        arguments: &[&str],
        user: u32,
        tell: impl FnMut(&str) + Send + 'static,
    ) -> Result<Self, LabError> {
        let mut child = command(program, arguments, user)?
            // Its input ends when this process has ended, also where it was killed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| LabError::file(program, e))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let heard = vec![
            std::thread::spawn(move || each_line(stdout, tell)),
            std::thread::spawn(move || each_line(stderr, complain)),
        ];
        Ok(Self { child, heard })
    }

    /// None while it runs; else whether it ended well, after all that it said was told.
    ///
    /// # Errors
    /// [`LabError::Ended`] if that cannot be known.
    pub fn ended(&mut self) -> Result<Option<bool>, LabError> {
        let status = self.child.try_wait();
        let status = status.map_err(|e| LabError::Ended(e.to_string()))?;
        if status.is_some() {
            let deadline = Instant::now() + LAST_WORDS;
            while !self.is_silent() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Ok(status.map(|status| status.success()))
    }

    /// True once nothing more can be heard of it: it has ended, or closed what it prints to.
    pub fn is_silent(&self) -> bool {
        self.heard.iter().all(JoinHandle::is_finished)
    }

    /// Asks it to end, as a terminal's user would.
    pub fn ask_to_end(&self) {
        let number = i32::try_from(self.child.id()).ok();
        // One that has ended has been asked enough.
        let _ = number
            .and_then(Pid::from_raw)
            .map(|pid| kill_process(pid, Signal::TERM));
    }
}

impl Drop for Unprivileged {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// True if this process is root's.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Asks this process to end once its input has ended: whoever started it has gone.
pub fn end_with_input() {
    std::thread::spawn(|| {
        // What comes is of no interest, nor is an error: both end.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = kill_process(getpid(), Signal::TERM);
    });
}

fn command(program: &Path, arguments: &[&str], user: u32) -> Result<Command, LabError> {
    let mut command = Command::new(system_program("setsid")?);
    command
        .arg(system_program("unshare")?)
        .args(unshare_arguments(
            &system_program("mount")?.to_string_lossy(),
        ))
        .arg(system_program("setpriv")?)
        .args([format!("--reuid={user}"), format!("--regid={user}")])
        .args(["--clear-groups", "--inh-caps=-all", "--no-new-privs", "--"])
        .arg(program)
        .args(arguments)
        .env_clear()
        .current_dir("/");
    Ok(command)
}

fn system_program(program: &str) -> Result<PathBuf, LabError> {
    let missing = || LabError::Request(format!("'{program}' is not there"));
    program_path(program).ok_or_else(missing)
}

fn each_line(pipe: Option<impl Read>, mut tell: impl FnMut(&str)) {
    let Some(pipe) = pipe else { return };
    let (mut reader, mut bytes) = (BufReader::new(pipe), Vec::new());
    let mut next = |bytes: &mut Vec<u8>| reader.by_ref().take(LINE_MAX).read_until(b'\n', bytes);
    while next(&mut bytes).is_ok_and(|read| read > 0) {
        tell(String::from_utf8_lossy(&bytes).trim_end_matches('\n'));
        bytes.clear();
    }
}

fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", legible(line));
}

/// A line without what a terminal would act on.
pub(crate) fn legible(line: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    line.chars().map(shown).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::user::USERS;
    use std::sync::mpsc::channel;

    #[test]
    fn lines_are_bounded_and_nothing_acts_on_a_terminal() {
        let long = "x".repeat(LINE_MAX as usize + 3);
        let said = format!("one\n\n{long}\nlast");
        let mut told = Vec::new();
        each_line(Some(said.as_bytes()), |line| told.push(line.len()));
        assert_eq!(told, [3, 0, LINE_MAX as usize, 3, 4]);
        assert_eq!(
            legible("a\u{1b}]52;c\u{7}é\u{9b}"),
            "a\u{fffd}]52;c\u{fffd}é\u{fffd}"
        );
    }

    /// What a program is, as it tells itself: its number and session, its terminal, its status.
    #[test]
    fn a_program_has_neither_terminal_nor_rights() {
        let user = *USERS.end();
        if !is_root() || crate::requirements::check().is_err() {
            return;
        }
        let (to, from) = channel();
        let script = "cut -d' ' -f1,6,7 /proc/$$/stat; cat /proc/$$/status; env; id -G; cat";
        let tell = move |line: &str| to.send(line.to_owned()).unwrap();
        let arguments = ["-c", script];
        let mut shell = Unprivileged::start(Path::new("/bin/sh"), &arguments, user, tell).unwrap();
        let number = shell.child.id();
        assert_eq!(from.recv().unwrap(), format!("{number} {number} 0"));
        let told: Vec<String> = from
            .iter()
            .take_while(|line| *line != user.to_string())
            .collect();
        let has = |line: String| assert!(told.contains(&line), "{line}: {told:?}");
        has(format!("Uid:\t{user}\t{user}\t{user}\t{user}"));
        has(format!("Gid:\t{user}\t{user}\t{user}\t{user}"));
        has("NoNewPrivs:\t1".to_owned());
        has("CapPrm:\t0000000000000000".to_owned());
        assert!(
            !told.iter().any(|line| line.starts_with("HOME=")),
            "{told:?}"
        );
        assert_eq!(shell.ended().unwrap(), None);
        shell.ask_to_end();
        let deadline = Instant::now() + Duration::from_secs(5);
        while shell.ended().unwrap().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(shell.ended().unwrap(), Some(false));
    }

    #[test]
    fn a_program_sees_no_process_of_others() {
        let user = *USERS.end() - 1;
        if !is_root() || crate::requirements::check().is_err() {
            return;
        }
        let (to, from) = channel();
        let script = "test -d /proc/$$ && echo itself; test -e /proc/1 && echo foreign; \
                      cat /proc/[0-9]*/status | grep ^Uid:; umount /proc 2>&- && echo bare; \
                      echo all; cat";
        let tell = move |line: &str| to.send(line.to_owned()).unwrap();
        let arguments = ["-c", script];
        let mut shell = Unprivileged::start(Path::new("/bin/sh"), &arguments, user, tell).unwrap();
        let told: Vec<String> = from.iter().take_while(|line| line != "all").collect();
        assert_eq!(told.first().map(String::as_str), Some("itself"));
        let own = format!("Uid:\t{user}\t{user}\t{user}\t{user}");
        assert!(told.len() > 1, "{told:?}");
        assert!(told[1..].iter().all(|line| *line == own), "{told:?}");
        // Its input is its own still: it ends with it.
        drop(shell.child.stdin.take());
        let deadline = Instant::now() + Duration::from_secs(5);
        while shell.ended().unwrap().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(shell.ended().unwrap(), Some(true));
        // Its mounts are nobody else's.
        assert!(Path::new("/proc/1").exists());
    }
}
