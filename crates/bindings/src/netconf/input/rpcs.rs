//! The inputs of rpcs, and what each gives, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::{Instant, Text, Word, input};
use crate::netconf::output;

input! {
    rpc GetAudit = AUDIT "get-audit" gives output::GetAudit<'x> {
        since: optional Instant<'x> = AUDIT "since";
        after: optional u64 = AUDIT "after";
        kind: many Word<'x> = AUDIT "kind";
        user: optional Text<'x> = AUDIT "user";
        limit: defaulted u16 = AUDIT "limit" or 100;
    }
}

input! {
    rpc DrainNode = CLUSTER "drain-node" gives () {
        node: needed Text<'x> = CLUSTER "node";
    }
}

input! {
    rpc MoveLead = CLUSTER "move-lead" gives () {
        node: needed Text<'x> = CLUSTER "node";
    }
}

input! {
    rpc DataWrite = DATA "data-write" gives output::DataWrite<'x> {
        id: needed Text<'x> = DATA "id";
        task_id: optional Text<'x> = DATA "task-id";
        reader: optional Text<'x> = DATA "reader";
        data_type: defaulted &'x str = DATA "dataType" or "text";
        description: optional Text<'x> = DATA "description";
        format: optional Text<'x> = DATA "format";
        url: optional Text<'x> = DATA "url";
        offset: defaulted u64 = DATA "offset" or 0;
        data: optional Text<'x> = DATA "data";
        size: optional u64 = DATA "size";
        sha256: optional Text<'x> = DATA "sha256";
        finished: defaulted bool = DATA "finished" or false;
    }
}

input! {
    rpc DataRead = DATA "data-read" gives output::DataRead<'x> {
        id: needed Text<'x> = DATA "id";
        offset: defaulted u64 = DATA "offset" or 0;
        length: defaulted u32 = DATA "length" or 262144;
    }
}

input! {
    rpc Probe = EMS "probe" gives output::Probe<'x> {
        element: needed Text<'x> = EMS "element";
    }
}

input! {
    rpc SetPower = EMS "set-power" gives () {
        cell: needed Text<'x> = EMS "cell";
        offset: needed f64 = EMS "offset";
    }
}

input! {
    rpc SetSaving = EMS "set-saving" gives () {
        cell: many Text<'x> = EMS "cell";
        saving: needed Word<'x> = EMS "saving";
    }
}

input! {
    rpc ReadConfiguration = EMS "read-configuration" gives output::ReadConfiguration<'x> {
        element: needed Text<'x> = EMS "element";
    }
}

input! {
    rpc Configure = EMS "configure" gives () {
        element: needed Text<'x> = EMS "element";
        parameter: needed Text<'x> = EMS "parameter";
        value: needed Text<'x> = EMS "value";
    }
}

input! {
    rpc Restart = EMS "restart" gives () {
        element: needed Text<'x> = EMS "element";
    }
}

input! {
    rpc Trace = EMS "trace" gives output::Trace<'x> {
        vehicle: needed Text<'x> = EMS "vehicle";
        from: needed Instant<'x> = EMS "from";
        until: needed Instant<'x> = EMS "until";
    }
}

input! {
    rpc Dispatch = EMS "dispatch" gives output::Dispatch<'x> {
        element: needed Text<'x> = EMS "element";
        work_order: optional Text<'x> = EMS "work-order";
    }
}

input! {
    rpc Guide = EMS "guide" gives () {
        dispatch: needed u64 = EMS "dispatch";
        element: needed Text<'x> = EMS "element";
        step: many Text<'x> = EMS "step";
    }
}

input! {
    rpc TellCustomer = EMS "tell-customer" gives () {
        ticket: needed Text<'x> = EMS "ticket";
        text: needed Text<'x> = EMS "text";
        question: defaulted bool = EMS "question" or false;
    }
}

