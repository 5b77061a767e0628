//! Data, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::notifications::*;
use super::rpcs::*;
use super::{Boolean, Decimal, Instant, Number, Text, output};

output! {
    node Skill {
        skill_name: leaf Text = "skill-name";
        skill_description: leaf Text = "skill-description";
        skill_tags: leaf_list Text = "skill-tags";
        input_modes: leaf_list Text = "input-modes";
        output_modes: leaf_list Text = "output-modes";
    }
}

output! {
    node Skills {
        skill: list 1 Skill<'a> = "skill";
    }
}

output! {
    node Capability {
        streaming: leaf Boolean = "streaming";
        push_notifications: leaf Boolean = "push-notifications";
        negotiate: leaf Text = "negotiate";
    }
}

output! {
    node AuthenticationMethods {
        accessinfo_id: leaf Text = "accessinfo-id";
        scheme: leaf Text = "scheme";
        jwt_info: leaf Text = "jwtInfo";
        oauth: leaf Text = "oauth";
    }
}

output! {
    node Authentication {
        authentication_methods: list 1 AuthenticationMethods<'a> = "authentication-methods";
    }
}

output! {
    data Agent = AGENT "agent" {
        name: leaf Text = "name";
        alias: leaf Text = "alias";
        description: leaf Text = "description";
        r#type: leaf Text = "type";
        skills: container Skills<'a> = "skills";
        version: leaf Text = "version";
        provider: leaf Text = "provider";
        domain: leaf Text = "domain";
        capability: container Capability<'a> = "capability";
        management_object: leaf Text = "management-object";
        authentication: container Authentication<'a> = "authentication";
    }
}

output! {
    data 1 AgentContext = AGENT "context" {
        id: leaf Text = "id";
        send_from: leaf Text = "sendFrom";
        send_to: leaf Text = "sendTo";
        request_info: container RequestInfo<'a> = "request-info";
        response_info: container ResponseInfo<'a> = "response-info";
    }
}

output! {
    data 1 DataParams = AGENT "data-params" {
        id: leaf Text = "id";
        data_type: leaf Text = "dataType";
        description: leaf Text = "description";
        data_size: leaf Text = "dataSize";
        format: leaf Text = "format";
        url: leaf Text = "url";
        data: leaf Text = "data";
        chunked: leaf Boolean = "chunked";
        finished: leaf Boolean = "finished";
    }
}

output! {
    data Tasks = AGENT "tasks" {
        task_send_from: leaf Text = "task-sendFrom";
        task_send_to: leaf Text = "task-sendTo";
        commu_type: leaf Text = "commuType";
        task_id: leaf Text = "task-id";
        content: leaf Text = "content";
        task_subscription: container TaskSubscription<'a> = "task-subscription";
        task_async: leaf Boolean = "task-async";
        task_status: leaf Text = "task-status";
        expected_response: leaf Text = "expected-response";
        term_explains: list 1 TermExplains<'a> = "term-explains";
        msg_data: leaf Text = "msg-data";
        context: leaf Text = "context";
    }
}

output! {
    node ClusterNode {
        name: leaf Text = "name";
        address: leaf Text = "address";
        version: leaf Text = "version";
        state: leaf Text = "state";
        rules_agree: leaf Boolean = "rules-agree";
        started: leaf Instant = "started";
        last_seen: leaf Instant = "last-seen";
        subscribers: leaf Number = "subscribers";
        lag_events: leaf Number = "lag-events";
        lag_time: leaf Number = "lag-time";
    }
}

output! {
    node Lead {
        shards: leaf Text = "shards";
        holder: leaf Text = "holder";
        epoch: leaf Number = "epoch";
        since: leaf Instant = "since";
        until: leaf Instant = "until";
    }
}

output! {
    data Cluster = CLUSTER "cluster" {
        node: list 1 ClusterNode<'a> = "node";
        lead: list 1 Lead<'a> = "lead";
        takeovers: leaf Number = "takeovers";
    }
}

