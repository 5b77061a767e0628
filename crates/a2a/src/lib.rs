//! A2A (Agent2Agent) without IO: v1.0 and v0.3 on one URL, over JSON-RPC and HTTP+JSON, as server
//! and as client. It is to HTTP what `netconf` is to SSH.
//!
//! - [`message`], [`task`], [`event`], [`push`]: the one model of both versions;
//! - [`request`], [`response`], [`method`], [`error`]: all requests, responses and errors;
//! - [`version`] and [`wire`]: the model as JSON in each dialect, both ways;
//! - [`jsonrpc`], [`rest`], [`sse`]: the bindings, and the framing of streams;
//! - [`conversation`], [`page`], [`extension`]: references to tasks, pagination, activation of
//!   extensions;
//! - [`card`], [`media`]: agent cards, their signatures, and media types;
//! - [`objects`] (object-schemas extension), [`intent`] (intent extension), [`schema_part`]
//!   (draft-zhou), and [`intake`], their order of precedence in a message; [`schema_request`], what
//!   is asked about schemas;
//! - [`telecom`]: A2A-T (TM Forum IG1453), prompts and negotiations in markdown, read without a model;
//! - [`state`]: the states of the platform's tasks in A2A; [`number`]: integers that doubles lose.
//!
//! Pure: no clock, no randomness, no IO. Identifiers, instants and keys are arguments.
//!
//! # A message, from bytes to answer
//!
//! A binding reads the request, `match`es it, and writes the response. The version and the binding
//! are in the envelope, so the middle part is written once.
//!
//! ```
//! use a2a::event::SendMessageResponse;
//! use a2a::intake::{Intakes, MessageForm};
//! use a2a::request::A2aRequest;
//! use a2a::response::Response;
//! use a2a::task::{Artifact, Task, TaskState, TaskStatus};
//! use a2a::{card::{AgentSkill, Card, CardProfile}, jsonrpc, objects};
//! use schema::contract::Contract;
//! use std::collections::BTreeMap;
//!
//! // An agent with one skill, which takes payloads of one schema.
//! let template = schema::shipped::template("flight_booking_v1").expect("it is shipped");
//! let language = schema::language::Language::english();
//! let rendered = schema::render::json_schema(&template, &language);
//! let mut card = Card::new("booking", "Books flights.", "1.0.0");
//! card.skills.push(AgentSkill {
//!     id: "book".into(),
//!     input_modes: vec!["text/plain".into(), objects::mode("flight_booking_v1")],
//!     ..AgentSkill::default()
//! });
//! let schemas = BTreeMap::from([("flight_booking_v1".to_owned(), rendered)]);
//! objects::declare(&mut card, &schemas, CardProfile::Schemas);
//! let contract = Contract::new(&template).expect("it can be checked by");
//! let contracts = BTreeMap::from([("flight_booking_v1".to_owned(), contract)]);
//!
//! // A v0.3 client asks; a v1.0 client would by `SendMessage`, with the header `A2A-Version`.
//! let body = br#"{"jsonrpc": "2.0", "id": 7, "method": "message/send", "params": {"message": {
//!     "kind": "message", "messageId": "m-1", "role": "user", "parts": [{"kind": "data",
//!         "data": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"},
//!         "metadata": {"mimeType": "application/json;schema=flight_booking_v1"}}]}}}"#;
//! let call = jsonrpc::read(body, None).expect("a request");
//! let A2aRequest::SendMessage(sent) = &call.request else { panic!("a message") };
//! let intakes = Intakes::new(&card, &contracts).expect("a card of our own");
//! let intake = intakes.read(&sent.message, false, Default::default()).expect("not refused");
//! let MessageForm::Typed { skill, input } = intake.said else { panic!("typed data") };
//! assert_eq!(skill.as_deref(), Some("book"));
//!
//! // What the platform made of it, as its client reads it.
//! let result = objects::typed("flight_booking_result_v1", input.data);
//! let task = Task {
//!     id: "t-1".into(),
//!     context_id: "c-1".into(),
//!     status: TaskStatus { state: TaskState::Completed, message: None, timestamp: None },
//!     artifacts: Some(vec![Artifact::new("result", vec![result])]),
//!     history: vec![],
//!     metadata: Default::default(),
//! };
//! let reply = call.envelope.result(&Response::Sent(SendMessageResponse::Task(task)));
//! assert_eq!(reply["id"], 7);
//! assert_eq!(reply["result"]["kind"], "task");
//! assert_eq!(reply["result"]["status"]["state"], "completed");
//! ```
#![forbid(unsafe_code)]

#[cfg(test)]
mod arbitrary;
pub mod card;
pub mod conversation;
pub mod error;
pub mod event;
pub mod extension;
pub mod intake;
pub mod intent;
pub mod jsonrpc;
pub mod media;
pub mod message;
pub mod method;
pub mod number;
pub mod objects;
pub mod page;
pub mod push;
pub mod request;
pub mod response;
pub mod rest;
pub mod schema_part;
pub mod schema_request;
pub mod sse;
pub mod state;
pub mod task;
pub mod telecom;
pub mod version;
pub mod wire;
