//! Every operation of the engine, for every user: denied where the rules deny the corresponding
//! RPC, over any protocol.

use super::reference::Reference;
use super::stage::{Stage, keep_push};
use domain::context::Body;
use domain::discovery::Criteria;
use domain::ems::Ems;
use domain::inventory::ElementId;
use domain::policy::{DecisionKind, RuleConditions, RuleVerdict};
use domain::profile::Layer;
use domain::registry::{Health, Reach};
use domain::task::TaskId;
use domain::telemetry::Action;
use domain::verb::Verb;
use engine::query::AuditTrail;
use engine::refusal::Forbidden;
use engine::{
    Act, AddRule, ApprovePatch, CheckRule, ClearFault, CompareDay, DayPolicy, DeregisterAgent,
    DiscoverAgents, DrainNode, EndComparison, EndConsoleSession, Endpoint, EraseFragments, Form,
    FormTeam, GetComparison, GetSchemaTemplate, GetSchemaUpdates, InjectFault, IntroduceAgent,
    JudgeAlignment, ListFaults, ListScenarios, MoveLead, Negotiate, Operation, ParseUtterance,
    PublishSchemaTemplate, ReadData, Refusal, RegisterAgent, RejectPatch, RenderSchema, RenewLease,
    RequestCapabilityExtension, RetireSchema, ScoreFaults, ValidatePayload, Which, WithdrawRule,
    WriteData,
};
use std::collections::BTreeSet;

/// Asks for an operation in the name of a user.
type Ask = Box<dyn Fn(&Stage, &str) -> Result<(), Refusal>>;

/// An operation, ready to be asked for by somebody, and the rpc that it is.
struct Asked {
    module: &'static str,
    rpc: &'static str,
    ask: Ask,
}

fn asked<O: Operation + Clone + 'static>(
    module: &'static str,
    rpc: &'static str,
    operation: O,
) -> Asked {
    let ask = move |stage: &Stage, user: &str| stage.ask(user, operation.clone());
    let ask = Box::new(ask);
    Asked { module, rpc, ask }
}

/// One of each. None of them can be carried out: of what is permitted something else is wrong.
fn operations() -> Vec<Asked> {
    let name = || "nobody-of-that-name".to_owned();
    let registry = "convoke-registry";
    let cancel = Negotiate::new(Endpoint::Platform, Verb::TaskCancel);
    let introduce = IntroduceAgent {
        card_url: "https://nobody.example".to_owned(),
        name: Some(name()),
        alias: None,
        agent_type: None,
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        lease_ms: 60_000,
    };
    let day = CompareDay {
        seed: 1,
        sites: 12,
        policies: [DayPolicy::Manual; 2],
        from_hour: None,
    };
    let profile = &harness::cast::agents(Default::default())[0].profile;
    let register = RegisterAgent {
        profile: profile.as_ref().clone(),
        reach: Reach::Client,
        lease_ms: 60_000,
    };
    let renew = RenewLease {
        name: Some(name()),
        health: Health::Ok,
        note: String::new(),
    };
    let discover = DiscoverAgents {
        criteria: Criteria::default(),
        limit: 1,
    };
    let form = FormTeam {
        task: TaskId::new(""),
        needs: Vec::new(),
    };
    let write = WriteData {
        id: String::new(),
        task: None,
        reader: None,
        data_type: None,
        description: None,
        format: None,
        url: None,
        offset: 0,
        bytes: Vec::new(),
        size: None,
        sha256: None,
        finished: false,
    };
    let read = ReadData {
        id: name(),
        offset: 0,
        length: Body::CHUNK_MOST,
    };
    let rule = AddRule {
        name: String::new(),
        kind: DecisionKind::Result,
        conditions: RuleConditions::default(),
        verdict: RuleVerdict::Ask,
        time_out: None,
        valid_until: None,
    };
    let withdraw = WithdrawRule {
        author: None,
        name: name(),
    };
    let browse = |stage: &Stage, user: &str| stage.browse(user, AuditTrail::default());
    let mut all = vec![
        asked("irtf-agent", "task-negotiate", cancel),
        asked(registry, "register-agent", introduce),
        asked(registry, "register-agent", register),
        asked(registry, "renew-lease", renew),
        asked(
            registry,
            "deregister-agent",
            DeregisterAgent { name: Some(name()) },
        ),
        asked(registry, "discover-agents", discover),
        asked(registry, "form-team", form),
        asked("convoke-data", "data-write", write),
        asked("convoke-data", "data-read", read),
        asked("convoke-audit", "get-audit", AuditTrail::default()),
        Asked {
            module: "convoke-audit",
            rpc: "get-audit",
            ask: Box::new(browse),
        },
        asked("convoke-simulation", "inject-fault", InjectFault::default()),
        asked(
            "convoke-simulation",
            "list-faults",
            ListFaults { ended: true },
        ),
        asked("convoke-simulation", "clear-fault", ClearFault { id: 1 }),
        asked("convoke-simulation", "score-faults", ScoreFaults),
        asked("convoke-simulation", "compare-day", day),
        asked("convoke-simulation", "get-comparison", GetComparison),
        asked("convoke-simulation", "end-comparison", EndComparison),
        asked("convoke-cluster", "drain-node", DrainNode { node: name() }),
        asked("convoke-cluster", "move-lead", MoveLead { node: name() }),
        asked(
            "convoke-usage",
            "end-console-session",
            EndConsoleSession { id: name() },
        ),
        asked("convoke-policy", "check-rule", CheckRule(rule.clone())),
        asked("convoke-policy", "add-rule", rule),
        asked("convoke-policy", "withdraw-rule", withdraw),
    ];
    all.extend(schema_operations(name));
    all.extend(actions(name));
    all
}

