//! What is bounded, and by how much.

use crate::accounts::Quotas;
use crate::tasks::placement::MOST;

/// What is bounded, and by how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a synchronous task, or a question, may keep its caller waiting, in milliseconds;
    /// then the reply tells the state reached and things go on.
    pub synchronous_ms: i64,
    /// How long the caller of an asynchronous task waits for the first word of an agent in here, in
    /// milliseconds; then the reply is `pending`, and the agent's word is told when it comes.
    pub answer_ms: i64,
    /// How long a result, a decision or an offer may wait for the other side where its publisher
    /// does not say, in milliseconds.
    pub answer_within_ms: i64,
    /// How long whoever owes such an answer has at least from the start of the platform on, in
    /// milliseconds, or as long as it had in all if that is less: while the platform was down, it
    /// could not be given.
    pub answer_grace_ms: i64,
    /// How long an agent in here may step on one input where it steps beside the decisions, in
    /// milliseconds; then it has failed.
    pub step_ms: i64,
    /// How many trees of tasks can be decided on beside each other, 1 to 64. What comes of it is the same.
    pub shards: usize,
    /// How many requests may wait for one agent in here.
    pub mailbox: usize,
    /// How much telemetry may wait for one agent in here; the oldest makes room.
    pub telemetry: usize,
    /// How many rounds a negotiation may take where its publisher does not say.
    pub rounds: u32,
    /// How many open parts a task may have.
    pub parts: usize,
    /// How deep parts of parts may go.
    pub depth: usize,
    /// How many agents there may be.
    pub agents: usize,
    /// How many bytes an entry of `/data-params` may have.
    pub data_bytes: u64,
    /// How many bytes, as they are stored, an answer may read of tasks, negotiations, teams, exchanges or
    /// data; and how many ended tasks may say that are kept in memory. There they take several times as
    /// much.
    pub read_bytes: u64,
    /// How much each user may hold.
    pub users: Quotas,
}

impl Limits {
    /// The same limits where the engine's time passes `speed` times as fast as the machine's: how long an
    /// agent takes to step and to answer is the machine's time.
    #[must_use]
    pub fn at_speed(self, speed: f64) -> Self {
        let scaled = |ms: i64| (ms as f64 * speed) as i64;
        Self {
            answer_ms: scaled(self.answer_ms),
            step_ms: scaled(self.step_ms),
            ..self
        }
    }

    /// How long whoever asks an agent in here waits for it, in milliseconds.
    pub(crate) fn patience_ms(&self, asynchronous: bool) -> i64 {
        match asynchronous {
            true => self.answer_ms,
            false => self.synchronous_ms,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            synchronous_ms: 30_000,
            answer_ms: 2_000,
            answer_within_ms: 86_400_000,
            answer_grace_ms: 60_000,
            step_ms: 10_000,
            shards: MOST,
            mailbox: 4_096,
            telemetry: 16_384,
            rounds: 10,
            parts: 1_000,
            depth: 8,
            agents: 10_000,
            data_bytes: 1 << 30,
            read_bytes: 32 << 20,
            users: Quotas::default(),
        }
    }
}
