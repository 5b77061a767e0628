//! Output: failures with their exit codes, JSON lines, colours, tables, questions on the terminal, the log.

use crate::cli::Common;
use markup::words::{deceives, left, legible, legible_line, width};
use netconf::error::RpcError;
use serde::Serialize;
use server::client::CallError;
use server::copying::CopyingError;
use server::host::StartError;
use server::kept::AcceptError;
use server::key_rotation::KeyRotationError;
use server::ssh::ConnectError;
use server::{CopyError, StoreOpenError};
use std::fmt::{Display, Formatter};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use tokio::sync::Notify;
use tracing_subscriber::EnvFilter;

/// The reason why a command failed, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// A general failure: exit code 1.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self {
            code: 1,
            message: message.into(),
        }
    }

    /// A usage error: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: 2,
            message: message.into(),
        }
    }

    /// A refusal by the platform or the agent: exit code 3.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self {
            code: 3,
            message: message.into(),
        }
    }

    /// A platform or node that is not reached: exit code 4.
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self {
            code: 4,
            message: message.into(),
        }
    }

    /// A conflict with something that exists or is in use: exit code 5.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self {
            code: 5,
            message: message.into(),
        }
    }

    /// An interruption by the user: exit code 130, the shells' convention for SIGINT.
    pub(crate) fn interrupted() -> Self {
        Self {
            code: 130,
            message: "interrupted".to_owned(),
        }
    }

    /// A store that is sound as far as can be verified without the key: exit code 6.
    pub(crate) fn not_authenticated(message: impl Into<String>) -> Self {
        Self {
            code: 6,
            message: message.into(),
        }
    }

    /// True if the platform is unreachable at present.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.code == 4
    }

    /// Prints the failure to standard error; returns its exit code.
    pub(crate) fn report(self) -> ExitCode {
        let words = self.to_string();
        let _ = writeln!(io::stderr(), "convoke: {}", legible(&words));
        ExitCode::from(self.code)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        let code = match &error {
            CallError::Connect(ConnectError::AuthenticationRefused { .. }) => 3,
            CallError::Connect(_) | CallError::Ended(_) | CallError::Flooded => 4,
            CallError::Refused(errors) if errors.iter().any(is_conflict) => 5,
            CallError::Refused(_) => 3,
            CallError::Key(_) => 4,
            CallError::Unreadable(_) => 1,
        };
        Self {
            code,
            message: error.to_string(),
        }
    }
}

/// True if the error is a conflict with something that exists.
fn is_conflict(error: &RpcError) -> bool {
    error.tag.as_str() == "data-exists" || error.app_tag.as_deref() == Some("data-mismatch")
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        let code = match &error {
            StartError::Settings(_) | StartError::File(_) => 2,
            StartError::Bind(_) => 5,
            StartError::Store(cause) | StartError::Doubt { cause, .. } => code_of(cause),
            _ => 1,
        };
        Self {
            code,
            message: error.to_string(),
        }
    }
}

/// The exit code for a store that cannot be opened, the same for all commands.
fn code_of(error: &StoreOpenError) -> u8 {
    match error {
        StoreOpenError::Locked { .. } | StoreOpenError::Held { .. } | StoreOpenError::Busy => 5,
        StoreOpenError::Unreachable { .. } => 4,
        StoreOpenError::Forged { .. }
        | StoreOpenError::Schema { .. }
        | StoreOpenError::Unfit { .. } => 3,
        doubt if doubt.may_be_accepted() => 3,
        _ => 1,
    }
}

impl From<StoreOpenError> for Failure {
    fn from(error: StoreOpenError) -> Self {
        Self {
            code: code_of(&error),
            message: error.to_string(),
        }
    }
}

impl From<AcceptError> for Failure {
    fn from(error: AcceptError) -> Self {
        match error {
            AcceptError::Open(cause) => cause.into(),
            AcceptError::Settings(wrong) => Self::usage(wrong.to_string()),
            other => Self::failed(other.to_string()),
        }
    }
}

