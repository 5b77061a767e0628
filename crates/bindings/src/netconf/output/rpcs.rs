//! The outputs of rpcs, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::{Boolean, Decimal, Instant, Number, Text, output};

output! {
    node Record {
        sequence: leaf Number = "sequence";
        time: leaf Instant = "time";
        kind: leaf Text = "kind";
        user: leaf Text = "user";
        source: leaf Text = "source";
        subject: leaf Text = "subject";
        reason: leaf Text = "reason";
        count: leaf Number = "count";
        first: leaf Instant = "first";
    }
}

output! {
    rpc GetAudit {
        record: list 1 Record<'a> = AUDIT "record";
        next: leaf Number = AUDIT "next";
    }
}

output! {
    rpc DataWrite {
        received: leaf Number = DATA "received";
        finished: leaf Boolean = DATA "finished";
    }
}

output! {
    rpc DataRead {
        data: leaf Text = DATA "data";
        size: leaf Number = DATA "size";
        last: leaf Boolean = DATA "last";
        sha256: leaf Text = DATA "sha256";
    }
}

output! {
    node Reading {
        name: leaf Text = "name";
        value: leaf Decimal<3> = "value";
    }
}

output! {
    rpc Probe {
        condition: leaf Text = EMS "condition";
        reading: list 1 Reading<'a> = EMS "reading";
    }
}

output! {
    node Parameter {
        name: leaf Text = "name";
        running: leaf Text = "running";
        planned: leaf Text = "planned";
    }
}

output! {
    rpc ReadConfiguration {
        parameter: list 1 Parameter<'a> = EMS "parameter";
    }
}

output! {
    node Visit {
        cell: leaf Text = "cell";
        from: leaf Instant = "from";
        until: leaf Instant = "until";
        rsrp: leaf Decimal<2> = "rsrp";
        throughput: leaf Decimal<3> = "throughput";
        failures: leaf Number = "failures";
    }
}

output! {
    rpc Trace {
        visit: list 0 Visit<'a> = EMS "visit";
        left_to: leaf Text = EMS "left-to";
        came_from: leaf Text = EMS "came-from";
    }
}

output! {
    rpc Dispatch {
        dispatch: leaf Number = EMS "dispatch";
        arrival: leaf Instant = EMS "arrival";
    }
}

output! {
    node Decides {
        id: leaf Text = "id";
        verdict: leaf Text = "verdict";
        at: leaf Instant = "at";
    }
}

output! {
    node Remark {
        number: leaf Number = "number";
        about: leaf Text = "about";
        value: leaf Text = "value";
        remark: leaf Text = "remark";
    }
}

output! {
    rpc CheckRule {
        decides_count: leaf Number = POLICY "decides-count";
        decides: list 1 Decides<'a> = POLICY "decides";
        remark: list 1 Remark<'a> = POLICY "remark";
    }
}

output! {
    rpc RegisterAgent {
        name: leaf Text = REGISTRY "name";
        lease_until: leaf Instant = REGISTRY "lease-until";
        advice: leaf_list Text = REGISTRY "advice";
    }
}

output! {
    rpc RenewLease {
        name: leaf Text = REGISTRY "name";
        lease_until: leaf Instant = REGISTRY "lease-until";
    }
}

output! {
    node Match {
        name: leaf Text = "name";
        score: leaf Number = "score";
        reason: leaf_list Text = "reason";
    }
}

output! {
    rpc DiscoverAgents {
        r#match: list 1 Match<'a> = REGISTRY "match";
    }
}

output! {
    node Need {
        name: leaf Text = "name";
        skill: leaf Text = "skill";
        tag: leaf_list Text = "tag";
        input_mode: leaf Text = "input-mode";
        output_mode: leaf Text = "output-mode";
        domain: leaf Text = "domain";
        management_object: leaf Text = "management-object";
        schema: leaf Text = "schema";
        text: leaf Text = "text";
        content: leaf Text = "content";
        optional: leaf Boolean = "optional" or false;
        member: leaf Text = "member";
    }
}

output! {
    node Refusal {
        reason: leaf Text = "reason";
        path: leaf Text = "path";
        message: leaf Text = "message";
    }
}

output! {
    node Candidate {
        need: leaf Text = "need";
        agent: leaf Text = "agent";
        score: leaf Number = "score";
        standing: leaf Text = "standing";
        refusal: list 0 Refusal<'a> = "refusal";
    }
}

output! {
    node Team {
        task_id: leaf Text = "task-id";
        publisher: leaf Text = "publisher";
        need: list 1 Need<'a> = "need";
        candidate: list 2 Candidate<'a> = "candidate";
        gap: leaf_list Text = "gap";
        complete: leaf Boolean = "complete";
        formed_at: leaf Instant = "formed-at";
        changed_at: leaf Instant = "changed-at";
        team_version: leaf Number = "team-version";
    }
}