input! {
    rpc AddRule = POLICY "add-rule" gives () {
        name: needed Text<'x> = POLICY "name";
        kind: needed Word<'x> = POLICY "kind";
        decider: optional Text<'x> = POLICY "decider";
        agent: optional Text<'x> = POLICY "agent";
        domain: optional Text<'x> = POLICY "domain";
        target: optional Text<'x> = POLICY "target";
        scenario: optional Text<'x> = POLICY "scenario";
        bound: many AddRuleBound<'x> = POLICY "bound";
        verdict: needed Word<'x> = POLICY "verdict";
        valid_until: optional Instant<'x> = POLICY "valid-until";
        after: optional u32 = POLICY "after";
        then: optional Word<'x> = POLICY "then";
        escalate_to: optional Text<'x> = POLICY "escalate-to";
    }
}

input! {
    node AddRuleBound {
        key: needed Text<'x> = POLICY "key";
        least: optional f64 = POLICY "least";
        most: optional f64 = POLICY "most";
    }
}

input! {
    rpc CheckRule = POLICY "check-rule" gives output::CheckRule<'x> {
        name: needed Text<'x> = POLICY "name";
        kind: needed Word<'x> = POLICY "kind";
        decider: optional Text<'x> = POLICY "decider";
        agent: optional Text<'x> = POLICY "agent";
        domain: optional Text<'x> = POLICY "domain";
        target: optional Text<'x> = POLICY "target";
        scenario: optional Text<'x> = POLICY "scenario";
        bound: many CheckRuleBound<'x> = POLICY "bound";
        verdict: needed Word<'x> = POLICY "verdict";
        valid_until: optional Instant<'x> = POLICY "valid-until";
        after: optional u32 = POLICY "after";
        then: optional Word<'x> = POLICY "then";
        escalate_to: optional Text<'x> = POLICY "escalate-to";
    }
}

input! {
    node CheckRuleBound {
        key: needed Text<'x> = POLICY "key";
        least: optional f64 = POLICY "least";
        most: optional f64 = POLICY "most";
    }
}

input! {
    rpc WithdrawRule = POLICY "withdraw-rule" gives () {
        author: optional Text<'x> = POLICY "author";
        name: needed Text<'x> = POLICY "name";
    }
}

input! {
    rpc RegisterAgent = REGISTRY "register-agent" gives output::RegisterAgent<'x> {
        name: optional Text<'x> = REGISTRY "name";
        alias: optional Text<'x> = REGISTRY "alias";
        description: optional Text<'x> = REGISTRY "description";
        r#type: optional Text<'x> = REGISTRY "type";
        skills: optional RegisterAgentSkills<'x> = REGISTRY "skills";
        version: optional Text<'x> = REGISTRY "version";
        provider: optional Text<'x> = REGISTRY "provider";
        domain: optional Text<'x> = REGISTRY "domain";
        capability: optional RegisterAgentCapability<'x> = REGISTRY "capability";
        management_object: optional Text<'x> = REGISTRY "management-object";
        authentication: optional RegisterAgentAuthentication<'x> = REGISTRY "authentication";
        layer: needed Word<'x> = REGISTRY "layer";
        province: optional Text<'x> = REGISTRY "province";
        skill_detail: many RegisterAgentSkillDetail<'x> = REGISTRY "skill-detail";
        reach: defaulted &'x str = REGISTRY "reach" or "client";
        address: needed Text<'x> = REGISTRY "address";
        host_key: needed Text<'x> = REGISTRY "host-key";
        card_url: needed Text<'x> = REGISTRY "card-url";
        lease: defaulted u32 = REGISTRY "lease" or 300;
    }
}

input! {
    node RegisterAgentSkills {
        skill: many RegisterAgentSkillsSkill<'x> = REGISTRY "skill";
    }
}

input! {
    node RegisterAgentCapability {
        streaming: optional bool = REGISTRY "streaming";
        push_notifications: optional bool = REGISTRY "push-notifications";
        negotiate: optional Text<'x> = REGISTRY "negotiate";
    }
}

input! {
    node RegisterAgentAuthentication {
        authentication_methods: many RegisterAgentAuthenticationAuthenticationMethods<'x> = REGISTRY "authentication-methods";
    }
}

