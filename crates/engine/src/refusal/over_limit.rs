//! Refused for how much it is. Read next: [`super`], [`crate::accounts`].

/// More than there is room for: the caller asks for less, or later. Each names its bound.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OverLimit {
    /// The answer would be longer than one is.
    #[error(
        "this is more than an answer holds, {rows} rows and {bytes} bytes as they are stored: ask for less"
    )]
    TooMuch {
        /// How many rows.
        rows: usize,
        /// How many bytes.
        bytes: u64,
    },
    /// Too many agents, parts or bytes.
    #[error("{what}: at most {most}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// More is said in one message than is taken.
    #[error("more than {most} bytes are said: write them to data-params, and name those")]
    TooBig {
        /// How many bytes.
        most: u64,
    },
    /// An utterance is longer than anybody reads.
    #[error("an utterance is read up to {most} bytes: say it shorter, or fill in the keys")]
    LongUtterance {
        /// How many bytes.
        most: usize,
    },
    /// What the publisher's open tasks and proposals say is as much as one's may.
    #[error(
        "the open tasks of '{user}' say {most} bytes and may say no more: end some, say less, or write \
         it to data-params"
    )]
    TasksHeld {
        /// Whose.
        user: String,
        /// How many bytes.
        most: usize,
    },
    /// The publisher has as many tasks and proposals open as one may have.
    #[error("'{user}' has {most} tasks open and may have no more: end some, then ask again")]
    TasksOpen {
        /// Who asked.
        user: String,
        /// The limit.
        most: usize,
    },
    /// The user has as much data stored as one may have.
    #[error(
        "'{user}' may have {most} bytes of data stored, and this would be more: data of ended tasks go \
         with them, and [limits] can allow more"
    )]
    DataQuota {
        /// Who asked.
        user: String,
        /// The limit.
        most: u64,
    },
    /// The user writes faster than one may write.
    #[error("'{user}' writes faster than [limits] allows: ask again in {wait_ms} ms")]
    TooFast {
        /// Who asked.
        user: String,
        /// When there is room again, in milliseconds.
        wait_ms: u64,
    },
    /// Memory is short: nothing is begun that takes more of it, and nothing long said.
    #[error(
        "memory is short: nothing new is begun, and nothing of more than 4 KiB said; ask again later"
    )]
    ShortOfMemory,
    /// The agent has as much to do as may wait for it. Nothing was recorded: sent again later, the
    /// same request may find room.
    #[error("{most} requests wait for agent '{name}', and it takes no more now; ask again later")]
    MailboxFull {
        /// The agent.
        name: String,
        /// How many may wait.
        most: u64,
    },
}