output! {
    rpc FormTeam {
        team: container Team<'a> = REGISTRY "team";
    }
}

output! {
    node TaskSubscription {
        subscript_protocol: leaf Text = "subscript-protocol";
        subscript_method: leaf Text = "subscript-method";
        subscript_url: leaf Text = "subscript-url";
    }
}

output! {
    node TermExplains {
        term: leaf Text = "term";
        explaination: leaf Text = "explaination";
    }
}

output! {
    node TaskResult {
        msg_data: leaf Text = "msg-data";
    }
}

output! {
    node Task {
        task_id: leaf Text = "task-id";
        task_send_from: leaf Text = "task-sendFrom";
        task_send_to: leaf Text = "task-sendTo";
        commu_type: leaf Text = "commuType";
        content: leaf Text = "content";
        task_subscription: container TaskSubscription<'a> = "task-subscription";
        task_async: leaf Boolean = "task-async";
        task_status: leaf Text = "task-status";
        expected_response: leaf Text = "expected-response";
        term_explains: list 1 TermExplains<'a> = "term-explains";
        msg_data: leaf Text = "msg-data";
        context: leaf Text = "context";
        r#type: leaf Text = "type";
        task_version: leaf Number = "task-version";
        created_at: leaf Instant = "created-at";
        changed_at: leaf Instant = "changed-at";
        progress: leaf Number = "progress";
        awaits: leaf Text = "awaits";
        answer_by: leaf Instant = "answer-by";
        parent_task: leaf Text = "parent-task";
        deadline: leaf Instant = "deadline";
        answer_within: leaf Number = "answer-within";
        fulfillment_required: leaf Boolean = "fulfillment-required";
        round_limit: leaf Number = "round-limit";
        conversation: leaf Text = "conversation";
        plan: leaf Text = "plan";
        result: container TaskResult<'a> = "result";
    }
}

output! {
    rpc GetTasks {
        task: list 1 Task<'a> = REGISTRY "task";
        next: leaf Text = REGISTRY "next";
    }
}

output! {
    rpc CountTasks {
        count: leaf Number = REGISTRY "count";
    }
}

output! {
    node RequestInfo {
        content: leaf Text = "content";
        time: leaf Instant = "time";
    }
}

output! {
    node ResponseInfo {
        data_param: leaf Text = "dataParam";
        time: leaf Instant = "time";
    }
}

output! {
    node Context {
        id: leaf Text = "id";
        task_id: leaf Text = "task-id";
        send_from: leaf Text = "sendFrom";
        send_to: leaf Text = "sendTo";
        commu_type: leaf Text = "commuType";
        request_info: container RequestInfo<'a> = "request-info";
        response_info: container ResponseInfo<'a> = "response-info";
    }
}

output! {
    rpc GetContext {
        context: list 1 Context<'a> = REGISTRY "context";
        next: leaf Text = REGISTRY "next";
    }
}

output! {
    rpc GetSchemaTemplate {
        schema_id: leaf Text = SCHEMA "schema-id";
        scenario: leaf Text = SCHEMA "scenario";
        language: leaf Text = SCHEMA "language";
        template: leaf Text = SCHEMA "template";
        signed: leaf Text = SCHEMA "signed";
        seal: leaf Text = SCHEMA "seal";
        yang_module: leaf Text = SCHEMA "yang-module";
    }
}

output! {
    node Scenario {
        scenario: leaf Text = "scenario";
        title: leaf Text = "title";
        schema_id: leaf Text = "schema-id";
        response_schema_id: leaf Text = "response-schema-id";
        agent: leaf_list Text = "agent";
    }
}

output! {
    rpc ListScenarios {
        scenario: list 1 Scenario<'a> = SCHEMA "scenario";
    }
}

output! {
    node Violation {
        path: leaf Text = "path";
        code: leaf Text = "code";
        expected: leaf Text = "expected";
        found: leaf Text = "found";
    }
}

output! {
    rpc ValidatePayload {
        valid: leaf Boolean = SCHEMA "valid";
        violation: list 2 Violation<'a> = SCHEMA "violation";
        warning: leaf_list Text = SCHEMA "warning";
        canonical: leaf Text = SCHEMA "canonical";
    }
}

output! {
    node Choice {
        agent: leaf Text = "agent";
        schema_id: leaf Text = "schema-id";
        scenario: leaf Text = "scenario";
        title: leaf Text = "title";
        score: leaf Decimal<4> = "score";
        known: leaf_list Text = "known";
    }
}

