//! Messages, tasks, requests and cards at random, for property tests.
//!
//! Generates only values that the dialect can carry: no file name on a text part, for example. Read
//! next: [`crate::wire`], whose properties these are for.

use crate::card::{
    AgentCapabilities, AgentExtension, AgentInterface, AgentProvider, AgentSkill, Card,
    CardSignature, SecurityKind, SecurityScheme,
};
use crate::event::{ArtifactUpdate, StatusUpdate, StreamResponse};
use crate::message::{Message, Metadata, Part, PartContent, Role};
use crate::push::{AuthenticationInfo, PushNotificationConfig};
use crate::request::{
    A2aRequest, CancelTask, GetTask, ListPushConfigs, ListTasks, PushConfigKey, SendMessage,
    SendMessageConfiguration,
};
use crate::schema_request::{ExtensionRequest, SchemaRequest, TemplateQuery, UpdatesQuery};
use crate::task::{Artifact, Task, TaskState, TaskStatus};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use schema::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 äß/:%-]{1,8}"
}

fn maybe_word() -> impl Strategy<Value = Option<String>> {
    option::of(word())
}

fn words() -> impl Strategy<Value = Vec<String>> {
    vec(word(), 0..3)
}

/// Metadata members, none of which has a meaning here.
fn metadata() -> impl Strategy<Value = Metadata> {
    let free = btree_map("[a-z]{1,4}_x", value(), 0..3);
    free.prop_map(|members| members.into_iter().collect())
}

/// A value that every reader can hold.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..9_007_199_254_740_991).prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map("[a-zA-Z_]{1,5}", inner, 0..3).prop_map(|it| json!(it)),
        ]
    })
}

fn part() -> impl Strategy<Value = Part> {
    let file = prop_oneof![
        vec(any::<u8>(), 0..9).prop_map(PartContent::Raw),
        word().prop_map(PartContent::Url),
    ];
    let said = prop_oneof![
        ".{0,8}".prop_map(PartContent::Text),
        value().prop_map(PartContent::Data),
    ];
    let media_type = || option::of("[a-z]{1,5}/[a-z]{1,5}");
    let file = (file, media_type(), maybe_word(), metadata());
    let file = file.prop_map(|(content, media_type, filename, metadata)| Part {
        content,
        media_type,
        filename,
        metadata,
    });
    let said = (said, media_type(), metadata());
    let said = said.prop_map(|(content, media_type, metadata)| Part {
        content,
        media_type,
        filename: None,
        metadata,
    });
    prop_oneof![file, said]
}

pub(crate) fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![Just(Role::User), Just(Role::Agent)];
    let said = (word(), maybe_word(), maybe_word(), role, vec(part(), 1..4));
    (said, metadata(), words()).prop_map(|(said, metadata, extensions)| {
        let (message_id, context_id, task_id, role, parts) = said;
        Message {
            message_id,
            context_id,
            task_id,
            role,
            parts,
            metadata,
            extensions,
            reference_task_ids: Vec::new(),
        }
    })
}

fn instant() -> impl Strategy<Value = Timestamp> {
    (0i64..4_000_000_000_000).prop_map(Timestamp::from_ms)
}

fn state() -> impl Strategy<Value = TaskState> {
    proptest::sample::select(TaskState::ALL.to_vec())
}

fn status() -> impl Strategy<Value = TaskStatus> {
    let all = (state(), option::of(message()), option::of(instant()));
    all.prop_map(|(state, message, timestamp)| TaskStatus {
        state,
        message,
        timestamp,
    })
}

fn artifact() -> impl Strategy<Value = Artifact> {
    let all = (
        word(),
        maybe_word(),
        maybe_word(),
        vec(part(), 1..3),
        metadata(),
        words(),
    );
    all.prop_map(
        |(artifact_id, name, description, parts, metadata, extensions)| Artifact {
            artifact_id,
            name,
            description,
            parts,
            metadata,
            extensions,
        },
    )
}

pub(crate) fn task() -> impl Strategy<Value = Task> {
    let artifacts = option::of(vec(artifact(), 0..3));
    let all = (
        word(),
        word(),
        status(),
        artifacts,
        vec(message(), 0..3),
        metadata(),
    );
    all.prop_map(
        |(id, context_id, status, artifacts, history, metadata)| Task {
            id,
            context_id,
            status,
            artifacts,
            history,
            metadata,
        },
    )
}