impl From<CopyingError> for Failure {
    fn from(error: CopyingError) -> Self {
        let code = match &error {
            CopyingError::Settings(_) => 2,
            CopyingError::Copy(
                CopyError::Source { cause, .. } | CopyError::Destination { cause, .. },
            ) => code_of(cause),
            CopyingError::Copy(CopyError::Occupied { .. } | CopyError::Changed(_)) => 5,
            CopyingError::Copy(CopyError::NoKey(_) | CopyError::NotBound(_)) => 6,
            _ => 1,
        };
        Self {
            code,
            message: error.to_string(),
        }
    }
}

impl From<KeyRotationError> for Failure {
    fn from(error: KeyRotationError) -> Self {
        match error {
            KeyRotationError::Open(cause) => cause.into(),
            KeyRotationError::Settings(wrong) => Self::usage(wrong.to_string()),
            other => Self::failed(other.to_string()),
        }
    }
}

/// Writes one JSON object on a line of its own.
pub(crate) fn json(value: &impl Serialize) {
    let text = serde_json::to_string(value).expect("reports hold nothing that JSON cannot");
    line(&ascii_where_it_deceives(text));
}

/// Escapes characters in JSON strings that a terminal would act on.
fn ascii_where_it_deceives(json: String) -> String {
    let odd = |c: char| c.is_control() || deceives(c);
    if !json.contains(odd) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match odd(c) {
            true => {
                // RFC 8259 §7: what is beyond the first plane is two halves.
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            false => out.push(c),
        }
    }
    out
}

/// Notified when standard output cannot be written any more.
static BROKEN: Notify = Notify::const_new();

/// The error of standard output, unless its reader has gone away.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Writes a line, without control sequences except our own styles. An error ends the command: see
/// [`broken`] and [`written`].
pub(crate) fn line(text: &str) {
    if let Err(cause) = writeln!(io::stdout().lock(), "{}", legible(text)) {
        if cause.kind() != ErrorKind::BrokenPipe {
            // The first says why.
            let _ = LOST.set(cause);
        }
        BROKEN.notify_one();
    }
}

/// Completes when standard output cannot be written any more.
pub(crate) async fn broken() {
    BROKEN.notified().await;
}

/// Checks that all output was written, or its reader has gone away.
///
/// # Errors
/// [`Failure`] with the reason if some of it is lost.
pub(crate) fn written() -> Result<(), Failure> {
    match LOST.get() {
        Some(cause) => Err(Failure::failed(format!("standard output: {cause}"))),
        None => Ok(()),
    }
}

/// True if standard output is a terminal.
pub(crate) fn on_terminal() -> bool {
    io::stdout().is_terminal()
}

/// True if there is a terminal on both sides, so that somebody can be asked.
pub(crate) fn in_conversation() -> bool {
    io::stdin().is_terminal() && on_terminal()
}

/// Reads a line from the terminal, behind these words.
pub(crate) fn prompt(words: &str) -> Result<String, Failure> {
    let mut said = String::new();
    let mut out = io::stdout();
    let read = write!(out, "{words}")
        .and_then(|()| out.flush())
        .and_then(|()| io::stdin().read_line(&mut said));
    match read {
        Ok(0) => Err(Failure::usage("the input ended before all was said")),
        Ok(_) => Ok(said.trim().to_owned()),
        Err(cause) => Err(Failure::failed(format!("standard input: {cause}"))),
    }
}

/// The columns of the terminal: `COLUMNS` if set, else those of the terminal. None without one.
#[cfg(feature = "showcase")]
pub(crate) fn columns() -> Option<usize> {
    if !on_terminal() {
        return None;
    }
    let said = std::env::var("COLUMNS")
        .ok()
        .and_then(|said| said.parse().ok());
    let asked = || terminal_size().map(|[_, columns]| columns);
    said.filter(|columns| *columns > 0).or_else(asked)
}

/// The lines and columns of the terminal, from stty(1); neither is zero.
pub(crate) fn terminal_size() -> Option<[usize; 2]> {
    let terminal = std::fs::File::open("/dev/tty").map_or(Stdio::inherit(), Stdio::from);
    let told = Command::new("stty").arg("size").stdin(terminal).output();
    let told = String::from_utf8(told.ok()?.stdout).ok()?;
    let mut numbers = told.split_whitespace().map(|n| n.parse().unwrap_or(0));
    let size = [numbers.next()?, numbers.next()?];
    (!size.contains(&0)).then_some(size)
}

