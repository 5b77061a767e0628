//! `convoke task`: what can be typed.

use super::Remote;
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum TaskCommand {
    /// List the tasks, by the time of their last change.
    List(List),
    /// Show one task: conditions, state, negotiations.
    Show {
        /// Its task-id.
        task: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Show tasks with their parts, indented, and their state.
    Tree {
        /// Only this task and its parts.
        task: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Draw how a task went: who said what to whom, in which round, and what state it came to.
    Timeline(Timeline),
    /// Print everything that was said about a task, word for word.
    Context {
        /// Its task-id.
        task: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Assign a task to an agent.
    Assign(Assign),
    /// Say something in a negotiation: an offer, an acceptance or a refusal.
    #[command(after_help = "\
Examples:\n  \
convoke task negotiate fix-7 --to ip-fault --content offer.txt   is it feasible?\n  \
convoke task negotiate fix-7 --accept 2                          the second alternative, then\n  \
convoke task negotiate fix-7 --refuse \"not before noon\"          or not\n\n\
A content has the sections '## target object' and '## task description', and others as in\n\
task-negotiate. Whether a task can be done is negotiated before it is assigned (feasibility), how\n\
it is done while it is (fulfillment).")]
    Negotiate(Negotiate),
    /// Accept what the executor offers: its result, or its decision.
    Accept(Judge),
    /// Reject the result, or the decision, that the executor offers.
    Reject {
        /// Its task-id.
        task: String,
        /// What is not as it was wanted; given again, each is one point.
        #[arg(long, value_name = "TEXT", required = true, num_args = 1..)]
        unmet: Vec<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Cancel a task and its parts.
    Cancel {
        /// Its task-id.
        task: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Answer the executor's question; the task goes on.
    Answer(Answer),
}

#[derive(Args)]
pub(crate) struct List {
    /// Only those that have not ended.
    #[arg(long, conflicts_with = "status")]
    pub(crate) open: bool,
    /// Only those in this state; given again, in one of them.
    #[arg(long)]
    pub(crate) status: Vec<String>,
    /// Only those that this agent executes: name or alias.
    #[arg(long, value_name = "AGENT")]
    pub(crate) executor: Option<String>,
    /// Only those that this agent or user is party to.
    #[arg(long, value_name = "NAME")]
    pub(crate) party: Option<String>,
    /// Only the parts of this task.
    #[arg(long, value_name = "TASK")]
    pub(crate) parent: Option<String>,
    /// Only those that did not change last before this instant (RFC 3339).
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only those that did not change last after this instant.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Timeline {
    /// Its task-id.
    pub(crate) task: String,
    /// How it is drawn.
    #[arg(long, default_value = "text")]
    pub(crate) format: Format,
    /// Where it goes instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Draw the parts of the task as well.
    #[arg(long)]
    pub(crate) parts: bool,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// How a timeline is drawn.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal.
    Text,
    /// A picture, for light and dark paper.
    Svg,
    /// A page: the picture, and every word.
    Html,
}

#[derive(Args)]
#[command(after_help = "\
Example:\n  convoke task assign ip-fault router:Berlin diagnose the loss of light \\\n    \
--expect \"the cause and the element\" --answer-within 600 --term LOS=\"loss of signal\"")]
pub(crate) struct Assign {
    /// The agent's name or alias.
    pub(crate) agent: String,
    /// What the task is about, e.g. an element such as site:BE-017.
    pub(crate) target: String,
    /// What to do, in plain words.
    pub(crate) description: Vec<String>,
    /// The task-id; one is made if it is not given.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// A structured payload: {"schema_id": …, "payload": {…}}.
    #[arg(long, value_name = "JSON")]
    pub(crate) payload: Option<String>,
    /// What the result will be judged by; without it the result ends the task.
    #[arg(long, value_name = "TEXT")]
    pub(crate) expect: Option<String>,
    /// Return at once; the agent reports by notification.
    #[arg(long = "async")]
    pub(crate) asynchronous: bool,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// On which conditions a task is assigned.
#[derive(Args)]
#[command(next_help_heading = "Conditions")]
pub(crate) struct Conditions {
    /// The task of which this one is a part: cancelled with it, and its result waits for this one.
    #[arg(long, value_name = "TASK")]
    pub(crate) parent: Option<String>,
    /// When a result must be there (RFC 3339); the task fails then.
    #[arg(long, value_name = "TIME")]
    pub(crate) deadline: Option<String>,
    /// How long a result, a decision or a question waits for whoever has to answer.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) answer_within: Option<u32>,
    /// Take no result before a decision of the executor was agreed on.
    #[arg(long)]
    pub(crate) demand_fulfillment: bool,
    /// How many rounds a negotiation of this task may have, 1 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) round_limit: Option<u32>,
    /// What a term means in this task; given again for each.
    #[arg(long, value_name = "NAME=EXPLANATION")]
    pub(crate) term: Vec<String>,
    /// Data that belong to the assignment: an id of `convoke data put`.
    #[arg(long, value_name = "ID")]
    pub(crate) data: Option<String>,
    /// The exchange from which the assignment follows: an id of `convoke task context`.
    #[arg(long, value_name = "ID")]
    pub(crate) context: Option<String>,
    /// Where reports go beside the notifications: http:// or https://, if the platform allows it.
    #[arg(long, value_name = "URL")]
    pub(crate) report_to: Option<String>,
}

#[derive(Args)]
#[command(group(ArgGroup::new("speech").required(true).args(["content", "accept", "refuse"])))]
pub(crate) struct Negotiate {
    /// The task-id; of a feasibility, of the task that is to be.
    pub(crate) task: String,
    /// Whom to speak to: name or alias; known once something was said.
    #[arg(long, value_name = "AGENT")]
    pub(crate) to: Option<String>,
    /// An offer, from a file or standard input (-); given again, each is one alternative.
    #[arg(long, value_name = "FILE|-")]
    pub(crate) content: Vec<String>,
    /// Accept what stands, or this alternative of it.
    #[arg(long, value_name = "N", num_args = 0..=1)]
    pub(crate) accept: Option<Option<u32>>,
    /// Refuse what stands, for these reasons.
    #[arg(long, value_name = "REASON", num_args = 1..)]
    pub(crate) refuse: Vec<String>,
    /// Whether it can be done; so it is while there is no such task.
    #[arg(long)]
    pub(crate) feasibility: bool,
    /// How it is done; so it is once there is the task.
    #[arg(long, conflicts_with = "feasibility")]
    pub(crate) fulfillment: bool,
    /// The round, from 1; without it the next one.
    #[arg(long, value_name = "N")]
    pub(crate) round: Option<u32>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Judge {
    /// Its task-id.
    pub(crate) task: String,
    /// Which alternative of a decision, if there are several.
    pub(crate) alternative: Option<u32>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Answer {
    /// Its task-id.
    pub(crate) task: String,
    /// The answer, in plain words.
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