input! {
    node RegisterAgentSkillDetail {
        skill_name: needed Text<'x> = REGISTRY "skill-name";
        example: many Text<'x> = REGISTRY "example";
        schema: many Text<'x> = REGISTRY "schema";
    }
}

input! {
    node RegisterAgentSkillsSkill {
        skill_name: needed Text<'x> = REGISTRY "skill-name";
        skill_description: optional Text<'x> = REGISTRY "skill-description";
        skill_tags: many Text<'x> = REGISTRY "skill-tags";
        input_modes: many Text<'x> = REGISTRY "input-modes";
        output_modes: many Text<'x> = REGISTRY "output-modes";
    }
}

input! {
    node RegisterAgentAuthenticationAuthenticationMethods {
        accessinfo_id: needed Text<'x> = REGISTRY "accessinfo-id";
        scheme: optional Text<'x> = REGISTRY "scheme";
        jwt_info: optional Text<'x> = REGISTRY "jwtInfo";
        oauth: optional Text<'x> = REGISTRY "oauth";
    }
}

input! {
    rpc RenewLease = REGISTRY "renew-lease" gives output::RenewLease<'x> {
        name: optional Text<'x> = REGISTRY "name";
        health: defaulted &'x str = REGISTRY "health" or "ok";
        health_note: optional Text<'x> = REGISTRY "health-note";
    }
}

input! {
    rpc DeregisterAgent = REGISTRY "deregister-agent" gives () {
        name: optional Text<'x> = REGISTRY "name";
    }
}

input! {
    rpc DiscoverAgents = REGISTRY "discover-agents" gives output::DiscoverAgents<'x> {
        skill: optional Text<'x> = REGISTRY "skill";
        tag: many Text<'x> = REGISTRY "tag";
        input_mode: optional Word<'x> = REGISTRY "input-mode";
        output_mode: optional Word<'x> = REGISTRY "output-mode";
        domain: optional Text<'x> = REGISTRY "domain";
        management_object: optional Text<'x> = REGISTRY "management-object";
        schema: optional Text<'x> = REGISTRY "schema";
        text: optional Text<'x> = REGISTRY "text";
        limit: defaulted u16 = REGISTRY "limit" or 10;
    }
}

input! {
    rpc FormTeam = REGISTRY "form-team" gives output::FormTeam<'x> {
        task_id: needed Text<'x> = REGISTRY "task-id";
        need: many FormTeamNeed<'x> = REGISTRY "need";
    }
}

input! {
    node FormTeamNeed {
        name: needed Text<'x> = REGISTRY "name";
        skill: optional Text<'x> = REGISTRY "skill";
        tag: many Text<'x> = REGISTRY "tag";
        input_mode: optional Word<'x> = REGISTRY "input-mode";
        output_mode: optional Word<'x> = REGISTRY "output-mode";
        domain: optional Text<'x> = REGISTRY "domain";
        management_object: optional Text<'x> = REGISTRY "management-object";
        schema: optional Text<'x> = REGISTRY "schema";
        text: optional Text<'x> = REGISTRY "text";
        content: needed Text<'x> = REGISTRY "content";
        optional: defaulted bool = REGISTRY "optional" or false;
    }
}

input! {
    rpc GetTasks = REGISTRY "get-tasks" gives output::GetTasks<'x> {
        limit: defaulted u16 = REGISTRY "limit" or 100;
        after: optional Text<'x> = REGISTRY "after";
        party: optional Text<'x> = REGISTRY "party";
        since: optional Instant<'x> = REGISTRY "since";
        until: optional Instant<'x> = REGISTRY "until";
        executor: optional Text<'x> = REGISTRY "executor";
        status: many Word<'x> = REGISTRY "status";
        parent_task: optional Text<'x> = REGISTRY "parent-task";
        conversation: optional Text<'x> = REGISTRY "conversation";
    }
}