output! {
    node Cell {
        id: leaf Text = "id";
        load: leaf Decimal<4> = "load";
        users: leaf Decimal<2> = "users";
        traffic: leaf Decimal<3> = "traffic";
        throughput: leaf Decimal<3> = "throughput";
        edge_throughput: leaf Decimal<3> = "edge-throughput";
        interference: leaf Decimal<2> = "interference";
        power_offset: leaf Decimal<2> = "power-offset";
        saving: leaf Text = "saving";
        energy: leaf Decimal<6> = "energy";
    }
}

output! {
    node Link {
        id: leaf Text = "id";
        utilisation: leaf Decimal<4> = "utilisation";
        traffic: leaf Decimal<3> = "traffic";
        latency: leaf Decimal<3> = "latency";
        loss: leaf Decimal<6> = "loss";
    }
}

output! {
    data Performance = EMS "performance" {
        from: leaf Instant = "from";
        until: leaf Instant = "until";
        cell: list 1 Cell<'a> = "cell";
        link: list 1 Link<'a> = "link";
    }
}

output! {
    node WaitingParameter {
        name: leaf Text = "name";
        value: leaf Text = "value";
    }
}

output! {
    node Rule {
        author: leaf Text = "author";
        name: leaf Text = "name";
    }
}

output! {
    node Waiting {
        id: leaf Text = "id";
        kind: leaf Text = "kind";
        task_id: leaf Text = "task-id";
        patch_id: leaf Text = "patch-id";
        decider: leaf Text = "decider";
        agent: leaf Text = "agent";
        domain: leaf Text = "domain";
        target: leaf Text = "target";
        scenario: leaf Text = "scenario";
        round: leaf Number = "round";
        alternatives: leaf Number = "alternatives";
        parameter: list 1 WaitingParameter<'a> = "parameter";
        since: leaf Instant = "since";
        until: leaf Instant = "until";
        operation: leaf_list Text = "operation";
        communication_type: leaf Text = "communication-type";
        in_reply_to: leaf Text = "in-reply-to";
        asked_because: leaf Text = "asked-because";
        rule: list 2 Rule<'a> = "rule";
        escalated_to: leaf_list Text = "escalated-to";
    }
}

output! {
    node Bound {
        key: leaf Text = "key";
        least: leaf Decimal<6> = "least";
        most: leaf Decimal<6> = "most";
    }
}

output! {
    node PolicyRule {
        author: leaf Text = "author";
        name: leaf Text = "name";
        kind: leaf Text = "kind";
        decider: leaf Text = "decider";
        agent: leaf Text = "agent";
        domain: leaf Text = "domain";
        target: leaf Text = "target";
        scenario: leaf Text = "scenario";
        bound: list 1 Bound<'a> = "bound";
        verdict: leaf Text = "verdict";
        valid_until: leaf Instant = "valid-until";
        after: leaf Number = "after";
        then: leaf Text = "then";
        escalate_to: leaf Text = "escalate-to";
        added: leaf Instant = "added";
        state: leaf Text = "state";
    }
}

output! {
    data Policy = POLICY "policy" {
        waiting_count: leaf Number = "waiting-count";
        waiting: list 1 Waiting<'a> = "waiting";
        rule: list 2 PolicyRule<'a> = "rule";
    }
}

output! {
    node SkillDetail {
        skill_name: leaf Text = "skill-name";
        example: leaf_list Text = "example";
        schema: leaf_list Text = "schema";
    }
}

output! {
    node Observed {
        online: leaf Boolean = "online";
        reach: leaf Text = "reach";
        registered_at: leaf Instant = "registered-at";
        renewed_at: leaf Instant = "renewed-at";
        lease_until: leaf Instant = "lease-until";
        health: leaf Text = "health";
        health_note: leaf Text = "health-note";
        endpoint: leaf Text = "endpoint";
        layer: leaf Text = "layer";
        province: leaf Text = "province";
        skill_detail: list 1 SkillDetail<'a> = "skill-detail";
    }
}

output! {
    node RegistryAgent like Agent {
        observed: container Observed<'a> = "observed";
    }
}

output! {
    node NegotiationTurn like Turn {
        time: leaf Instant = "time";
    }
}

