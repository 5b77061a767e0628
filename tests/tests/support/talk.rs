//! A session with any number of calls in flight.
//!
//! Over the project's own client session; replies are taken in the order of arrival. Read next:
//! [`super::raw`], for messages that this session would not send.

use super::process::Running;
use super::within;
use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::verb::Verb;
use netconf::client::{ClientConfig, ClientError, ClientEvent, ClientSession, Notification, Reply};
use server::client::Identity;
use server::ssh::{
    ByteStream, Connector, HostKeyPolicy, Inbound, Outbound, Target, connect, split,
};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
const QUOTA_BYTES: usize = 1 << 30;

/// The client's end of a session.
pub struct Talk {
    machine: ClientSession,
    inbound: Inbound,
    outbound: Outbound,
    notifications: VecDeque<Notification>,
    replies: VecDeque<Reply>,
    /// The session-id given by the server.
    pub session: u32,
}

/// The reason why a session cannot go on.
#[derive(Debug)]
pub struct Ended(pub String);

impl Talk {
    /// Opens a session of the operator with the platform.
    ///
    /// # Panics
    /// If it fails.
    pub async fn connect(running: &Running) -> Self {
        Self::over(stream(running).await).await
    }

    /// Exchanges hellos over a stream.
    ///
    /// # Panics
    /// If the server sends no hello.
    pub async fn over(stream: ByteStream) -> Self {
        within("a hello", Self::greet(stream)).await.unwrap()
    }

    /// Exchanges hellos over a stream, however long that takes.
    ///
    /// # Errors
    /// If the session ends before.
    pub async fn greet(stream: ByteStream) -> Result<Self, Ended> {
        let (inbound, outbound) = split(stream, QUOTA_BYTES);
        let mut talk = Self {
            machine: ClientSession::new(ClientConfig::default()),
            inbound,
            outbound,
            notifications: VecDeque::new(),
            replies: VecDeque::new(),
            session: 0,
        };
        match talk.event().await? {
            ClientEvent::Ready { session_id, .. } => talk.session = session_id,
            other => panic!("{other:?}"),
        }
        Ok(talk)
    }

    /// Queues a call; [`Self::flush`] or waiting for an answer sends it.
    pub fn call(&mut self, operation: &str) -> u64 {
        self.machine.call(operation)
    }

    /// Sends what is queued.
    ///
    /// # Errors
    /// If the session has ended.
    pub async fn flush(&mut self) -> Result<(), Ended> {
        let output = self.machine.transmit();
        let written = async {
            self.outbound.write_all(&output).await?;
            self.outbound.flush().await
        };
        within("room to write", written)
            .await
            .map_err(|e| Ended(e.to_string()))
    }