input! {
    rpc CountTasks = REGISTRY "count-tasks" gives output::CountTasks<'x> {
        party: optional Text<'x> = REGISTRY "party";
        since: optional Instant<'x> = REGISTRY "since";
        until: optional Instant<'x> = REGISTRY "until";
        executor: optional Text<'x> = REGISTRY "executor";
        status: many Word<'x> = REGISTRY "status";
        parent_task: optional Text<'x> = REGISTRY "parent-task";
        conversation: optional Text<'x> = REGISTRY "conversation";
    }
}

input! {
    rpc GetContext = REGISTRY "get-context" gives output::GetContext<'x> {
        limit: defaulted u16 = REGISTRY "limit" or 100;
        after: optional Text<'x> = REGISTRY "after";
        party: optional Text<'x> = REGISTRY "party";
        since: optional Instant<'x> = REGISTRY "since";
        until: optional Instant<'x> = REGISTRY "until";
        task_id: optional Text<'x> = REGISTRY "task-id";
        counterparty: optional Text<'x> = REGISTRY "counterparty";
    }
}

input! {
    rpc GetSchemaTemplate = SCHEMA "get-schema-template" gives output::GetSchemaTemplate<'x> {
        scenario: optional Text<'x> = SCHEMA "scenario";
        schema_id: optional Text<'x> = SCHEMA "schema-id";
        preferred_language: optional Text<'x> = SCHEMA "preferred-language";
    }
}

input! {
    rpc ListScenarios = SCHEMA "list-scenarios" gives output::ListScenarios<'x> {
        preferred_language: optional Text<'x> = SCHEMA "preferred-language";
    }
}

input! {
    rpc ValidatePayload = SCHEMA "validate-payload" gives output::ValidatePayload<'x> {
        schema_id: needed Text<'x> = SCHEMA "schema-id";
        payload: needed Text<'x> = SCHEMA "payload";
    }
}

input! {
    rpc ParseUtterance = SCHEMA "parse-utterance" gives output::ParseUtterance<'x> {
        utterance: needed Text<'x> = SCHEMA "utterance";
        scenario: optional Text<'x> = SCHEMA "scenario";
        schema_id: optional Text<'x> = SCHEMA "schema-id";
        agent: optional Text<'x> = SCHEMA "agent";
        at: optional Instant<'x> = SCHEMA "at";
        preferred_language: optional Text<'x> = SCHEMA "preferred-language";
    }
}

input! {
    rpc GetSchemaUpdates = SCHEMA "get-schema-updates" gives output::GetSchemaUpdates<'x> {
        schema_id: needed Text<'x> = SCHEMA "schema-id";
        since_patch_id: optional Text<'x> = SCHEMA "since-patch-id";
    }
}

input! {
    rpc RequestCapabilityExtension = SCHEMA "request-capability-extension" gives () {
        scenario: needed Text<'x> = SCHEMA "scenario";
        text: needed Text<'x> = SCHEMA "text";
    }
}

input! {
    rpc PublishSchemaTemplate = SCHEMA "publish-schema-template" gives output::PublishSchemaTemplate<'x> {
        template: needed Text<'x> = SCHEMA "template";
    }
}

input! {
    rpc RetireSchema = SCHEMA "retire-schema" gives output::RetireSchema<'x> {
        schema_id: needed Text<'x> = SCHEMA "schema-id";
    }
}

input! {
    rpc RenderSchema = SCHEMA "render-schema" gives output::RenderSchema<'x> {
        schema_id: needed Text<'x> = SCHEMA "schema-id";
        form: needed Word<'x> = SCHEMA "form";
        preferred_language: optional Text<'x> = SCHEMA "preferred-language";
    }
}

input! {
    rpc ApprovePatch = SCHEMA "approve-patch" gives output::ApprovePatch<'x> {
        patch_id: needed Text<'x> = SCHEMA "patch-id";
    }
}

input! {
    rpc RejectPatch = SCHEMA "reject-patch" gives output::RejectPatch<'x> {
        patch_id: needed Text<'x> = SCHEMA "patch-id";
        reason: optional Text<'x> = SCHEMA "reason";
    }
}