output! {
    node Negotiation {
        kind: leaf Text = "kind";
        publisher: leaf Text = "publisher";
        executor: leaf Text = "executor";
        state: leaf Text = "state";
        opened: leaf Number = "opened";
        round_limit: leaf Number = "round-limit";
        answer_by: leaf Instant = "answer-by";
        turn: list 2 NegotiationTurn<'a> = "turn";
    }
}

output! {
    node RegistryTask like Task {
        child_task: leaf_list Text = "child-task";
        negotiation: list 1 Negotiation<'a> = "negotiation";
    }
}

output! {
    node RegistryNegotiation {
        task_id: leaf Text = "task-id";
        kind: leaf Text = "kind";
        publisher: leaf Text = "publisher";
        executor: leaf Text = "executor";
        state: leaf Text = "state";
        opened: leaf Number = "opened";
        round_limit: leaf Number = "round-limit";
        answer_by: leaf Instant = "answer-by";
        turn: list 2 NegotiationTurn<'a> = "turn";
    }
}

output! {
    node Retention {
        max_age: leaf Number = "max-age";
        max_size: leaf Number = "max-size";
        log_max_age: leaf Number = "log-max-age";
        log_began: leaf Instant = "log-began";
    }
}

output! {
    node Statistics {
        agents: leaf Number = "agents";
        agents_online: leaf Number = "agents-online";
        tasks: leaf Number = "tasks";
        tasks_open: leaf Number = "tasks-open";
        events: leaf Number = "events";
    }
}

output! {
    data Registry = REGISTRY "registry" {
        agent: list 1 RegistryAgent<'a> = "agent";
        task: list 1 RegistryTask<'a> = "task";
        negotiation: list 2 RegistryNegotiation<'a> = "negotiation";
        team: list 1 Team<'a> = "team";
        context: list 1 Context<'a> = "context";
        retention: container Retention<'a> = "retention";
        statistics: container Statistics<'a> = "statistics";
    }
}

output! {
    node Schema {
        schema_id: leaf Text = "schema-id";
        scenario: leaf Text = "scenario";
        version: leaf Number = "version";
        state: leaf Text = "state";
        publisher: leaf Text = "publisher";
        published: leaf Instant = "published";
        hash: leaf Text = "hash";
        language: leaf_list Text = "language";
        response_schema_id: leaf Text = "response-schema-id";
        yang_module: leaf Text = "yang-module";
    }
}

output! {
    node Key {
        key_name: leaf Text = "key-name";
        state: leaf Text = "state";
        since: leaf Instant = "since";
        usage_frequency: leaf Decimal<4> = "usage-frequency";
        semantic_alignment_accuracy: leaf Decimal<4> = "semantic-alignment-accuracy";
        value_type_correctness: leaf Decimal<4> = "value-type-correctness";
        client_adoption_rate: leaf Decimal<4> = "client-adoption-rate";
    }
}

output! {
    node Patch like Update {
        state: leaf Text = "state";
        client: leaf Text = "client";
        timestamp: leaf Instant = "timestamp";
        expires_at: leaf Instant = "expires-at";
        approved_by: leaf_list Text = "approved-by";
        key: list 1 Key<'a> = "key";
    }
}

output! {
    node PoolCluster {
        id: leaf Number = "id";
        heat: leaf Decimal<2> = "heat";
        occurrences: leaf Number = "occurrences";
        clients: leaf Number = "clients";
    }
}

output! {
    node Pool {
        scenario: leaf Text = "scenario";
        cohort: leaf Text = "cohort";
        embedder: leaf Text = "embedder";
        fragments: leaf Number = "fragments";
        queued: leaf Number = "queued";
        cluster: list 1 PoolCluster<'a> = "cluster";
    }
}

output! {
    node Sample {
        sample_id: leaf Text = "sample-id";
        scenario: leaf Text = "scenario";
        key_name: leaf Text = "key-name";
        value: leaf Text = "value";
        request: leaf Text = "request";
    }
}

output! {
    data Schemas = SCHEMA "schemas" {
        schema: list 1 Schema<'a> = "schema";
        patch: list 1 Patch<'a> = "patch";
        pool: list 2 Pool<'a> = "pool";
        sample: list 1 Sample<'a> = "sample";
    }
}