output! {
    node Confidence {
        key: leaf Text = "key";
        value: leaf Decimal<4> = "value";
        understood: leaf Boolean = "understood";
    }
}

output! {
    rpc ParseUtterance {
        choice: list 2 Choice<'a> = SCHEMA "choice";
        nearest: container Choice<'a> = SCHEMA "nearest";
        agent: leaf Text = SCHEMA "agent";
        schema_id: leaf Text = SCHEMA "schema-id";
        payload: leaf Text = SCHEMA "payload";
        confidence: list 1 Confidence<'a> = SCHEMA "confidence";
        other: leaf_list Text = SCHEMA "other";
        missing: leaf_list Text = SCHEMA "missing";
        parser: leaf Text = SCHEMA "parser";
    }
}

output! {
    node Update {
        patch_id: leaf Text = "patch-id";
        parent_schema_id: leaf Text = "parent-schema-id";
        patch: leaf Text = "patch";
        seal: leaf Text = "seal";
    }
}

output! {
    rpc GetSchemaUpdates {
        current_schema_id: leaf Text = SCHEMA "current-schema-id";
        update: list 1 Update<'a> = SCHEMA "update";
    }
}

output! {
    rpc PublishSchemaTemplate {
        schema_id: leaf Text = SCHEMA "schema-id";
        warning: leaf_list Text = SCHEMA "warning";
    }
}

output! {
    rpc RetireSchema {
        current_schema_id: leaf Text = SCHEMA "current-schema-id";
    }
}

output! {
    rpc RenderSchema {
        rendered: leaf Text = SCHEMA "rendered";
    }
}

output! {
    rpc ApprovePatch {
        state: leaf Text = SCHEMA "state";
    }
}

output! {
    rpc RejectPatch {
        state: leaf Text = SCHEMA "state";
    }
}

output! {
    rpc EraseFragments {
        erased: leaf Number = SCHEMA "erased";
    }
}

output! {
    rpc InjectFault {
        id: leaf Number = SIMULATION "id";
        kind: leaf Text = SIMULATION "kind";
        element: leaf Text = SIMULATION "element";
        began: leaf Instant = SIMULATION "began";
    }
}

output! {
    node Fault {
        id: leaf Number = "id";
        kind: leaf Text = "kind";
        element: leaf Text = "element";
        began: leaf Instant = "began";
        repaired: leaf Instant = "repaired";
        restored: leaf Instant = "restored";
        sites_out: leaf Number = "sites-out";
    }
}

output! {
    rpc ListFaults {
        fault: list 1 Fault<'a> = SIMULATION "fault";
    }
}

output! {
    node ScoreFaultsFault {
        id: leaf Number = "id";
        outcome: leaf Text = "outcome";
        found_kind: leaf Text = "found-kind";
        found_element: leaf Text = "found-element";
        found_by: leaf Text = "found-by";
        wrong_findings: leaf Number = "wrong-findings";
        time_to_detect: leaf Number = "time-to-detect";
        time_to_locate: leaf Number = "time-to-locate";
        time_to_mend: leaf Number = "time-to-mend";
        time_to_restore: leaf Number = "time-to-restore";
        closed_too_early: leaf Number = "closed-too-early";
    }
}

output! {
    rpc ScoreFaults {
        fault: list 1 ScoreFaultsFault<'a> = SIMULATION "fault";
    }
}

output! {
    node Figure {
        name: leaf Text = "name";
        unit: leaf Text = "unit";
        better: leaf Text = "better";
        value: leaf Decimal<6> = "value";
    }
}

output! {
    node Day {
        place: leaf Number = "place";
        policy: leaf Text = "policy";
        played: leaf Number = "played";
        figure: list 1 Figure<'a> = "figure";
    }
}

output! {
    rpc GetComparison {
        state: leaf Text = SIMULATION "state";
        why: leaf Text = SIMULATION "why";
        seed: leaf Number = SIMULATION "seed";
        sites: leaf Number = SIMULATION "sites";
        from: leaf Number = SIMULATION "from";
        day: list 1 Day<'a> = SIMULATION "day";
    }
}

output! {
    rpc TaskNegotiate {
        data: anyxml = AGENT "data";
    }
}

output! {
    root Reply = NEGOTIATION "reply" {
        task_id: leaf Text = "task-id";
        task_status: leaf Text = "task-status";
        verdict: leaf Text = "verdict";
        round: leaf Number = "round";
        alternative: leaf Number = "alternative";
        content: leaf_list Text = "content";
        refusal: list 0 Refusal<'a> = "refusal";
        payload_warning: leaf_list Text = SCHEMA "payload-warning";
        schema_update_suggestion: list 1 Update<'a> = SCHEMA "schema-update-suggestion";
    }
}
