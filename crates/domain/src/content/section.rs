//! The sections of a text: headings in the spellings that people use, each with its body.
//!
//! Knows the headings of the draft; what a body means is for [`super`] to say.

use schema::json::{Budget, Excess};

/// The known headings, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    /// `target object`: what the task is about; never missing.
    TargetObject,
    /// `task description`: what to do; never missing.
    TaskDescription,
    /// `environmental information`: circumstances.
    EnvironmentalInformation,
    /// `expected response`: what the publisher will judge the result by.
    ExpectedResponse,
    /// `asynchronous`: `true` or `false`, as the leaf task-async.
    Asynchronous,
    /// `terms`: lines `term: explanation`.
    Terms,
    /// `structured payload`: one JSON object.
    StructuredPayload,
    /// `progress`: a percentage, with words if there are any.
    Progress,
    /// `result`: the outcome.
    Result,
}

impl Heading {
    const ALL: [Heading; 9] = [
        Self::TargetObject,
        Self::TaskDescription,
        Self::EnvironmentalInformation,
        Self::ExpectedResponse,
        Self::Asynchronous,
        Self::Terms,
        Self::StructuredPayload,
        Self::Progress,
        Self::Result,
    ];

    /// The heading as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TargetObject => "target object",
            Self::TaskDescription => "task description",
            Self::EnvironmentalInformation => "environmental information",
            Self::ExpectedResponse => "expected response",
            Self::Asynchronous => "asynchronous",
            Self::Terms => "terms",
            Self::StructuredPayload => "structured payload",
            Self::Progress => "progress",
            Self::Result => "result",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let words = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase();
        let words = words.trim_end_matches(':');
        if words == "environmental infomation" {
            return Some(Self::EnvironmentalInformation);
        }
        Self::ALL.into_iter().find(|h| h.as_str() == words)
    }
}

/// The headings of `text` with their bodies; text before the first heading, such as Figure 7's
/// `<content …>` wrapper, is left out.
pub(super) fn sections(budget: &mut Budget, text: &str) -> Result<Vec<Section>, Excess> {
    let mut found: Vec<Section> = Vec::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("##") {
            Some(rest) if !rest.starts_with('#') => {
                budget.spend_one()?;
                found.push(heading_line(rest));
            }
            _ => {
                if let Some((_, body)) = found.last_mut() {
                    append_line(body, line);
                }
            }
        }
    }
    for (_, body) in &mut found {
        *body = untagged(body.trim()).to_owned();
    }
    Ok(found)
}

/// A known heading, or the text of an unknown one, and its body.
pub(super) type Section = (Result<Heading, String>, String);

/// A heading line may carry its body behind a colon or a tag: `## target object: site-1`.
fn heading_line(rest: &str) -> Section {
    let whole = rest.trim();
    if let Some(heading) = Heading::parse(whole) {
        return (Ok(heading), String::new());
    }
    let split = whole.find([':', '<']);
    if let Some(at) = split
        && let Some(heading) = Heading::parse(&whole[..at])
    {
        return (
            Ok(heading),
            whole[at..].trim_start_matches(':').trim().to_owned(),
        );
    }
    for heading in Heading::ALL {
        let name = heading.as_str();
        let fits = whole
            .get(..name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name));
        if fits && whole[name.len()..].starts_with(char::is_whitespace) {
            return (Ok(heading), whole[name.len()..].trim().to_owned());
        }
    }
    (Err(whole.to_owned()), String::new())
}

fn append_line(body: &mut String, line: &str) {
    if !body.is_empty() {
        body.push('\n');
    }
    body.push_str(line);
}

/// The text inside `<tag>…</tag>`, or `<tag">…</tag">` as in Figure 7; a closing `</content>` of
/// the wrapper behind it is dropped. Anything else stays as it is.
fn untagged(body: &str) -> &str {
    let body = body.strip_suffix("</content>").map_or(body, str::trim_end);
    let inner = || {
        let rest = body.strip_prefix('<')?;
        let (open, rest) = rest.split_once('>')?;
        let name = open.trim_end_matches('"');
        let (text, close) = rest.rsplit_once("</")?;
        let close = close.strip_suffix('>')?.trim_end_matches('"');
        (close == name && name.chars().all(|c| c.is_ascii_alphanumeric())).then(|| text.trim())
    };
    inner().unwrap_or(body)
}
