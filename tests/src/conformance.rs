//! Protocol behaviour as data: a directory of numbered files per case, run against any [`Host`].
//!
//! Files of a case, taken in the order of their names; `NN` is a number, `S` an optional name of a
//! session (`a`, `b`, …) for cases with more than one:
//!
//! | file | what happens |
//! |---|---|
//! | `NN-[S-]send.xml` | the message is framed and sent |
//! | `NN-[S-]raw.txt` | the bytes are sent as they stand, without framing; `\xNN`, `\n` and `\\` are read |
//! | `NN-[S-]hello.xml` | the client's hello, in place of the usual one |
//! | `NN-[S-]expect-hello.xml` | the server's hello must be this |
//! | `NN-[S-]expect.xml` | the next reply must be this (see [`crate::xml`] for wildcards) |
//! | `NN-[S-]expect-notification.xml` | the next notification must be this |
//! | `NN-[S-]expect-nothing` | nothing more has come |
//! | `NN-[S-]expect-close` | the server has closed the session |
//! | `NN-[S-]close` | the client drops the transport |
//! | `NN-advance` | time passes: the milliseconds in the file; skipped cases where it cannot |
//! | `NN-simulate` | a simulated network runs from here on, in which something can be broken |
//! | `NN-swap-MODULE.yang` | a generation with this module besides is swapped in |
//! | `case.toml` | [`Description`] |
//!
//! A session is opened when its first file is met. In what is sent `{{repeat N TEXT}}` is written
//! out, `{{name}}` stands for a text remembered by an expectation, and `{{S.session-id}}` (or
//! `{{session-id}}`) for the number of a session. Every reply and notification is checked against
//! the schema, and none may be left over at the end. With `CONFORMANCE_DRAFT=1` empty expectations
//! are filled in with what came, to be read and judged by a person.
//!
//! Read next: [`crate::memory`].

mod case;
mod client;

pub use case::{Case, Description, Opening, Step};
pub use client::Transcript;

use crate::judge::Seen;
use crate::xml::{self, Names};
use client::Client;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use yang::Generation;

/// Something to run cases against.
pub trait Host {
    /// Opens a transport for a session; the server greets on it.
    fn connect(&mut self, opening: &Opening) -> Box<dyn Wire>;
    /// Lets time pass; false if that is not in its power.
    fn advance(&mut self, ms: u64) -> bool;
    /// Runs a simulated network from now on; false if that is not in its power.
    fn simulate(&mut self) -> bool;
    /// Swaps in a generation with one module besides; false if that is not in its power.
    fn swap(&mut self, name: &str, module: &str) -> bool;
    /// The schema in force.
    fn schema(&self) -> Arc<Generation>;
}

/// The client's end of a transport.
pub trait Wire {
    /// Sends bytes. What a closed transport loses is no error here.
    fn send(&mut self, bytes: &[u8]);
    /// What has come since the last call. A wire that cannot know whether more is coming waits,
    /// longer if something is expected.
    fn receive(&mut self, patience: Patience) -> Heard;
    /// Drops the transport.
    fn close(&mut self);
}

/// Whether a client expects something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// It does, and waits for it.
    Expecting,
    /// It does not, and only looks whether something is there.
    Looking,
}

/// What a client hears.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Bytes, at least one.
    Bytes(Vec<u8>),
    /// Nothing, and nothing is on its way.
    Nothing,
    /// The server has closed.
    Closed,
}

/// How a case went.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As described.
    Passed,
    /// It needs what the host cannot do.
    Skipped,
    /// Not as described: why.
    Failed(String),
}

/// The cases that are shipped.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

/// All cases below a directory, by name.
///
/// # Panics
/// If a case cannot be read: its name and why.
pub fn cases(directory: &Path) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the directory of cases can be read")
        .map(|entry| entry.expect("an entry of the directory can be read").path())
        .filter(|path| path.is_dir())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| Case::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display())))
        .collect()
}

/// Runs one case; what was said is added to `seen`.
pub fn run(case: &Case, host: &mut dyn Host, seen: &mut Seen) -> Verdict {
    let mut run = Run {
        case,
        host,
        clients: BTreeMap::new(),
        names: Names::new(),
        seen,
    };
    for step in &case.steps {
        match run.step(step) {
            Ok(true) => {}
            Ok(false) => return Verdict::Skipped,
            Err(why) => return Verdict::Failed(format!("{}: {why}", step.file)),
        }
    }
    for (name, client) in &mut run.clients {
        if let Err(why) = client.finish(run.seen) {
            return Verdict::Failed(format!("at the end, session '{name}': {why}"));
        }
    }
    Verdict::Passed
}

struct Run<'r> {
    case: &'r Case,
    host: &'r mut dyn Host,
    clients: BTreeMap<String, Client>,
    names: Names,
    seen: &'r mut Seen,
}

impl Run<'_> {
    /// Takes one step; false if the host cannot.
    fn step(&mut self, step: &Step) -> Result<bool, String> {
        match step.action.as_str() {
            "advance" => {
                let ms = step.text.trim().parse().map_err(|e| format!("{e}"))?;
                return Ok(self.host.advance(ms));
            }
            "simulate" => return Ok(self.host.simulate()),
            swap if swap.starts_with("swap-") => {
                return Ok(self.host.swap(&swap["swap-".len()..], &step.text));
            }
            _ => {}
        }
        let text = xml::resolve(&case::written_out(&step.text)?, &self.names);
        let own_hello = (step.action == "hello").then_some(text.as_str());
        // Who only listens, or leaves, has not greeted yet.
        let waits = ["expect-hello", "expect-nothing", "expect-close", "close"]
            .contains(&step.action.as_str());
        if !self.clients.contains_key(&step.session) {
            let opening = self.case.description.opening(&step.session);
            let wire = self.host.connect(&opening);
            self.clients
                .insert(step.session.clone(), Client::new(wire, self.host.schema()));
        }
        let client = self.clients.get_mut(&step.session).expect("just inserted");
        client.open(
            own_hello,
            waits,
            &self.case.description.opening(&step.session),
        )?;
        if let Some(id) = client.session_id() {
            let dot = if step.session.is_empty() { "" } else { "." };
            self.names
                .insert(format!("{}{dot}session-id", step.session), id);
        }
        // The number of its own session is known only now.
        self.act(step, &xml::resolve(&text, &self.names))?;
        Ok(true)
    }

    fn act(&mut self, step: &Step, text: &str) -> Result<(), String> {
        let client = self.clients.get_mut(&step.session).expect("opened before");
        let heard = match step.action.as_str() {
            "hello" => return Ok(()),
            "send" => return client.send(text),
            "raw" => {
                client.send_raw(&case::unescaped(text)?);
                return Ok(());
            }
            "close" => {
                client.close();
                return Ok(());
            }
            "expect-nothing" => return client.nothing(self.seen),
            "expect-close" => return client.closed(self.seen),
            "expect-hello" => client.hello()?,
            "expect" => client.reply(self.seen)?,
            "expect-notification" => client.notification(self.seen)?,
            other => return Err(format!("'{other}' is no action")),
        };
        if step.text.trim().is_empty() && std::env::var_os("CONFORMANCE_DRAFT").is_some() {
            let draft = xml::draft(&heard)?;
            return std::fs::write(self.case.path.join(&step.file), draft)
                .map_err(|e| e.to_string());
        }
        xml::compare(&step.text, &heard, &mut self.names).map_err(|why| {
            format!(
                "{why}\nthe whole message:\n{}",
                xml::draft(&heard).unwrap_or(heard)
            )
        })
    }
}
