//! Agents without a mind of their own.
//!
//! Read next: `domain::agent`.

use domain::agent::{Agent, Input, Output};
use domain::reply::Reply;
use domain::time::{SeededRng, Timestamp};

/// Says nothing, whatever it hears.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Agent for Silent {
    fn step(&mut self, _: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        Vec::new()
    }
}

/// Accepts whatever it is asked, and does nothing about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Willing;

impl Agent for Willing {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => vec![Output::Answer(Reply::accepted())],
            _ => Vec::new(),
        }
    }
}

/// Does what the test says.
#[derive(Clone, Copy, Debug)]
pub struct Scripted<F>(pub F);

impl<F: FnMut(Input, Timestamp) -> Vec<Output> + Send> Agent for Scripted<F> {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        (self.0)(input, now)
    }
}
