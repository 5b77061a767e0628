//! The live view: open tasks with their progress, and the latest notifications.
//!
//! The board is made from tasks and notifications alone and drawn into a given size; the screen is
//! the terminal. Read next: [`super::follow`].

use super::follow::Heard;
use crate::output::{Paint, terminal_size};
use crate::remote::{target, text, time};
use domain::notification::Notification;
use domain::task::Status;
use domain::time::Timestamp;
use markup::words::{cut, left, legible};
use netconf::xml::XmlElement;
use server::client::read_notification;
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;

/// The number of notifications kept.
const RECENT: usize = 200;
/// The widths of a progress bar, a task-id and a state; a terminal of 80 columns has room for more.
const BAR: usize = 12;
const ID: usize = 20;
const STATE: usize = 24;

/// The content of the view.
#[derive(Default)]
pub(super) struct Board {
    open: BTreeMap<String, Open>,
    recent: VecDeque<String>,
    events: u64,
    lost: bool,
}

/// An open task.
struct Open {
    executor: String,
    status: String,
    awaits: String,
    percent: u8,
    about: String,
    changed_at: Timestamp,
}

impl Board {
    /// Adds a task that was open when watching began.
    pub(super) fn opened(&mut self, task: XmlElement<'_>) {
        let open = Open {
            executor: text(task, "task-sendTo"),
            status: text(task, "task-status"),
            awaits: text(task, "awaits"),
            percent: text(task, "progress").parse().unwrap_or(0),
            about: target(&text(task, "content")),
            changed_at: time(task, "changed-at"),
        };
        self.open.insert(text(task, "task-id"), open);
    }

    /// Applies a received item, with its line of text.
    pub(super) fn heard(&mut self, heard: &Heard, words: String) {
        match heard {
            Heard::Event(notification) => {
                self.events += 1;
                if let Ok(Some(change)) = read_notification(notification) {
                    self.changed(&change);
                }
            }
            Heard::Lost(_) => self.lost = true,
            Heard::Back => self.lost = false,
            Heard::Gap { .. } => {}
        }
        self.recent.push_back(words);
        while self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    fn changed(&mut self, change: &Notification) {
        let id = change.task.as_str();
        let known = self.open.get(id);
        if known.is_some_and(|open| open.changed_at > change.time) {
            return;
        }
        if change.status.is_terminal() {
            self.open.remove(id);
            return;
        }
        let open = Open {
            executor: change.from.clone(),
            status: change.status.to_string(),
            awaits: change
                .awaits
                .map_or_else(String::new, |a| a.as_str().to_owned()),
            percent: change.percent,
            about: change.content.target_object.clone(),
            changed_at: change.time,
        };
        self.open.insert(id.to_owned(), open);
    }

    /// Draws the board into so many columns and lines: at most half of them for tasks, the latest
    /// changed.
    fn frame(&self, columns: usize, lines: usize, paint: Paint) -> Vec<String> {
        let standing = match self.lost {
            true => paint.style("1;31", "lost, trying again"),
            false => paint.style("32", "following"),
        };
        let title = format!(
            "{} open tasks, {} notifications",
            self.open.len(),
            self.events
        );
        let mut frame = vec![
            format!("{}  {standing}", paint.style("1", &title)),
            String::new(),
        ];
        let mut tasks: Vec<(&String, &Open)> = self.open.iter().collect();
        tasks.sort_by_key(|(_, open)| std::cmp::Reverse(open.changed_at));
        let room = (lines / 2).saturating_sub(frame.len() + 1);
        for (id, open) in tasks.iter().take(room) {
            frame.push(row(id, open, columns, paint));
        }
        if tasks.len() > room {
            frame.push(paint.style("2", &format!("… and {} more", tasks.len() - room)));
        }
        frame.push(String::new());
        let room = lines.saturating_sub(frame.len());
        let begin = self.recent.len().saturating_sub(room);
        frame.extend(
            self.recent
                .iter()
                .skip(begin)
                .map(|words| clipped(&legible(words), columns)),
        );
        frame
    }
}

fn row(id: &str, open: &Open, columns: usize, paint: Paint) -> String {
    let full = BAR * usize::from(open.percent.min(100)) / 100;
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full));
    let (style, state) = match Status::parse(&open.status) {
        Some(Status::InputRequired | Status::AuthRequired | Status::Blocked) => {
            ("33", [open.status.as_str(), open.awaits.as_str()].join(" "))
        }
        _ => ("36", open.status.clone()),
    };
    let room = columns.saturating_sub(BAR + ID + STATE + 12);
    let (id, state) = (left(&cut(id, ID), ID), left(&cut(&state, STATE), STATE));
    let words = cut(&format!("{} {}", open.executor, open.about), room);
    let state = paint.style(style, &state);
    format!(
        "{} {:>3} %  {id}  {state}  {words}",
        paint.style(style, &bar),
        open.percent
    )
}