pub(crate) fn event() -> impl Strategy<Value = StreamResponse> {
    let status = (word(), word(), status(), metadata());
    let status = status.prop_map(|(task_id, context_id, status, metadata)| StatusUpdate {
        task_id,
        context_id,
        status,
        metadata,
    });
    let piece = (
        word(),
        word(),
        artifact(),
        any::<bool>(),
        any::<bool>(),
        metadata(),
    );
    let piece = piece.prop_map(|it| ArtifactUpdate {
        task_id: it.0,
        context_id: it.1,
        artifact: it.2,
        append: it.3,
        last_chunk: it.4,
        metadata: it.5,
    });
    prop_oneof![
        task().prop_map(StreamResponse::Task),
        message().prop_map(StreamResponse::Message),
        status.prop_map(StreamResponse::Status),
        piece.prop_map(StreamResponse::Artifact),
    ]
}

fn push() -> impl Strategy<Value = PushNotificationConfig> {
    let authentication = (word(), maybe_word());
    let authentication = authentication.prop_map(|(scheme, credentials)| AuthenticationInfo {
        scheme,
        credentials,
    });
    let all = (
        maybe_word(),
        word(),
        maybe_word(),
        option::of(authentication),
    );
    all.prop_map(|(id, url, token, authentication)| PushNotificationConfig {
        id,
        task_id: None,
        url,
        token,
        authentication,
    })
}

/// A stored push configuration, with identifiers that can be part of a path.
pub(crate) fn made_push() -> impl Strategy<Value = PushNotificationConfig> {
    let id = || "[a-z0-9-]{1,8}";
    (push(), id(), id()).prop_map(|(push, task_id, id)| PushNotificationConfig {
        task_id: Some(task_id),
        id: Some(id),
        ..push
    })
}

fn configuration() -> impl Strategy<Value = SendMessageConfiguration> {
    let all = (
        words(),
        option::of(0u32..9),
        any::<bool>(),
        option::of(push()),
    );
    all.prop_map(
        |(modes, history_length, return_immediately, push)| SendMessageConfiguration {
            accepted_output_modes: modes,
            history_length,
            return_immediately,
            push,
        },
    )
}

fn send() -> impl Strategy<Value = SendMessage> {
    let all = (message(), configuration(), metadata());
    all.prop_map(|(message, configuration, metadata)| SendMessage {
        message,
        configuration,
        metadata,
    })
}

fn list() -> impl Strategy<Value = ListTasks> {
    let filter = (maybe_word(), option::of(state()), option::of(instant()));
    let shown = (
        option::of(1u32..99),
        maybe_word(),
        option::of(0u32..9),
        any::<bool>(),
    );
    (filter, shown).prop_map(|(filter, shown)| ListTasks {
        context_id: filter.0,
        status: filter.1,
        changed_since: filter.2,
        page_size: shown.0,
        page_token: shown.1,
        history_length: shown.2,
        include_artifacts: shown.3,
    })
}

/// Every request of A2A.
pub(crate) fn request() -> impl Strategy<Value = A2aRequest> {
    let key = || {
        let all = (word(), word());
        all.prop_map(|(task_id, id)| PushConfigKey {
            task_id,
            id: Some(id),
        })
    };
    let get = (word(), option::of(0u32..9));
    let get = get.prop_map(|(id, history_length)| GetTask { id, history_length });
    let cancel = (word(), metadata());
    let cancel = cancel.prop_map(|(id, metadata)| CancelTask { id, metadata });
    let configs = (word(), option::of(1u32..9), maybe_word());
    let configs = configs.prop_map(|(task_id, page_size, page_token)| ListPushConfigs {
        task_id,
        page_size,
        page_token,
    });
    prop_oneof![
        send().prop_map(A2aRequest::SendMessage),
        send().prop_map(A2aRequest::SendStreamingMessage),
        get.prop_map(A2aRequest::GetTask),
        list().prop_map(A2aRequest::ListTasks),
        cancel.prop_map(A2aRequest::CancelTask),
        word().prop_map(A2aRequest::SubscribeToTask),
        made_push().prop_map(A2aRequest::CreatePushConfig),
        key().prop_map(A2aRequest::GetPushConfig),
        configs.prop_map(A2aRequest::ListPushConfigs),
        key().prop_map(A2aRequest::DeletePushConfig),
        Just(A2aRequest::GetExtendedCard),
    ]
}

