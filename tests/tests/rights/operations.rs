//! Every operation of the engine, for every user: denied where the rules deny the corresponding
//! RPC, over any protocol.

use super::reference::Reference;
use super::stage::{Stage, keep_push};
use domain::context::Body;
use domain::discovery::Criteria;
use domain::ems::Ems;
use domain::inventory::ElementId;
use domain::profile::Layer;
use domain::registry::{Health, Reach};
use domain::task::TaskId;
use domain::telemetry::Action;
use domain::verb::Verb;
use engine::{
    AuditFilter, Endpoint, FaultWish, Form, Introduction, Negotiate, Operation, PushWish, Query,
    Refusal, Register, SchemaRequest, Which, WriteData,
};
use std::collections::BTreeSet;

/// The RPC that corresponds to an operation; none for operations decided record by record. The
/// match is exhaustive, so that the compiler asks for new operations.
fn rpc_of(operation: &Operation) -> Option<(&'static str, &'static str)> {
    Some(match operation {
        Operation::Negotiate(_) => ("irtf-agent", "task-negotiate"),
        Operation::Read(Query::Audit(_)) | Operation::Browse(Query::Audit(_)) => {
            ("convoke-audit", "get-audit")
        }
        Operation::Read(_) | Operation::Browse(_) | Operation::Push(_) => return None,
        Operation::Register(_) | Operation::Introduce(_) => ("convoke-registry", "register-agent"),
        Operation::Renew { .. } => ("convoke-registry", "renew-lease"),
        Operation::Deregister { .. } => ("convoke-registry", "deregister-agent"),
        Operation::Discover { .. } => ("convoke-registry", "discover-agents"),
        Operation::FormTeam { .. } => ("convoke-registry", "form-team"),
        Operation::WriteData(_) => ("convoke-data", "data-write"),
        Operation::ReadData { .. } => ("convoke-data", "data-read"),
        Operation::Schema(request) => ("convoke-schema", of_schemas(request)),
        Operation::Faults(wish) => (
            "convoke-simulation",
            match wish {
                FaultWish::Inject { .. } => "inject-fault",
                FaultWish::List { .. } => "list-faults",
                FaultWish::Clear { .. } => "clear-fault",
            },
        ),
        Operation::Act { action, .. } => ("convoke-ems", of_action(action)),
    })
}

fn of_schemas(request: &SchemaRequest) -> &'static str {
    match request {
        SchemaRequest::Template { .. } => "get-schema-template",
        SchemaRequest::Scenarios { .. } => "list-scenarios",
        SchemaRequest::Validate { .. } => "validate-payload",
        SchemaRequest::Updates { .. } => "get-schema-updates",
        SchemaRequest::Extend { .. } => "request-capability-extension",
        SchemaRequest::Publish { .. } => "publish-schema-template",
        SchemaRequest::Retire { .. } => "retire-schema",
        SchemaRequest::Render { .. } => "render-schema",
        SchemaRequest::Approve { .. } => "approve-patch",
        SchemaRequest::Reject { .. } => "reject-patch",
        SchemaRequest::Judge { .. } => "judge-alignment",
        SchemaRequest::Erase { .. } => "erase-fragments",
    }
}

fn of_action(action: &Action) -> &'static str {
    match action {
        Action::Probe { .. } => "probe",
        Action::Dispatch { .. } => "dispatch",
        Action::Guide { .. } => "guide",
        Action::SetPower { .. } => "set-power",
        Action::SetSaving { .. } => "set-saving",
        Action::ReadConfiguration { .. } => "read-configuration",
        Action::Configure { .. } => "configure",
        Action::Restart { .. } => "restart",
        Action::Trace { .. } => "trace",
        Action::TellCustomer { .. } => "tell-customer",
    }
}

