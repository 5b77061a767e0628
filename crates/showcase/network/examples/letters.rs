//! Prints labelled complaint letters: `cargo run -p convoke-network --example letters -- SEED COUNT`.
//!
//! The columns are described in `network::customer_complaints::corpus`.

use domain::time::Timestamp;
use network::Backbone;
use network::customer_complaints::corpus;
use std::io::Write;

// A program is told what to do by its arguments; the crate behind it is not.
#[expect(clippy::disallowed_methods, reason = "a program has arguments")]
fn main() -> std::io::Result<()> {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok());
    let (seed, count) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(100));
    let start = Timestamp::parse("2025-04-01T00:00:00Z").expect("a date");
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", corpus::HEAD)?;
    for line in corpus::lines(&Backbone::default(), seed, count as usize, start) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