/// Every question of draft-zhou.
pub(crate) fn question() -> impl Strategy<Value = A2aRequest> {
    let query = (word(), maybe_word(), maybe_word());
    let query = query.prop_map(|(scenario, schema_id, preferred_language)| TemplateQuery {
        scenario: Some(scenario),
        schema_id,
        preferred_language,
    });
    let updates = (word(), maybe_word());
    let updates = updates.prop_map(|(schema_id, since_patch_id)| UpdatesQuery {
        schema_id,
        since_patch_id,
    });
    let wish = (word(), word()).prop_map(|(scenario, text)| ExtensionRequest { scenario, text });
    prop_oneof![
        query.prop_map(SchemaRequest::Template),
        updates.prop_map(SchemaRequest::Updates),
        wish.prop_map(SchemaRequest::Extension),
    ]
    .prop_map(A2aRequest::Schema)
}

fn requirement() -> impl Strategy<Value = BTreeMap<String, Vec<String>>> {
    btree_map("[a-z]{1,4}", words(), 1..3)
}

fn scheme() -> impl Strategy<Value = SecurityScheme> {
    let flows = btree_map("[a-zA-Z]{3,9}", metadata(), 1..3);
    let kind = prop_oneof![
        (word(), word()).prop_map(|(location, name)| SecurityKind::ApiKey { location, name }),
        (word(), maybe_word()).prop_map(|(scheme, bearer_format)| SecurityKind::Http {
            scheme,
            bearer_format
        }),
        (flows, maybe_word()).prop_map(|(flows, metadata_url)| SecurityKind::OAuth2 {
            flows,
            metadata_url
        }),
        word().prop_map(|url| SecurityKind::OpenIdConnect { url }),
        Just(SecurityKind::MutualTls),
    ];
    (maybe_word(), kind).prop_map(|(description, kind)| SecurityScheme { description, kind })
}

fn skill() -> impl Strategy<Value = AgentSkill> {
    let about = (word(), word(), word(), words(), words());
    let modes = (words(), words(), vec(requirement(), 0..2));
    (about, modes).prop_map(|(about, modes)| AgentSkill {
        id: about.0,
        name: about.1,
        description: about.2,
        tags: about.3,
        examples: about.4,
        input_modes: modes.0,
        output_modes: modes.1,
        security: modes.2,
    })
}

/// Cards; those places of v1.0 alone have tenants.
pub(crate) fn card(version: &'static str) -> impl Strategy<Value = Card> {
    let interface = (word(), "[A-Z]{3,5}");
    let interface = interface.prop_map(move |(url, binding)| AgentInterface {
        url,
        binding,
        version: version.to_owned(),
        tenant: None,
    });
    let flag = || option::of(any::<bool>());
    let capabilities = (flag(), flag(), flag());
    let extension = (word(), maybe_word(), any::<bool>(), metadata());
    let extension = extension.prop_map(|(uri, description, required, params)| AgentExtension {
        uri,
        description,
        required,
        params,
    });
    let signature = (word(), word(), metadata());
    let signature = signature.prop_map(|(protected, signature, header)| CardSignature {
        protected,
        signature,
        header,
    });
    let provider =
        (word(), word()).prop_map(|(organization, url)| AgentProvider { organization, url });
    let about = (
        word(),
        word(),
        word(),
        option::of(provider),
        maybe_word(),
        maybe_word(),
    );
    let can = (
        vec(interface, 1..3),
        capabilities,
        vec(extension, 0..3),
        vec(skill(), 0..3),
    );
    let trust = (
        btree_map("[a-z]{1,4}", scheme(), 0..3),
        vec(requirement(), 0..2),
        vec(signature, 0..2),
    );
    let modes = (words(), words(), btree_map("[a-z]{1,4}", value(), 0..2));
    (about, can, trust, modes).prop_map(|(about, can, trust, modes)| Card {
        name: about.0,
        description: about.1,
        version: about.2,
        provider: about.3,
        documentation_url: about.4,
        icon_url: about.5,
        interfaces: distinct(can.0),
        capabilities: AgentCapabilities {
            streaming: can.1.0,
            push_notifications: can.1.1,
            extended_card: can.1.2,
        },
        extensions: can.2,
        skills: can.3,
        security_schemes: trust.0,
        security: trust.1,
        signatures: trust.2,
        default_input_modes: modes.0,
        default_output_modes: modes.1,
        schemas: modes
            .2
            .into_iter()
            .filter(|(_, it)| !it.is_null())
            .collect(),
    })
}

fn distinct(mut all: Vec<AgentInterface>) -> Vec<AgentInterface> {
    all.dedup();
    all
}
