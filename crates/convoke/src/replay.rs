//! `convoke demo --replay FILE`: a recorded run, stepped through.
//!
//! On a terminal each line waits for its reader: an empty line goes on, a number goes on by so many
//! lines, `b` shows the board, `q` ends. Elsewhere everything is told at once. Read next:
//! [`report::Player`].

use crate::cli::Common;
use crate::files;
use crate::output::{Failure, Paint, line, on_terminal};
use report::replay::{Line, Tone};
use report::words::cut;
use report::{Player, Record};
use std::io::BufRead;
use std::path::Path;

/// Told lines are cut to this many columns.
const WIDTH: usize = 150;
/// As long as nothing else is said, so many lines are told at a time.
const AT_A_TIME: usize = 12;

/// What a reader wants next.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    On(usize),
    Board,
    End,
    Unclear,
}

pub(crate) fn run(common: &Common, file: &Path) -> Result<(), Failure> {
    let text = files::text(file)?;
    let record =
        Record::parse(&text).map_err(|e| Failure::failed(format!("{}, {e}", file.display())))?;
    if common.json {
        record.lines().for_each(|text| line(&text));
        return Ok(());
    }
    let run = &record.run;
    line(&format!(
        "{} by {} on {}, seed {}; it began {}\n",
        run.scenario, run.policy, run.topology, run.seed, run.began
    ));
    let mut player = Player::new(record);
    if !on_terminal() {
        tell(&mut player, usize::MAX);
        board(&player);
        return Ok(());
    }
    step_through(&mut player)
}

fn step_through(player: &mut Player) -> Result<(), Failure> {
    line("Enter goes on, a number goes on by so many lines, b shows the board, q ends.\n");
    let mut readers = std::io::stdin().lock().lines();
    let mut wish = Wish::On(AT_A_TIME);
    loop {
        match wish {
            Wish::On(lines) if !tell(player, lines) => {
                board(player);
                return Ok(());
            }
            Wish::Board => board(player),
            Wish::End => return Ok(()),
            Wish::Unclear => line("Enter, a number, b or q"),
            Wish::On(_) => {}
        }
        wish = match readers.next() {
            Some(Ok(said)) => wished(&said),
            Some(Err(cause)) => return Err(Failure::failed(cause.to_string())),
            None => Wish::End,
        };
    }
}

fn wished(said: &str) -> Wish {
    match said.trim() {
        "" => Wish::On(AT_A_TIME),
        "b" => Wish::Board,
        "q" => Wish::End,
        number => number.parse().map_or(Wish::Unclear, Wish::On),
    }
}

/// Tells so many lines; false when there are no more.
fn tell(player: &mut Player, lines: usize) -> bool {
    let paint = Paint::new();
    for _ in 0..lines {
        match player.step() {
            Some(told) => line(&in_columns(&told, paint)),
            None => return false,
        }
    }
    true
}

fn in_columns(told: &Line, paint: Paint) -> String {
    let style = match told.tone {
        Tone::Plain => "36",
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Waiting => "33",
        Tone::Truth => "1;35",
    };
    let arrow = match &told.to {
        Some(to) => format!("{} {to:<16}", paint.style(style, "──▶")),
        None => paint.style(style, "·"),
    };
    let (at, who, words) = (told.at.clock(), &told.who, cut(&told.words, WIDTH));
    format!("{at}  {who:>16} {arrow} {words}")
}

fn board(player: &Player) {
    line("");
    line(&player.board());
    line("");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_says_how_far() {
        assert_eq!(wished(""), Wish::On(AT_A_TIME));
        assert_eq!(wished(" 40 "), Wish::On(40));
        assert_eq!(wished("b"), Wish::Board);
        assert_eq!(wished("q"), Wish::End);
        assert_eq!(wished("x"), Wish::Unclear);
    }
}