/// One of each operation. None can succeed: permitted ones are invalid otherwise.
fn operations() -> Vec<Operation> {
    let name = || "nobody-of-that-name".to_owned();
    let element = || ElementId::new("router:nowhere");
    let mut all = vec![
        Operation::Negotiate(Negotiate::new(Endpoint::Platform, Verb::TaskCancel)),
        Operation::Introduce(Introduction {
            card_url: "https://nobody.example".to_owned(),
            name: Some(name()),
            alias: None,
            agent_type: None,
            domain: None,
            management_object: None,
            layer: Layer::Resource,
            province: None,
            lease_ms: 60_000,
        }),
        Operation::Register(Register {
            profile: harness::cast::agents(Default::default())[0]
                .profile
                .as_ref()
                .clone(),
            reach: Reach::Client,
            lease_ms: 60_000,
        }),
        Operation::Renew {
            name: Some(name()),
            health: Health::Ok,
            note: String::new(),
        },
        Operation::Deregister { name: Some(name()) },
        Operation::Discover {
            criteria: Criteria::default(),
            limit: 1,
        },
        Operation::FormTeam {
            task: TaskId::new(""),
            needs: Vec::new(),
        },
        Operation::WriteData(WriteData {
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
        }),
        Operation::ReadData {
            id: name(),
            offset: 0,
            length: Body::CHUNK_MOST,
        },
        Operation::Push(PushWish::Forget {
            task: TaskId::new("none"),
            id: name(),
        }),
        Operation::Read(Query::Tasks),
        Operation::Browse(Query::Tasks),
        Operation::Read(Query::Audit(AuditFilter::default())),
        Operation::Browse(Query::Audit(AuditFilter::default())),
        Operation::Faults(FaultWish::Inject {
            kind: None,
            element: None,
            duration_s: None,
            severity: None,
        }),
        Operation::Faults(FaultWish::List { ended: true }),
        Operation::Faults(FaultWish::Clear { id: 1 }),
    ];
    all.extend(requests(name).map(Operation::Schema));
    let actions = [
        Action::Probe { element: element() },
        Action::Dispatch {
            element: element(),
            work_order: None,
        },
        Action::Guide {
            dispatch: 1,
            element: element(),
            steps: Vec::new(),
        },
        Action::SetPower {
            cell: element(),
            offset_db: 1.0,
        },
        Action::SetSaving {
            cells: [element()].into(),
            saving: domain::telemetry::Saving::Off,
        },
        Action::ReadConfiguration { element: element() },
        Action::Configure {
            element: element(),
            parameter: name(),
            value: name(),
        },
        Action::Restart { element: element() },
        Action::Trace {
            vehicle: name(),
            from: Default::default(),
            until: Default::default(),
        },
        Action::TellCustomer {
            ticket: name(),
            text: name(),
            question: false,
        },
    ];
    all.extend(actions.map(|action| Operation::Act {
        ems: Ems::Wireless,
        action,
    }));
    all
}

fn requests(name: impl Fn() -> String) -> [SchemaRequest; 12] {
    let schema_id = &name;
    [
        SchemaRequest::Template {
            which: Which::Schema(name()),
            language: None,
        },
        SchemaRequest::Scenarios { language: None },
        SchemaRequest::Validate {
            schema_id: schema_id(),
            payload: Default::default(),
        },
        SchemaRequest::Updates {
            schema_id: schema_id(),
            since: None,
        },
        SchemaRequest::Extend {
            scenario: name(),
            text: name(),
        },
        SchemaRequest::Publish {
            template: String::new(),
        },
        SchemaRequest::Retire {
            schema_id: schema_id(),
        },
        SchemaRequest::Render {
            schema_id: schema_id(),
            form: Form::Prompt,
            language: None,
        },
        SchemaRequest::Approve { patch_id: name() },
        SchemaRequest::Reject {
            patch_id: name(),
            reason: None,
        },
        SchemaRequest::Judge {
            sample_id: name(),
            matches: true,
        },
        SchemaRequest::Erase { client: name() },
    ]
}

#[test]
fn every_operation_is_for_whom_its_rpc_is_for() {
    let stage = Stage::new();
    let reference = Reference::new();
    let rpcs = reference.rpcs();
    let mut asked = BTreeSet::new();
    for user in reference.users() {
        for operation in operations() {
            let Some((module, rpc)) = rpc_of(&operation) else {
                continue;
            };
            let known = rpcs
                .iter()
                .find(|(m, r, _)| (m.as_str(), r.as_str()) == (module, rpc));
            let (_, _, guarded) = known.unwrap_or_else(|| panic!("{module} has no {rpc}"));
            let outcome = stage.ask(&user.name, operation);
            let denied = matches!(outcome, Err(Refusal::Denied { .. }));
            let may = reference.may_execute(&user, module, rpc, *guarded);
            assert_eq!(denied, !may, "{rpc}, {}: {outcome:?}", user.name);
            asked.insert((module, rpc));
        }
    }
    // The platform's own rpcs, all but those that are looks at records.
    let reads = ["get-tasks", "get-context"];
    for (module, rpc, _) in &rpcs {
        let own = module.starts_with("convoke-") || module == "irtf-agent";
        let left_out = reads.contains(&rpc.as_str());
        assert!(
            !own || left_out || asked.contains(&(module.as_str(), rpc.as_str())),
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
