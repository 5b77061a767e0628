//! Notifications, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::rpcs::*;
use super::{Boolean, Instant, Number, Text, output};

output! {
    root LeadMoved = CLUSTER "lead-moved" {
        from: leaf Text = "from";
        to: leaf Text = "to";
        epoch: leaf Number = "epoch";
        reason: leaf Text = "reason";
    }
}

output! {
    root PerformanceReport = EMS "performance-report" {
        from: leaf Instant = "from";
        until: leaf Instant = "until";
        cells: leaf Number = "cells";
        links: leaf Number = "links";
    }
}

output! {
    root FieldReport = EMS "field-report" {
        dispatch: leaf Number = "dispatch";
        element: leaf Text = "element";
        question: leaf Text = "question";
        repaired: leaf Boolean = "repaired";
        finding: leaf Text = "finding";
    }
}

output! {
    root CustomerComplaint = EMS "customer-complaint" {
        time: leaf Instant = "time";
        site: leaf Text = "site";
        text: leaf Text = "text";
    }
}

output! {
    root CustomerTicket = EMS "customer-ticket" {
        ticket: leaf Text = "ticket";
        time: leaf Instant = "time";
        from: leaf Text = "from";
        language: leaf Text = "language";
        text: leaf Text = "text";
    }
}

output! {
    root CustomerAnswer = EMS "customer-answer" {
        ticket: leaf Text = "ticket";
        text: leaf Text = "text";
    }
}

output! {
    node Turn {
        round: leaf Number = "round";
        by: leaf Text = "by";
        stance: leaf Text = "stance";
        content: leaf_list Text = "content";
        refusal: list 0 Refusal<'a> = "refusal";
        alternative: leaf Number = "alternative";
    }
}

output! {
    root NegotiationUpdate = NEGOTIATION "negotiation-update" {
        task_id: leaf Text = "task-id";
        kind: leaf Text = "kind";
        publisher: leaf Text = "publisher";
        executor: leaf Text = "executor";
        state: leaf Text = "state";
        turn: container Turn<'a> = "turn";
    }
}

output! {
    root PolicyUpdate = POLICY "policy-update" {
        author: leaf Text = "author";
        name: leaf Text = "name";
        change: leaf Text = "change";
        kind: leaf Text = "kind";
        task_id: leaf Text = "task-id";
        patch_id: leaf Text = "patch-id";
        decider: leaf Text = "decider";
        verdict: leaf Text = "verdict";
        escalated_to: leaf Text = "escalated-to";
    }
}

output! {
    root AgentUpdate = REGISTRY "agent-update" {
        name: leaf Text = "name";
        change: leaf Text = "change";
        health: leaf Text = "health";
    }
}

output! {
    root SchemaUpdate = SCHEMA "schema-update" {
        scenario: leaf Text = "scenario";
        schema_id: leaf Text = "schema-id";
        patch_id: leaf Text = "patch-id";
        change: leaf Text = "change";
        key_name: leaf_list Text = "key-name";
        client: leaf Text = "client";
        principal: leaf Text = "principal";
        reason: leaf Text = "reason";
    }
}

output! {
    node InputRequired {
        required: leaf Text = "required";
        task_async: leaf Boolean = "task-async";
        status: leaf Text = "status";
        start_time: leaf Instant = "start-time";
    }
}

output! {
    root ConditionNotifications = AGENT "condition-notifications" {
        task_send_from: leaf Text = "task-sendFrom";
        task_send_to: leaf Text = "task-sendTo";
        commu_type: leaf Text = "commuType";
        task_id: leaf Text = "task-id";
        input_required: list 1 InputRequired<'a> = "input-required";
        previous_status: leaf Text = NEGOTIATION "previous-status";
        progress: leaf Number = NEGOTIATION "progress";
        awaits: leaf Text = NEGOTIATION "awaits";
        msg_data: leaf Text = NEGOTIATION "msg-data";
    }
}
