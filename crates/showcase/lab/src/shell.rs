//! Programs of the system that the laboratory is built with: `ip`, `nft`, `tc`, FRR's daemons.
//!
//! Arguments are passed as they are, no shell reads them; each program has a bound of time. Read
//! next: [`crate::bring_up`].

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take.
const LONGEST: Duration = Duration::from_secs(20);
/// How often it is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// The most that is read of what a program says, in bytes.
const OUTPUT_MAX: u64 = 16 * 1_024 * 1_024;

/// A program that did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// It could not be started.
    #[error("{program} cannot be started")]
    Start {
        /// The program.
        program: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// It failed.
    #[error("{command}: {said}")]
    Failed {
        /// What was asked.
        command: String,
        /// What it said.
        said: String,
    },
    /// It took too long.
    #[error("{0} takes longer than {LONGEST:?}")]
    Late(String),
}

/// The folders in which programs are looked for: those of this process, and root's, where Debian has
/// them whether or not the caller's path names it.
fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.push(PathBuf::from("/usr/sbin"));
    folders
}

/// Where a program is.
pub(crate) fn program_path(name: &str) -> Option<PathBuf> {
    let candidates = search_path().into_iter().map(|folder| folder.join(name));
    candidates.into_iter().find(|file| file.is_file())
}

/// Runs a program; returns what it printed.
///
/// # Errors
/// [`ShellError`]
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<String, ShellError> {
    fed(program, arguments, "")
}

/// Runs a program with a text as its input; returns what it printed.
///
/// # Errors
/// [`ShellError`]
pub(crate) fn fed(program: &str, arguments: &[&str], input: &str) -> Result<String, ShellError> {
    let command = || format!("{program} {}", arguments.join(" "));
    let failed = |cause| ShellError::Start {
        program: program.to_owned(),
        cause,
    };
    // What a program starts in turn is found there as well.
    let path = std::env::join_paths(search_path()).unwrap_or_default();
    let mut child = Command::new(program_path(program).unwrap_or_else(|| PathBuf::from(program)))
        .args(arguments)
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // What a terminal signals is for this process, which ends between two steps.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A program that does not want its input has said why by its end.
        let _ = stdin.map(|mut pipe| pipe.write_all(input.as_bytes()));
    });
    let said = reader(stdout);
    let complained = reader(stderr);
    let deadline = Instant::now() + LONGEST;
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(ShellError::Late(command()));
            }
            None => std::thread::sleep(LOOK_AGAIN),
        }
    };
    let _ = writer.join();
    let said = said.join().unwrap_or_default();
    match status.success() {
        true => Ok(said),
        false => Err(ShellError::Failed {
            command: command(),
            said: complained.join().unwrap_or_default().trim().to_owned(),
        }),
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before a pipe broke is all that there is.
        let _ = pipe.map(|pipe| pipe.take(OUTPUT_MAX).read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs a program within a network namespace.
///
/// # Errors
/// [`ShellError`]
pub(crate) fn within(namespace: &str, arguments: &[&str]) -> Result<String, ShellError> {
    let mut all = vec!["netns", "exec", namespace];
    all.extend(arguments);
    run("ip", &all)
}

/// Runs lines of `ip` in a network namespace, or in the one of this process.
///
/// # Errors
/// [`ShellError`] at the first line that fails.
pub(crate) fn ip_lines(namespace: Option<&str>, lines: &[String]) -> Result<(), ShellError> {
    let text = lines.join("\n") + "\n";
    match namespace {
        Some(namespace) => fed("ip", &["-n", namespace, "-batch", "-"], &text),
        None => fed("ip", &["-batch", "-"], &text),
    }
    .map(drop)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_what_it_says_and_fails_with_its_words() {
        assert_eq!(fed("cat", &[], "one; $(two)").unwrap(), "one; $(two)");
        let failed = run("ls", &["/nowhere/at/all"]).unwrap_err().to_string();
        assert!(failed.contains("/nowhere/at/all"), "{failed}");
        let missing = run("no-such-program-anywhere", &[]).unwrap_err();
        assert!(matches!(missing, ShellError::Start { .. }));
    }
}
