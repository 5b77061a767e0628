//! The sequence diagram of a case: lifelines are agents, solid arrows messages, dashed arrows
//! answers.
//!
//! One picture for each case. The middle of a long one is cut out, with a remark on how much is
//! left out. Read next: [`crate::story::TaskTree`].

use super::{line, opened};
use crate::record::{Moment, Record, RecordedEvent};
use crate::story::{Ending, TaskTree};
use language::time::Timestamp;
use markup::sequence::Arrow;
use markup::words::{count, cut, width};
use markup::{Markup, Px};

const LEFT: f64 = 110.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 50.0;
const STEP: f64 = 40.0;
/// The width of a character in the larger and in the smaller font, in pixels.
const LARGE: f64 = 7.0;
const SMALL: f64 = 6.2;
/// The number of rows drawn from the beginning of a long case.
pub const FIRST: usize = 60;
/// The number of rows drawn from its end.
pub const LAST: usize = 40;

/// One message.
pub struct SequenceMessage<'a> {
    /// The instant.
    pub at: Timestamp,
    /// The sender.
    pub from: &'a str,
    /// The receiver.
    pub to: &'a str,
    /// The verb, verdict or state, with the number of the task if the case has several.
    pub label: String,
    /// The text of the message.
    pub words: &'a str,
    /// True for replies and notifications.
    pub answers: bool,
    /// The ending that the message reports; [`Ending::Open`] if it ends nothing.
    pub ending: Ending,
}

/// The messages of a case, in order.
pub fn lines<'a>(record: &'a Record, case: &TaskTree) -> Vec<SequenceMessage<'a>> {
    let said = case
        .lines
        .iter()
        .filter_map(|(place, task)| Some((record.moments.get(*place)?, task)));
    said.filter_map(|(moment, task)| spoken(moment, case.number(task)))
        .collect()
}

fn spoken(moment: &Moment, number: Option<usize>) -> Option<SequenceMessage<'_>> {
    let (from, to, word, words, answers) = match &moment.what {
        RecordedEvent::Message {
            from,
            to,
            verb,
            words,
            ..
        } => (from, to, verb, words, false),
        RecordedEvent::Reply {
            from,
            to,
            verdict,
            words,
            ..
        } => (from, to, verdict, words, true),
        RecordedEvent::Notification {
            from,
            to,
            status,
            words,
            ..
        } => (from, to, status, words, true),
        _ => return None,
    };
    let label = match number {
        Some(number) => format!("{word} [{number}]"),
        None => word.clone(),
    };
    let ending = if answers {
        Ending::of(word)
    } else {
        Ending::Open
    };
    Some(SequenceMessage {
        at: moment.at,
        from,
        to,
        label,
        words,
        answers,
        ending,
    })
}

/// Draws these lines.
pub fn draw(title: &str, lines: &[SequenceMessage<'_>]) -> Markup {
    let mut agents: Vec<&str> = Vec::new();
    for name in lines.iter().flat_map(|l| [l.from, l.to]) {
        if !agents.contains(&name) {
            agents.push(name);
        }
    }
    let cut = lines.len() > FIRST + LAST + 1;
    let rows = if cut { FIRST + LAST + 1 } else { lines.len() };
    let height = TOP + rows as f64 * STEP + 14.0;
    let columns = Columns::of(agents.len());
    let what = format!(
        "{} between {}.",
        count(lines.len(), "message", "messages"),
        agents.join(", ")
    );
    let mut svg = opened(&title, &what, [columns.width(agents.len()), height]);
    for (place, name) in agents.iter().enumerate() {
        lifeline(&mut svg, columns.x(place), name, height - 8.0, columns.gap);
    }
    let x = |name: &str| columns.x(agents.iter().position(|a| *a == name).unwrap_or(0));
    let mut y = TOP;
    for (place, said) in lines.iter().enumerate() {
        if cut && (FIRST..lines.len() - LAST).contains(&place) {
            if place == FIRST {
                let left_out = count(lines.len() - FIRST - LAST, "message is", "messages are");
                super::label(
                    &mut svg,
                    "mid",
                    [columns.width(agents.len()) / 2.0, y + 24.0],
                    &format!("⋮ {left_out} left out here"),
                );
                y += STEP;
            }
            continue;
        }
        arrow(
            &mut svg,
            said,
            [x(said.from), x(said.to)],
            y + 20.0,
            columns.gap,
        );
        y += STEP;
    }
    svg.close();
    svg
}

/// The positions of the lifelines.
struct Columns {
    gap: f64,
}

impl Columns {
    /// The columns for so many agents; the fewer, the wider apart.
    fn of(agents: usize) -> Self {
        let between = agents.saturating_sub(1).max(1) as f64;
        Self {
            gap: (900.0 / between).clamp(170.0, 380.0),
        }
    }

    fn x(&self, place: usize) -> f64 {
        LEFT + 60.0 + place as f64 * self.gap
    }

    fn width(&self, agents: usize) -> f64 {
        self.x(agents.saturating_sub(1)) + RIGHT
    }
}

fn lifeline(svg: &mut Markup, x: f64, name: &str, bottom: f64, gap: f64) {
    let wide = (width(name) as f64 * LARGE + 24.0).min(gap - 14.0);
    let short = cut(name, ((wide - 10.0) / LARGE) as usize);
    svg.open("g", &[]).leaf("title", &[], &name);
    line(svg, "life", [x, 34.0], [x, bottom]);
    svg.empty(
        "rect",
        &[
            ("class", &"box"),
            ("x", &Px(x - wide / 2.0)),
            ("y", &"8"),
            ("width", &Px(wide)),
            ("height", &"26"),
            ("rx", &"5"),
        ],
    );
    super::label(svg, "name", [x, 25.0], &short);
    svg.close();
}

/// Draws an arrow with its label above and its text below; a message to oneself becomes a note.
fn arrow(svg: &mut Markup, said: &SequenceMessage<'_>, [from, to]: [f64; 2], y: f64, gap: f64) {
    let tone = said.ending.as_str();
    svg.open("g", &[]);
    svg.leaf(
        "title",
        &[],
        &format!(
            "{} {} → {}: {}\n{}",
            said.at, said.from, said.to, said.label, said.words
        ),
    );
    super::label(
        svg,
        "small",
        [8.0, y + 3.0],
        &format!(
            "{}:{:02}",
            said.at.day_and_clock(),
            said.at.as_ms() / 1_000 % 60
        ),
    );
    let reply = if said.answers { " reply" } else { "" };
    let drawn = (from != to).then_some(Arrow { from, to, y });
    if let Some(arrow) = drawn {
        let neck = [arrow.neck(), y];
        line(svg, &format!("arrow {tone}{reply}"), [from, y], neck);
        let head = arrow.head();
        svg.empty("path", &[("class", &format!("tip {tone}")), ("d", &head)]);
    }
    let middle = drawn.map_or(from, |arrow| arrow.middle());
    let columns = |character: f64| match drawn {
        Some(arrow) => arrow.columns(character),
        None => ((gap - 20.0) / character) as usize,
    };
    super::label(
        svg,
        "mid over",
        [middle, y - 5.0],
        &cut(&said.label, columns(LARGE)),
    );
    super::label(
        svg,
        "small mid over",
        [middle, y + 13.0],
        &cut(said.words, columns(SMALL)),
    );
    svg.close();
}
