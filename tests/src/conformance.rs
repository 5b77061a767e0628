//! Protocol behaviour as data: a page of messages and answers per case, run against any [`Host`].
//!
//! A page is Markdown. Its title states the behaviour, with the clause; a comment `<!-- case … -->`
//! holds a [`Description`]. A fenced block is a step if its info string is a language, an optional
//! name of a session (`a`, `b`, …) for cases with more than one, and an action; other blocks are
//! only read by people:
//!
//! | info string | step |
//! |---|---|
//! | `xml S send` | the message is framed and sent |
//! | `text S raw` | the bytes are sent unchanged, without framing; `\xNN`, `\n` and `\\` are escapes |
//! | `xml S hello` | the client's hello, instead of the usual one |
//! | `xml S expect-hello` | the server's hello must be this |
//! | `xml S expect` | the next reply must be this (see [`crate::xml`] for wildcards) |
//! | `xml S expect-notification` | the next notification must be this |
//! | `text S expect-nothing` | nothing more has come |
//! | `text S expect-close` | the server has closed the session |
//! | `text S close` | the client drops the transport |
//! | `text advance` | time advances by the milliseconds in the block; a host that cannot skips the case |
//! | `text simulate` | a simulated network runs from here on, in which faults can be injected |
//! | `text cluster` | from here on the platform is a node of the cluster of [`crate::cluster`] |
//! | `yang swap-MODULE` | a generation with this additional module is swapped in |
//!
//! A session is opened at its first block. In outgoing messages `{{repeat N TEXT}}` is expanded,
//! `{{name}}` stands for a text remembered by an expectation, and `{{S.session-id}}` (or
//! `{{session-id}}`) for the number of a session. Every reply and notification is validated against
//! the schema, and none may be left over at the end. With `CONFORMANCE_DRAFT=1` empty expectations
//! are filled in with the actual messages, for review by a person.
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

/// A platform to run cases against.
pub trait Host {
    /// Opens a transport for a session; the server sends its hello on it.
    fn connect(&mut self, opening: &Opening) -> Box<dyn Wire>;
    /// Advances time; false if it cannot.
    fn advance(&mut self, ms: u64) -> bool;
    /// Runs a simulated network from now on; false if it cannot.
    fn simulate(&mut self) -> bool;
    /// Is a node of a cluster from now on; false if it cannot.
    fn cluster(&mut self) -> bool;
    /// Swaps in a generation with one additional module; false if it cannot.
    fn swap(&mut self, name: &str, module: &str) -> bool;
    /// The schema in force.
    fn schema(&self) -> Arc<Generation>;
}

/// The client's end of a transport.
pub trait Wire {
    /// Sends bytes. Bytes lost by a closed transport are no error here.
    fn send(&mut self, bytes: &[u8]);
    /// Returns the input since the last call. A wire that cannot know whether more is coming waits,
    /// longer if something is expected.
    fn receive(&mut self, patience: Patience) -> Heard;
    /// Drops the transport.
    fn close(&mut self);
}

/// The expectation of a client that receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Something is expected and waited for.
    Expecting,
    /// Nothing is expected; only checks whether something is there.
    Looking,
}

/// The input of a client.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Bytes, at least one.
    Bytes(Vec<u8>),
    /// Nothing, and nothing is on its way.
    Nothing,
    /// The server has closed.
    Closed,
}

/// The result of a case.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As described.
    Passed,
    /// The host lacks an ability that the case needs.
    Skipped,
    /// Not as described, for this reason.
    Failed(String),
}

/// The folder of the shipped cases.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

/// All cases in a directory, by name.
///
/// # Panics
/// If a case cannot be read, with its name and the reason.
pub fn cases(directory: &Path) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the directory of cases can be read")
        .map(|entry| entry.expect("an entry of the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| Case::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display())))
        .collect()
}

/// Runs one case; adds the schema nodes seen in messages to `seen`.
pub fn run(case: &Case, host: &mut dyn Host, seen: &mut Seen) -> Verdict {
    let mut run = Run {
        case,
        host,
        clients: BTreeMap::new(),
        names: Names::new(),
        drafts: BTreeMap::new(),
        seen,
    };
    let verdict = run.all();
    match case.fill(&run.drafts) {
        Ok(()) => verdict,
        Err(cause) => Verdict::Failed(format!("the page cannot be written: {cause}")),
    }
}

struct Run<'r> {
    case: &'r Case,
    host: &'r mut dyn Host,
    clients: BTreeMap<String, Client>,
    names: Names,
    /// The actual messages at empty expectations, by line.
    drafts: BTreeMap<usize, String>,
    seen: &'r mut Seen,
}

impl Run<'_> {
    fn all(&mut self) -> Verdict {
        for step in &self.case.steps {
            match self.step(step) {
                Ok(true) => {}
                Ok(false) => return Verdict::Skipped,
                Err(why) => return Verdict::Failed(format!("line {}: {why}", step.line)),
            }
        }
        for (name, client) in &mut self.clients {
            if let Err(why) = client.finish(self.seen) {
                return Verdict::Failed(format!("at the end, session '{name}': {why}"));
            }
        }
        Verdict::Passed
    }

    /// Performs one step; false if the host cannot.
    fn step(&mut self, step: &Step) -> Result<bool, String> {
        match step.action.as_str() {
            "advance" => {
                let ms = step.text.trim().parse().map_err(|e| format!("{e}"))?;
                return Ok(self.host.advance(ms));
            }
            "simulate" => return Ok(self.host.simulate()),
            "cluster" => return Ok(self.host.cluster()),
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
            self.drafts.insert(step.line, draft);
            return Ok(());
        }
        xml::compare(&step.text, &heard, &mut self.names).map_err(|why| {
            format!(
                "{why}\nthe whole message:\n{}",
                xml::draft(&heard).unwrap_or(heard)
            )
        })
    }
}