/// ANSI colours, unless disabled (`NO_COLOR`) or not on a terminal.
#[derive(Clone, Copy)]
pub(crate) struct Paint(bool);

impl Paint {
    pub(crate) fn new() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Self(on_terminal() && !unwanted)
    }

    /// Without colours.
    pub(crate) fn plain() -> Self {
        Self(false)
    }

    /// Wraps the text in an ANSI style, e.g. `1;32`.
    pub(crate) fn style(self, style: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{style}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// A table with aligned columns.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let paint = Paint::new();
    let legible = |row: &Vec<String>| row.iter().map(|cell| legible_line(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(legible).collect();
    let mut widths: Vec<usize> = header.iter().map(|h| width(h)).collect();
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let write = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (cell, width) in cells.zip(&widths) {
            line.push_str(&left(cell, width + 2));
        }
        line.trim_end().to_owned()
    };
    let mut lines = vec![paint.style("1", &write(&mut header.iter().copied()))];
    lines.extend(
        rows.iter()
            .map(|row| write(&mut row.iter().map(String::as_str))),
    );
    lines.join("\n")
}

/// Starts logging to standard error.
pub(crate) fn start_log(common: &Common) {
    let filter = EnvFilter::try_new(&common.log).unwrap_or_else(|_| EnvFilter::new("warn"));
    // h2 warns of who resets streams, which anybody may do as often as he likes.
    let filter = match common.log.contains("h2") {
        true => filter,
        false => filter.add_directive("h2=error".parse().expect("it is a directive")),
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    if common.json {
        log.json().init();
    } else {
        log.with_ansi(io::stderr().is_terminal()).init();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::time::Duration;

    /// The same reason has the same exit code in every command.
    #[test]
    fn one_reason_has_one_exit_code() {
        let path = || PathBuf::from("convoke.db");
        let (table, key) = ("task".to_owned(), "t".to_owned());
        let held = || StoreOpenError::Held {
            by: "another".to_owned(),
            left: Duration::from_secs(1),
        };
        let unreachable = || StoreOpenError::Unreachable {
            address: Box::new("postgres://u@localhost/d".parse().unwrap()),
            reason: "refused".to_owned(),
            passes: true,
        };
        let unfit = || StoreOpenError::Unfit {
            reason: "it is too old".to_owned(),
        };
        let locked = || StoreOpenError::Locked {
            state: path().into(),
        };
        let reasons: [(&dyn Fn() -> StoreOpenError, u8); 8] = [
            (&locked, 5),
            (&held, 5),
            (&unreachable, 4),
            (&unfit, 3),
            (&|| StoreOpenError::Busy, 5),
            (&|| StoreOpenError::HeadMissing { path: path() }, 3),
            (
                &|| StoreOpenError::Forged {
                    table: table.clone(),
                    key: key.clone(),
                },
                3,
            ),
            (&|| StoreOpenError::Foreign, 1),
        ];
        for (reason, code) in reasons {
            let failures = [
                Failure::from(StartError::Store(reason())),
                Failure::from(AcceptError::Open(reason())),
                Failure::from(KeyRotationError::Open(reason())),
                Failure::from(reason()),
            ];
            let codes = failures.map(|failure| failure.code);
            assert_eq!(codes, [code; 4], "{}", reason());
        }
    }

    #[test]
    fn json_shows_what_it_holds() {
        let shown = |text: &str| ascii_where_it_deceives(serde_json::to_string(text).unwrap());
        assert_eq!(shown("a\u{202e}b\u{3164}"), r#""a\u202eb\u3164""#);
        let hidden = shown("a\u{e0041}");
        assert_eq!(hidden, r#""a\udb40\udc41""#);
        let read: String = serde_json::from_str(&hidden).unwrap();
        assert_eq!(read, "a\u{e0041}");
    }

    /// The characters escaped in output are those that names may not contain.
    #[test]
    fn what_deceives_is_the_same_to_the_platform_and_to_the_command() {
        for c in '\0'..=char::MAX {
            let expected = domain::profile::is_deceptive(c);
            assert_eq!(c.is_control() || deceives(c), expected, "{c:?}");
        }
    }
}