input! {
    rpc JudgeAlignment = SCHEMA "judge-alignment" gives () {
        sample_id: needed Text<'x> = SCHEMA "sample-id";
        matches: needed bool = SCHEMA "matches";
    }
}

input! {
    rpc EraseFragments = SCHEMA "erase-fragments" gives output::EraseFragments<'x> {
        client: needed Text<'x> = SCHEMA "client";
    }
}

input! {
    rpc InjectFault = SIMULATION "inject-fault" gives output::InjectFault<'x> {
        kind: needed Word<'x> = SIMULATION "kind";
        element: optional Text<'x> = SIMULATION "element";
        duration: optional u32 = SIMULATION "duration";
        severity: optional Word<'x> = SIMULATION "severity";
    }
}

input! {
    rpc ListFaults = SIMULATION "list-faults" gives output::ListFaults<'x> {
        ended: defaulted bool = SIMULATION "ended" or false;
    }
}

input! {
    rpc ClearFault = SIMULATION "clear-fault" gives () {
        id: needed u32 = SIMULATION "id";
    }
}

input! {
    rpc ScoreFaults = SIMULATION "score-faults" gives output::ScoreFaults<'x> {
    }
}

input! {
    rpc CompareDay = SIMULATION "compare-day" gives () {
        seed: defaulted u32 = SIMULATION "seed" or 1;
        sites: defaulted u16 = SIMULATION "sites" or 60;
        first: needed Word<'x> = SIMULATION "first";
        second: needed Word<'x> = SIMULATION "second";
        from: optional u8 = SIMULATION "from";
    }
}

input! {
    rpc GetComparison = SIMULATION "get-comparison" gives output::GetComparison<'x> {
    }
}

input! {
    rpc EndComparison = SIMULATION "end-comparison" gives () {
    }
}

input! {
    rpc EndConsoleSession = USAGE "end-console-session" gives () {
        id: needed Text<'x> = USAGE "id";
    }
}

input! {
    rpc TaskNegotiate = AGENT "task-negotiate" gives output::TaskNegotiate<'x> {
        task_send_from: optional Text<'x> = AGENT "task-sendFrom";
        task_send_to: optional Text<'x> = AGENT "task-sendTo";
        commu_type: optional Text<'x> = AGENT "commuType";
        task_id: optional Text<'x> = AGENT "task-id";
        content: many Text<'x> = AGENT "content";
        r#type: optional Word<'x> = AGENT "type";
        task_async: optional bool = NEGOTIATION "task-async";
        task_subscription: optional TaskNegotiateTaskSubscription<'x> = NEGOTIATION "task-subscription";
        expected_response: optional Text<'x> = NEGOTIATION "expected-response";
        term_explains: many TaskNegotiateTermExplains<'x> = NEGOTIATION "term-explains";
        msg_data: optional Text<'x> = NEGOTIATION "msg-data";
        context: optional Text<'x> = NEGOTIATION "context";
        round: optional u32 = NEGOTIATION "round";
        alternative: optional u32 = NEGOTIATION "alternative";
        parent_task: optional Text<'x> = NEGOTIATION "parent-task";
        deadline: optional Instant<'x> = NEGOTIATION "deadline";
        answer_within: optional u32 = NEGOTIATION "answer-within";
        fulfillment_required: optional bool = NEGOTIATION "fulfillment-required";
        round_limit: optional u8 = NEGOTIATION "round-limit";
        conversation: optional Text<'x> = NEGOTIATION "conversation";
    }
}

input! {
    node TaskNegotiateTaskSubscription {
        subscript_protocol: optional Text<'x> = NEGOTIATION "subscript-protocol";
        subscript_method: optional Text<'x> = NEGOTIATION "subscript-method";
        subscript_url: optional Text<'x> = NEGOTIATION "subscript-url";
    }
}

input! {
    node TaskNegotiateTermExplains {
        term: needed Text<'x> = NEGOTIATION "term";
        explaination: optional Text<'x> = NEGOTIATION "explaination";
    }
}
