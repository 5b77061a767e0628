//! A case as it lies in its directory.
//!
//! Read next: [`super`].

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of its directory.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    /// `case.toml`.
    pub description: Description,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// One numbered file.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of the file.
    pub file: String,
    /// The session it is about; empty if there is only one.
    pub session: String,
    /// What is done, e.g. `send`.
    pub action: String,
    /// What the file says.
    pub text: String,
}

/// `case.toml`; every key may be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Description {
    /// What the case shows, with the clause.
    pub about: String,
    /// What of the drafts it proves, by the numbers of `tests/tests/checklist.rs` and
    /// `checklist_schemas.rs`.
    pub proves: Vec<String>,
    /// The sessions' user, unless told for one session.
    pub user: Option<String>,
    /// Where they connect: `platform`, a management system such as `wireless-ems`, or the name of an
    /// agent.
    pub endpoint: Option<String>,
    /// `1.0` or `1.1`: what the client's hello offers.
    pub framing: Option<String>,
    /// What differs for one session.
    pub session: BTreeMap<String, Particular>,
}

/// What differs for one session.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Particular {
    user: Option<String>,
    endpoint: Option<String>,
    framing: Option<String>,
}

/// How a session is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The user.
    pub user: String,
    /// `platform`, a management system such as `wireless-ems`, or the name of an agent.
    pub endpoint: String,
    /// `1.0` or `1.1`.
    pub framing: String,
}

impl Description {
    /// How a session of this case is opened.
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
    /// Reads a directory.
    ///
    /// # Errors
    /// Why it is no case.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut files: Vec<String> = std::fs::read_dir(path)
            .map_err(|e| e.to_string())?
            .map(|entry| entry.map(|e| e.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_, _>>()
            .map_err(|e| e.to_string())?;
        files.sort();
        let mut description = Description::default();
        let mut steps = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(path.join(&file)).map_err(|e| e.to_string())?;
            if file == "case.toml" {
                description = toml::from_str(&text).map_err(|e| e.to_string())?;
            } else {
                steps.push(Step::read(file, text)?);
            }
        }
        if steps.is_empty() {
            return Err("a case without steps".to_owned());
        }
        Ok(Self {
            name: path
                .file_name()
                .map_or_else(String::new, |n| n.to_string_lossy().into()),
            path: path.to_owned(),
            description,
            steps,
        })
    }
}

impl Step {
    fn read(file: String, text: String) -> Result<Self, String> {
        let stem = file
            .rsplit_once('.')
            .map_or(file.as_str(), |(stem, _)| stem);
        let (number, rest) = stem.split_once('-').ok_or("a file is called NN-action")?;
        if number.parse::<u32>().is_err() {
            return Err(format!("{file} has no number"));
        }
        let (session, action) = match rest.split_once('-') {
            Some((session, action)) if session.len() == 1 => (session, action),
            _ => ("", rest),
        };
        let (session, action) = (session.to_owned(), action.to_owned());
        Ok(Self {
            file,
            session,
            action,
            text,
        })
    }
}

/// The text with `{{repeat N TEXT}}` written out.
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

/// The bytes that a text with `\xNN`, `\n` and `\\` means; the line feed at its end is not meant.
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