fn actions(name: impl Fn() -> String) -> impl Iterator<Item = Asked> {
    let element = || ElementId::new("router:nowhere");
    let actions = [
        ("probe", Action::Probe { element: element() }),
        (
            "dispatch",
            Action::Dispatch {
                element: element(),
                work_order: None,
            },
        ),
        (
            "guide",
            Action::Guide {
                dispatch: 1,
                element: element(),
                steps: Vec::new(),
            },
        ),
        (
            "set-power",
            Action::SetPower {
                cell: element(),
                offset_db: 1.0,
            },
        ),
        (
            "set-saving",
            Action::SetSaving {
                cells: [element()].into(),
                saving: domain::telemetry::Saving::Off,
            },
        ),
        (
            "read-configuration",
            Action::ReadConfiguration { element: element() },
        ),
        (
            "configure",
            Action::Configure {
                element: element(),
                parameter: name(),
                value: name(),
            },
        ),
        ("restart", Action::Restart { element: element() }),
        (
            "trace",
            Action::Trace {
                vehicle: name(),
                from: Default::default(),
                until: Default::default(),
            },
        ),
        (
            "tell-customer",
            Action::TellCustomer {
                ticket: name(),
                text: name(),
                question: false,
            },
        ),
    ];
    let ems = Ems::Wireless;
    let act = move |(rpc, action)| asked("convoke-ems", rpc, Act { ems, action });
    actions.into_iter().map(act)
}

fn schema_operations(name: impl Fn() -> String) -> [Asked; 13] {
    let (module, schema_id) = ("convoke-schema", &name);
    let template = GetSchemaTemplate {
        which: Which::Schema(name()),
        language: None,
    };
    let validate = ValidatePayload {
        schema_id: schema_id(),
        payload: Default::default(),
    };
    let updates = GetSchemaUpdates {
        schema_id: schema_id(),
        since: None,
    };
    let extend = RequestCapabilityExtension {
        scenario: name(),
        text: name(),
    };
    let publish = PublishSchemaTemplate {
        template: String::new(),
    };
    // The agent is not there, so that what is permitted is refused.
    let parse = ParseUtterance {
        utterance: "save energy".to_owned(),
        which: None,
        agent: Some(name()),
        language: None,
    };
    let retire = RetireSchema {
        schema_id: schema_id(),
    };
    let render = RenderSchema {
        schema_id: schema_id(),
        form: Form::Prompt,
        language: None,
    };
    let reject = RejectPatch {
        patch_id: name(),
        reason: None,
    };
    let judge = JudgeAlignment {
        sample_id: name(),
        matches: true,
    };
    [
        asked(module, "get-schema-template", template),
        asked(module, "list-scenarios", ListScenarios { language: None }),
        asked(module, "validate-payload", validate),
        asked(module, "parse-utterance", parse),
        asked(module, "get-schema-updates", updates),
        asked(module, "request-capability-extension", extend),
        asked(module, "publish-schema-template", publish),
        asked(module, "retire-schema", retire),
        asked(module, "render-schema", render),
        asked(module, "approve-patch", ApprovePatch { patch_id: name() }),
        asked(module, "reject-patch", reject),
        asked(module, "judge-alignment", judge),
        asked(module, "erase-fragments", EraseFragments { client: name() }),
    ]
}

#[test]
fn every_operation_is_for_whom_its_rpc_is_for() {
    let stage = Stage::new();
    let reference = Reference::new();
    let rpcs = reference.rpcs();
    let mut tried = BTreeSet::new();
    for user in reference.users() {
        for Asked { module, rpc, ask } in operations() {
            let known = rpcs
                .iter()
                .find(|(m, r, _)| (m.as_str(), r.as_str()) == (module, rpc));
            let (_, _, guarded) = known.unwrap_or_else(|| panic!("{module} has no {rpc}"));
            let outcome = ask(&stage, &user.name);
            let denied = matches!(outcome, Err(Refusal::Forbidden(Forbidden::Denied { .. })));
            let may = reference.may_execute(&user, module, rpc, *guarded);
            assert_eq!(denied, !may, "{rpc}, {}: {outcome:?}", user.name);
            tried.insert((module, rpc));
        }
    }
    // The platform's own rpcs, all but those that are looks at records.
    let reads = ["get-tasks", "count-tasks", "get-context"];
    for (module, rpc, _) in &rpcs {
        let own = module.starts_with("convoke-") || module == "irtf-agent";
        let left_out = reads.contains(&rpc.as_str());
        assert!(
            !own || left_out || tried.contains(&(module.as_str(), rpc.as_str())),
            "{rpc}"
        );
    }
}

/// Queries of any user return no records of others.
#[test]
fn pushes_are_kept_for_whom_the_task_is_told() {
    let stage = Stage::new();
    let reference = Reference::new();
    for user in reference.users() {
        for row in stage.rows().iter().filter(|row| row.kind == super::TASK) {
            let kept = stage.ask(&user.name, keep_push(&row.id)).is_ok();
            let may = reference.is_told(&user, super::TASK, row);
            assert_eq!(kept, may, "{}: {}", user.name, row.id);
        }
    }
}