/// Cuts a text to so many columns; styles take no columns.
fn clipped(text: &str, columns: usize) -> String {
    let (mut clipped, mut used, mut styling) = (String::new(), 0, false);
    for c in text.chars() {
        styling |= c == '\x1b';
        if !styling {
            used += markup::words::width(c.encode_utf8(&mut [0; 4]));
        }
        if styling || used <= columns {
            clipped.push(c);
        }
        styling &= c != 'm';
    }
    clipped
}

/// The terminal during watching.
pub(super) struct Screen {
    columns: usize,
    lines: usize,
}

impl Screen {
    /// Switches to the terminal's alternate screen and hides the cursor.
    pub(super) fn open() -> Self {
        write("\x1b[?1049h\x1b[?25l");
        let mut screen = Self {
            columns: 80,
            lines: 24,
        };
        screen.measure();
        screen
    }

    /// Updates the size of the terminal.
    pub(super) fn measure(&mut self) {
        if let Some([lines, columns]) = terminal_size() {
            (self.lines, self.columns) = (lines, columns);
        }
    }

    /// Draws the board.
    pub(super) fn show(&mut self, board: &Board) {
        let frame = board.frame(self.columns, self.lines, Paint::new());
        write(&format!("\x1b[H{}\x1b[K\x1b[J", frame.join("\x1b[K\r\n")));
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        write("\x1b[?25h\x1b[?1049l");
    }
}

fn write(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // A terminal that has gone takes its picture with it.
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::content::Content;
    use domain::task::TaskId;
    use domain::verb::Verb;
    use insta::assert_snapshot;

    fn change(task: &str, status: Status, percent: u8, ms: i64) -> Notification {
        Notification {
            time: Timestamp::from_ms(ms),
            task: TaskId::new(task),
            from: "ip-agent".to_owned(),
            to: "operator".to_owned(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status,
            previous: None,
            start_time: Timestamp::from_ms(0),
            percent,
            content: Content::new("router:A", "goes on"),
            awaits: None,
            data: None,
        }
    }

    #[test]
    fn open_tasks_are_shown_until_they_end_and_old_news_is_none() {
        let mut board = Board::default();
        for (task, status, percent, ms) in [
            ("t-1", Status::Processing, 50, 2_000),
            ("t-2", Status::Created, 0, 3_000),
            ("t-3", Status::Blocked, 10, 4_000),
            ("t-2", Status::Finished, 100, 5_000),
            ("t-1", Status::Processing, 25, 1_000),
        ] {
            board.changed(&change(task, status, percent, ms));
        }
        board.heard(
            &Heard::Lost("gone".to_owned()),
            "the platform is lost".to_owned(),
        );
        assert_snapshot!(board.frame(100, 12, Paint::plain()).join("\n"), @r"
        2 open tasks, 0 notifications  lost, trying again

        █░░░░░░░░░░░  10 %  t-3                   blocked                   ip-agent router:A
        ██████░░░░░░  50 %  t-1                   processing                ip-agent router:A

        the platform is lost
        ");
    }

    #[test]
    fn a_small_terminal_shows_the_last_of_everything() {
        let mut board = Board::default();
        for n in 0..30 {
            board.changed(&change(
                &format!("t-{n}"),
                Status::Processing,
                n,
                i64::from(n),
            ));
            board.heard(&Heard::Back, format!("\x1b[1mhappening {n}\x1b[0m"));
        }
        let frame = board.frame(40, 10, Paint::plain());
        assert!(frame.len() <= 10);
        assert!(frame.iter().any(|l| l.contains("and 28 more")));
        assert_eq!(frame.last().unwrap(), "\x1b[1mhappening 29\x1b[0m");
        assert_eq!(clipped("\x1b[1mhappening\x1b[0m", 3), "\x1b[1mhap\x1b[0m");
    }
}