    /// The next reply.
    ///
    /// # Errors
    /// If the session has ended.
    pub async fn reply(&mut self) -> Result<Reply, Ended> {
        loop {
            if let Some(reply) = self.replies.pop_front() {
                return Ok(reply);
            }
            match within("a reply", self.event()).await? {
                ClientEvent::Reply(reply) => return Ok(reply),
                ClientEvent::Notification(n) => self.notifications.push_back(n),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Calls an operation and waits for its reply.
    ///
    /// # Panics
    /// If the session has ended.
    pub async fn ask(&mut self, operation: &str) -> Reply {
        let id = self.call(operation);
        let reply = self.reply().await.unwrap();
        assert_eq!(reply.message_id, id);
        reply
    }

    /// The next notification.
    ///
    /// # Errors
    /// If the session has ended.
    pub async fn notification(&mut self) -> Result<Notification, Ended> {
        loop {
            if let Some(notification) = self.notifications.pop_front() {
                return Ok(notification);
            }
            match within("a notification", self.event()).await? {
                ClientEvent::Notification(notification) => return Ok(notification),
                ClientEvent::Reply(reply) => self.replies.push_back(reply),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Waits until the server ends the session.
    ///
    /// # Panics
    /// If it sends anything more.
    pub async fn end(mut self) -> String {
        match within("the end of the session", self.event()).await {
            Err(Ended(why)) => why,
            Ok(event) => panic!("{event:?}"),
        }
    }

    /// The next event of the session.
    ///
    /// # Errors
    /// If the session has ended.
    pub async fn event(&mut self) -> Result<ClientEvent, Ended> {
        loop {
            let output = self.machine.transmit();
            if !output.is_empty() {
                let written = self.outbound.write_all(&output).await;
                written.map_err(|e| Ended(e.to_string()))?;
            }
            match self.machine.poll() {
                Some(ClientEvent::Closed(ClientError::EndOfInput)) => {
                    return Err(Ended("end of input".to_owned()));
                }
                Some(ClientEvent::Closed(error)) => return Err(Ended(error.to_string())),
                Some(event) => return Ok(event),
                None => {}
            }
            match self.inbound.receive().await {
                Ok(Some(bytes)) => self.machine.receive(&bytes),
                Ok(None) => self.machine.end_of_input(),
                Err(error) => return Err(Ended(error.to_string())),
            }
        }
    }
}

/// A stream of the operator to the platform, before the hellos.
///
/// # Panics
/// If it fails.
pub async fn stream(running: &Running) -> ByteStream {
    let Identity { user, .. } = running.operator();
    let target = target(running);
    within(
        "a connection",
        connect(running.address(), &user, &target.key, target.host_key),
    )
    .await
    .unwrap()
}

/// Opens `count` streams as fast as the machine can.
///
/// # Panics
/// If one fails.
pub async fn streams(running: &Running, count: usize, at_once: usize) -> Vec<ByteStream> {
    let connector = Connector::new(at_once, super::PATIENCE);
    let targets = vec![target(running); count];
    let outcomes = connector.connect_many(targets).await;
    outcomes.into_iter().map(Result::unwrap).collect()
}

fn target(running: &Running) -> Target {
    let identity = running.operator();
    Target {
        address: running.address().to_owned(),
        user: identity.user,
        key: Arc::new(server::ssh::keys::load(&identity.key).unwrap()),
        host_key: HostKeyPolicy::KnownHosts(identity.known_hosts),
    }
}

/// A `get` of one agent by its key.
pub fn get_agent(name: &str) -> String {
    format!(
        "<get><filter type=\"subtree\"><registry xmlns=\"{REGISTRY}\"><agent><name>{name}</name>\
         </agent></registry></filter></get>"
    )
}

/// A `get` of one task by its key.
pub fn get_task(id: &str) -> String {
    format!(
        "<get><filter type=\"subtree\"><registry xmlns=\"{REGISTRY}\"><task><task-id>{id}\
         </task-id></task></registry></filter></get>"
    )
}

/// A `get` of the identifiers and states of all tasks.
pub fn get_tasks() -> String {
    format!(
        "<get><filter type=\"subtree\"><registry xmlns=\"{REGISTRY}\"><task><task-id/>\
         <task-status/></task></registry></filter></get>"
    )
}

/// An asynchronous task for an agent. Without a network there is nothing to diagnose: the agent
/// asks for missing input at once, so that two states are committed and notified.
pub fn assign(agent: &str, task: &str) -> String {
    let content = domain::content::Content::new(format!("site:{task}"), "diagnose");
    let request = NegotiateRequest {
        to: Some(agent),
        task: Some(task),
        content: vec![content.render()],
        asynchronous: Some(true),
        ..NegotiateRequest::default()
    };
    negotiate_request(Verb::TaskAssign, &request)
}

/// Cancels a task.
pub fn cancel(agent: &str, task: &str) -> String {
    let request = NegotiateRequest {
        to: Some(agent),
        task: Some(task),
        ..NegotiateRequest::default()
    };
    negotiate_request(Verb::TaskCancel, &request)
}

/// `create-subscription` with this content.
pub fn subscribe(inside: &str) -> String {
    let namespace = netconf::names::namespace::NOTIFICATION;
    format!("<create-subscription xmlns=\"{namespace}\">{inside}</create-subscription>")
}

/// The text of the first descendant of that name; empty if there is none.
pub fn text(document: &netconf::xml::XmlDocument, name: &str) -> String {
    fn search(element: netconf::xml::XmlElement<'_>, name: &str) -> Option<String> {
        element.children().find_map(|child| match child.name() {
            found if found == name => Some(child.trimmed_text().to_owned()),
            _ => search(child, name),
        })
    }
    search(document.root(), name).unwrap_or_default()
}
