//! The ways of A2A: both versions, each over JSON-RPC and over HTTP+JSON, and the requests about
//! tasks over each.

use super::Stage;
use bindings::a2a::{AnswerBody, IncomingRequest, RequestBody};
use serde_json::{Value, json};

/// A version over a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Rpc10,
    Rpc03,
    Rest10,
    Rest03,
}

pub const WAYS: [Way; 4] = [Way::Rpc10, Way::Rpc03, Way::Rest10, Way::Rest03];

/// A request about tasks.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    List,
    Get(&'a str),
    Subscribe(&'a str),
    /// A push configuration.
    Push(&'a str),
}

/// An answer; of a stream its first frame.
#[derive(Debug)]
pub struct Answered {
    pub failed: bool,
    pub text: String,
}

/// The endpoint of the platform.
const PLATFORM: &str = "platform";

/// The URL for pushes.
const HOOK: &str = "http://127.0.0.1:9/pushed";

impl Way {
    fn version(self) -> &'static str {
        match self {
            Self::Rpc10 | Self::Rest10 => "1.0",
            Self::Rpc03 | Self::Rest03 => "0.3",
        }
    }
}

impl Stage {
    /// Sends a request to the platform over a way; none if it has no such request.
    pub fn by(&self, way: Way, user: &str, asked: Asked<'_>) -> Option<Answered> {
        self.by_at(way, PLATFORM, user, asked)
    }

    /// Sends a request to an endpoint: the platform's, or that of the agent of this name.
    pub fn by_at(
        &self,
        way: Way,
        endpoint: &str,
        user: &str,
        asked: Asked<'_>,
    ) -> Option<Answered> {
        match way {
            Way::Rpc10 => Some(self.rpc(user, way, endpoint, method(asked), params(user, asked))),
            Way::Rpc03 => {
                let method = old_method(asked)?;
                Some(self.rpc(user, way, endpoint, method, old_params(user, asked)))
            }
            Way::Rest10 | Way::Rest03 => Some(self.rest(user, way, endpoint, asked)),
        }
    }

    /// An answer to a method of v1.0 as it is on the wire.
    pub fn a2a(&self, user: &str, method: &str, params: Value) -> String {
        self.rpc(user, Way::Rpc10, PLATFORM, method, params).text
    }

    fn rpc(&self, user: &str, way: Way, endpoint: &str, method: &str, params: Value) -> Answered {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut answered = self.incoming(user, way, endpoint, "POST", "/", call.to_string());
        answered.failed |= answered.text.contains("\"error\":{");
        answered
    }

    fn rest(&self, user: &str, way: Way, endpoint: &str, asked: Asked<'_>) -> Answered {
        let prefix = match way {
            Way::Rest03 => "/v1",
            _ => "",
        };
        let (verb, path, body) = match asked {
            Asked::List => ("GET", "/tasks?historyLength=10".to_owned(), Value::Null),
            Asked::Get(id) => ("GET", format!("/tasks/{id}"), Value::Null),
            Asked::Subscribe(id) => ("POST", format!("/tasks/{id}:subscribe"), Value::Null),
            Asked::Push(id) => {
                let config = json!({"id": user, "url": HOOK});
                let body = match way {
                    Way::Rest03 => json!({"config": {"pushNotificationConfig": config}}),
                    _ => config,
                };
                ("POST", format!("/tasks/{id}/pushNotificationConfigs"), body)
            }
        };
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        self.incoming(user, way, endpoint, verb, &format!("{prefix}{path}"), body)
    }

    fn incoming(
        &self,
        user: &str,
        way: Way,
        endpoint: &str,
        verb: &str,
        path: &str,
        body: String,
    ) -> Answered {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let body = RequestBody::new(body);
        let incoming = IncomingRequest {
            verb,
            path,
            query,
            headers: &[
                ("a2a-version", way.version()),
                ("Content-Type", "application/json"),
            ],
            body: &body,
        };
        let at = match endpoint {
            PLATFORM => engine::Endpoint::Platform,
            agent => engine::Endpoint::Agent(agent.to_owned()),
        };
        let who = self.principal(user);
        let patience = std::future::ready(());
        let now = self.now;
        let clock = move || now;
        let handled = self.binding.handle(&who, &at, &incoming, &clock, patience);
        self.runtime.block_on(async {
            let answer = handled.await;
            Answered {
                failed: answer.status >= 400,
                text: match answer.body {
                    AnswerBody::Whole(text) => text,
                    AnswerBody::Stream(mut frames) => frames.next().await.unwrap_or_default(),
                    other => format!("{other:?}"),
                },
            }
        })
    }
}

fn method(asked: Asked<'_>) -> &'static str {
    match asked {
        Asked::List => "ListTasks",
        Asked::Get(_) => "GetTask",
        Asked::Subscribe(_) => "SubscribeToTask",
        Asked::Push(_) => "CreateTaskPushNotificationConfig",
    }
}

fn params(user: &str, asked: Asked<'_>) -> Value {
    match asked {
        Asked::List => json!({"historyLength": 10}),
        Asked::Get(id) | Asked::Subscribe(id) => json!({ "id": id }),
        Asked::Push(id) => json!({"taskId": id, "id": user, "url": HOOK}),
    }
}

/// The method of v0.3; it has no list over JSON-RPC.
fn old_method(asked: Asked<'_>) -> Option<&'static str> {
    match asked {
        Asked::List => None,
        Asked::Get(_) => Some("tasks/get"),
        Asked::Subscribe(_) => Some("tasks/resubscribe"),
        Asked::Push(_) => Some("tasks/pushNotificationConfig/set"),
    }
}

fn old_params(user: &str, asked: Asked<'_>) -> Value {
    match asked {
        Asked::Push(id) => {
            json!({"taskId": id, "pushNotificationConfig": {"id": user, "url": HOOK}})
        }
        asked => params(user, asked),
    }
}
