//! Data about users and the platform itself, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::{Boolean, Instant, Number, Text, output};

output! {
    node User {
        name: leaf Text = "name";
        sessions: leaf Number = "sessions";
        connections: leaf Number = "connections";
        held_bytes: leaf Number = "held-bytes";
        requests: leaf Number = "requests";
        tasks_open: leaf Number = "tasks-open";
        data_bytes: leaf Number = "data-bytes";
        refused: leaf Number = "refused";
    }
}

output! {
    node UsageAgent {
        name: leaf Text = "name";
        waiting: leaf Number = "waiting";
        waiting_time: leaf Number = "waiting-time";
        step_since: leaf Instant = "step-since";
        steps: leaf Number = "steps";
        step_time: leaf Number = "step-time";
        failed: leaf Number = "failed";
    }
}

output! {
    node Subscription {
        id: leaf Number = "id";
        session_id: leaf Number = "session-id";
        user: leaf Text = "user";
        stream: leaf Text = "stream";
        agent: leaf Text = "agent";
        management_system: leaf Text = "management-system";
        since: leaf Instant = "since";
        sent: leaf Number = "sent";
        lag_events: leaf Number = "lag-events";
    }
}

output! {
    node ConsoleSession {
        id: leaf Text = "id";
        user: leaf Text = "user";
        since: leaf Instant = "since";
        until: leaf Instant = "until";
        by: leaf Text = "by";
    }
}

output! {
    node CommitBucket {
        up_to: leaf Number = "up-to";
        commits: leaf Number = "commits";
    }
}

output! {
    node Store {
        queued: leaf Number = "queued";
        changes: leaf Number = "changes";
        failed: leaf Number = "failed";
        commits: leaf Number = "commits";
        write_time: leaf Number = "write-time";
        commit_time: leaf Number = "commit-time";
        backend: leaf Text = "backend";
        condition: leaf Text = "condition";
        size: leaf Number = "size";
        entries: leaf Number = "entries";
        commit_bucket: list 1 CommitBucket<'a> = "commit-bucket";
    }
}

output! {
    node Verification {
        state: leaf Text = "state";
        began: leaf Instant = "began";
        ended: leaf Instant = "ended";
        rows: leaf Number = "rows";
        entries: leaf Number = "entries";
    }
}

output! {
    data Usage = USAGE "usage" {
        memory_short: leaf Boolean = "memory-short";
        user: list 1 User<'a> = "user";
        agent: list 1 UsageAgent<'a> = "agent";
        subscription: list 1 Subscription<'a> = "subscription";
        console_session: list 1 ConsoleSession<'a> = "console-session";
        store: container Store<'a> = "store";
        verification: container Verification<'a> = "verification";
    }
}
