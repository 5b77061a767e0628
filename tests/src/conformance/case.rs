//! The parser of a case's page.
//!
//! Read next: [`super`].

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One page of messages and answers.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the file, without its ending.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The content of its comment.
    pub description: Description,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// One fenced block.
#[derive(Clone, Debug)]
pub struct Step {
    /// The line that opens it, counted from 1.
    pub line: usize,
    /// The session it is about; empty if there is only one.
    pub session: String,
    /// The action, e.g. `send`.
    pub action: String,
    /// The content, each line with its line feed.
    pub text: String,
}

/// The comment `<!-- case … -->`, in TOML; every key is optional, and the comment too.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Description {
    /// The points of the drafts that it proves, by the numbers of `tests/tests/checklist.rs` and
    /// `checklist_schemas.rs`.
    pub proves: Vec<String>,
    /// The user of the sessions, unless overridden for one.
    pub user: Option<String>,
    /// The endpoint to which they connect: `platform`, an EMS such as `wireless-ems`, or the name
    /// of an agent.
    pub endpoint: Option<String>,
    /// The framing offered in the client's hello: `1.0` or `1.1`.
    pub framing: Option<String>,
    /// The overrides by session.
    pub session: BTreeMap<String, Particular>,
}

/// The overrides for one session.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Particular {
    user: Option<String>,
    endpoint: Option<String>,
    framing: Option<String>,
}

/// The parameters of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The user.
    pub user: String,
    /// The endpoint: `platform`, an EMS such as `wireless-ems`, or the name of an agent.
    pub endpoint: String,
    /// `1.0` or `1.1`.
    pub framing: String,
}

impl Description {
    /// The parameters of a session of this case.
    pub fn opening(&self, session: &str) -> Opening {
        let own = self.session.get(session).cloned().unwrap_or_default();
        let choose = |own: Option<String>, all: &Option<String>, usual: &str| {
            own.or_else(|| all.clone())
                .unwrap_or_else(|| usual.to_owned())
        };
        Opening {
            user: choose(own.user, &self.user, "operator"),
            endpoint: choose(own.endpoint, &self.endpoint, "platform"),
            framing: choose(own.framing, &self.framing, "1.1"),
        }
    }
}

impl Case {
    /// Parses a page.
    ///
    /// # Errors
    /// The reason why it is no case.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        let name = path.file_stem().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            path: path.to_owned(),
            description: described(&text)?,
            steps: steps(&text)?,
        })
    }

    /// Writes the actual messages into the empty blocks at these lines.
    ///
    /// # Errors
    /// The reason why the page cannot be written.
    pub(super) fn fill(&self, drafts: &BTreeMap<usize, String>) -> std::io::Result<()> {
        if drafts.is_empty() {
            return Ok(());
        }
        let text = std::fs::read_to_string(&self.path)?;
        let mut filled = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            filled.push_str(line);
            filled.push('\n');
            if let Some(draft) = drafts.get(&number) {
                filled.push_str(draft.trim_end());
                filled.push('\n');
            }
        }
        std::fs::write(&self.path, filled)
    }
}

fn described(text: &str) -> Result<Description, String> {
    let comment = text.split_once("<!-- case\n");
    let comment = comment.and_then(|(_, rest)| rest.split_once("-->"));
    comment.map_or_else(
        || Ok(Description::default()),
        |(toml, _)| toml::from_str(toml).map_err(|e| e.to_string()),
    )
}

/// The blocks whose info string names an action.
fn steps(text: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut open: Option<Option<Step>> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (Some(step), Some("")) => {
                steps.extend(step.take());
                open = None;
            }
            (Some(step), _) => {
                if let Some(step) = step {
                    step.text.push_str(line);
                    step.text.push('\n');
                }
            }
            (None, Some(info)) => open = Some(Step::begun(info, number)),
            (None, None) => {}
        }
    }
    match open {
        None => Ok(steps),
        Some(_) => Err("the last block has no end".to_owned()),
    }
}

impl Step {
    /// The step that begins with this info string, if it is one: a language, an optional session,
    /// an action.
    fn begun(info: &str, line: usize) -> Option<Self> {
        let words: Vec<&str> = info.split_whitespace().collect();
        let (session, action) = match words[..] {
            [_, action] => ("", action),
            [_, session, action] => (session, action),
            _ => return None,
        };
        Some(Self {
            line,
            session: session.to_owned(),
            action: action.to_owned(),
            text: String::new(),
        })
    }
}

/// Expands `{{repeat N TEXT}}` in a text.
pub(super) fn written_out(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut left = text;
    while let Some((before, after)) = left.split_once("{{repeat ") {
        let (inside, rest) = after.split_once("}}").ok_or("{{repeat has no end")?;
        let (times, what) = inside.split_once(' ').ok_or("{{repeat N TEXT}}")?;
        let times: usize = times.parse().map_err(|e| format!("{e}"))?;
        out.push_str(before);
        for place in 0..times {
            out.push_str(&what.replace("{n}", &place.to_string()));
        }
        left = rest;
    }
    out.push_str(left);
    Ok(out)
}

/// Resolves the escapes `\xNN`, `\n` and `\\` of a text into bytes, without its final line feed.
pub(super) fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut left = text.as_bytes();
    while let Some((&byte, rest)) = left.split_first() {
        left = rest;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match left {
            [b'n', rest @ ..] => {
                out.push(b'\n');
                left = rest;
            }
            [b'\\', rest @ ..] => {
                out.push(b'\\');
                left = rest;
            }
            [b'x', high, low, rest @ ..] => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).map_err(|e| e.to_string())?;
                out.push(u8::from_str_radix(digits, 16).map_err(|e| e.to_string())?);
                left = rest;
            }
            _ => return Err("an escape that is none of \\xNN, \\n and \\\\".to_owned()),
        }
    }
    Ok(out)
}
