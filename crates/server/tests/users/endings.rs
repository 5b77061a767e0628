//! The ends of sessions other than being cut off.

use crate::platform::Platform;
use domain::event::Termination;
use server::StoreOpenError;
use server::client::{CallError, Client};
use server::host::StartError;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use testkit::http::{self, Answer, ended};
use testkit::within;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// A client closes its session, whether its command does so or merely drops it.
#[tokio::test]
async fn a_client_that_goes_closes_its_session() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    platform.client("operator").await.close().await.unwrap();
    assert_eq!(platform.end_of("operator").await, Termination::Closed);
    drop(platform.client("noc").await);
    within("the farewell", server::client::departed()).await;
    assert_eq!(platform.end_of("noc").await, Termination::Closed);
}

const SUBSCRIBE: &str =
    "<create-subscription xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\"/>";

/// A session whose user's key is removed ends at once, with its subscription, and the key is
/// refused from then on; sessions of others stay.
#[tokio::test]
async fn a_key_that_is_taken_away_ends_what_it_opened() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    platform.admit("users/guest.pub");
    let mut noc = platform.client("noc").await;
    let mut guest = platform.client("guest").await;
    for client in [&mut noc, &mut guest] {
        client.call(SUBSCRIBE).await.unwrap();
    }
    std::fs::remove_file(platform.file("users/noc.pub")).unwrap();
    let told = within("the end of the stream", async {
        loop {
            if let Err(over) = noc.notification().await {
                return over;
            }
        }
    });
    assert!(matches!(told.await, CallError::Ended(_)));
    assert_eq!(platform.end_of("noc").await, Termination::Other);
    assert!(platform.try_client("noc").await.is_err());
    guest
        .call("<get-config><source><running/></source></get-config>")
        .await
        .unwrap();
}

/// A user with two keys keeps the sessions of the remaining one.
#[tokio::test]
async fn a_key_among_several_ends_its_own_sessions_alone() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    let first = std::fs::read_to_string(platform.file("users/noc.pub")).unwrap();
    platform.admit("users/second.pub");
    let second = std::fs::read_to_string(platform.file("users/second.pub")).unwrap();
    std::fs::write(platform.file("users/noc.pub"), format!("{first}{second}")).unwrap();
    let mut by_first = platform.client("noc").await;
    let mut by_second = platform
        .client_with("noc", "keys/second_ed25519")
        .await
        .unwrap();
    // In one go: a file that is half written has fewer keys.
    std::fs::write(platform.file("noc.new"), second).unwrap();
    std::fs::rename(platform.file("noc.new"), platform.file("users/noc.pub")).unwrap();
    within("the end", async {
        while by_first
            .call("<get-config/>")
            .await
            .is_err_and(|e| matches!(e, CallError::Refused(_)))
        {}
    })
    .await;
    by_second
        .call("<get-config><source><running/></source></get-config>")
        .await
        .unwrap();
}

/// An agent without a key is given no more tasks, however long its lease still is.
#[tokio::test]
async fn an_agent_whose_key_is_taken_away_is_given_nothing_more() {
    let platform = Platform::with("").await;
    platform.admit("agents/ip.pub");
    let mut agent = platform.client("ip").await;
    agent.call(REGISTER).await.unwrap();
    let engine = platform.host.platform.engine();
    assert!(engine.registration("ip").unwrap().is_available());
    std::fs::remove_file(platform.file("agents/ip.pub")).unwrap();
    assert_eq!(platform.end_of("ip").await, Termination::Other);
    assert!(!engine.registration("ip").unwrap().is_available());
}

/// A name that changes between user and agent must authenticate again.
#[tokio::test]
async fn an_agent_that_becomes_a_user_comes_in_anew() {
    let platform = Platform::with("").await;
    platform.admit("agents/ip.pub");
    let mut agent = platform.client("ip").await;
    agent.call(REGISTER).await.unwrap();
    std::fs::rename(
        platform.file("agents/ip.pub"),
        platform.file("users/ip.pub"),
    )
    .unwrap();
    assert_eq!(platform.end_of("ip").await, Termination::Other);
    // And the other way round: it is there as both, and so a user.
    let _user = platform.client("ip").await;
    std::fs::copy(
        platform.file("users/ip.pub"),
        platform.file("agents/ip.pub"),
    )
    .unwrap();
    std::fs::remove_file(platform.file("users/ip.pub")).unwrap();
    assert_eq!(platform.end_of("ip").await, Termination::Other);
}

pub const REGISTER: &str = "<register-agent xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\">\
    <name>ip</name><description>d</description><version>1.0.0</version>\
    <provider>p</provider><layer>resource</layer><reach>client</reach><lease>600</lease>\
    </register-agent>";

const DEREGISTER: &str = "<deregister-agent xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\">\
    <name>ip</name></deregister-agent>";

/// A rule that is removed from `access.toml` no longer applies to open sessions either.
#[tokio::test]
async fn a_right_that_is_taken_away_is_gone_in_open_sessions() {
    let platform = Platform::with("").await;
    let mut operator = platform.client("operator").await;
    let get = "<get><filter type=\"subtree\">\
        <registry xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\"><agent/></registry>\
        </filter></get>";
    let sees_agents = |reply: &server::client::Reply| reply.raw().contains("<agent>");
    assert!(sees_agents(&operator.call(get).await.unwrap()));
    platform
        .rule(|rules| rules.replace("\"operator\"", "\"nobody-any-more\""))
        .await;
    assert!(!sees_agents(&operator.call(get).await.unwrap()));
    // A file that is none leaves in force what was.
    std::fs::write(platform.file("access.toml"), "rubbish").unwrap();
    std::fs::write(platform.file("users/x.pub"), "").unwrap();
    assert!(!sees_agents(&operator.call(get).await.unwrap()));
}

/// Restricts the operator to notifications on agents.
fn but_of_agents(rules: &str) -> String {
    let others = rules.replace("\"operator\"", "\"nobody-any-more\"");
    let of_agents = "[[group]]\nname = \"listeners\"\nuser-name = [\"operator\"]\n\
        [[rule-list]]\nname = \"listeners\"\ngroup = [\"listeners\"]\n\
        [[rule-list.rule]]\nname = \"agents\"\nmodule-name = \"convoke-registry\"\n\
        notification-name = \"agent-update\"\naccess-operations = \"read\"\naction = \"permit\"\n";
    format!("{others}\n{of_agents}")
}

/// A message about a task of the agent.
fn negotiate(verb: &str, id: &str) -> String {
    format!(
        "<task-negotiate xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\">\
         <task-sendTo>ip</task-sendTo><commuType>{verb}</commuType><task-id>{id}</task-id>\
         <content>## target object\nlink\n## task description\nstay</content>\
         <task-async xmlns=\"urn:convoke:params:xml:ns:yang:convoke-negotiation\">true</task-async>\
         </task-negotiate>"
    )
}

/// The notifications to a subscriber, up to the first that contains these words.
async fn told_until(subscriber: &mut Client, words: &str) -> String {
    let mut told = String::new();
    while !told.contains(words) {
        let next = within(words, subscriber.notification()).await.unwrap();
        told.push_str(next.document.source());
    }
    told
}

/// Events that a subscriber may no longer read are left out of its open subscription, which goes
/// on.
#[tokio::test]
async fn a_right_that_is_taken_away_is_gone_in_open_subscriptions() {
    let platform = Platform::with("").await;
    platform.admit("agents/ip.pub");
    platform.admit("users/noc.pub");
    platform.promote("noc").await;
    let mut agent = platform.client("ip").await;
    let mut noc = platform.client("noc").await;
    let mut operator = platform.client("operator").await;
    agent.call(REGISTER).await.unwrap();
    operator.call(SUBSCRIBE).await.unwrap();
    noc.call(&negotiate("taskAssgin", "t-before"))
        .await
        .unwrap();
    told_until(&mut operator, "t-before").await;
    platform.rule(but_of_agents).await;
    noc.call(&negotiate("taskAssgin", "t-after")).await.unwrap();
    agent.call(DEREGISTER).await.unwrap();
    // It came behind what is not told.
    let told = told_until(&mut operator, "<agent-update").await;
    assert!(!told.contains("t-after"), "{told}");
}

/// The same for a stream over A2A: it ends where the next event may not be read any more.
#[tokio::test]
async fn a_right_that_is_taken_away_ends_open_streams_of_a2a() {
    let platform = Platform::with("[http]\nlisten = \"127.0.0.1:0\"").await;
    platform.admit("agents/ip.pub");
    platform.admit("users/noc.pub");
    platform.promote("noc").await;
    let mut agent = platform.client("ip").await;
    let mut noc = platform.client("noc").await;
    agent.call(REGISTER).await.unwrap();
    for (id, takes_away) in [("t-kept", false), ("t-lost", true)] {
        noc.call(&negotiate("taskAssgin", id)).await.unwrap();
        let mut stream = followed(&platform, id).await;
        if takes_away {
            platform.rule(but_of_agents).await;
        }
        noc.call(&negotiate("taskCancel", id)).await.unwrap();
        let mut rest = String::new();
        within("the end of a stream", stream.read_to_string(&mut rest))
            .await
            .unwrap();
        assert_eq!(rest.contains("TASK_STATE_CANCELED"), !takes_away, "{rest}");
        assert_eq!(rest.contains("data:"), !takes_away, "{rest}");
    }
}

/// A request that waits for an answer over HTTP gets none once its sender's key is removed.
#[tokio::test]
async fn a_key_that_is_taken_away_ends_a_request_that_waits() {
    let platform = Platform::with("[http]\nlisten = \"127.0.0.1:0\"").await;
    platform.admit("agents/ip.pub");
    platform.admit("users/noc.pub");
    platform.promote("noc").await;
    let mut agent = platform.client("ip").await;
    agent.call(REGISTER).await.unwrap();
    agent.call(SUBSCRIBE).await.unwrap();
    let message = r#"{"message": {"messageId": "m", "role": "ROLE_USER",
        "parts": [{"text": "please diagnose router:Berlin"}]}}"#;
    let waiting = posted(&platform, "noc", "/agents/ip/message:send", message).await;
    // It has reached the agent, which says nothing.
    within("the task", agent.notification()).await.unwrap();
    std::fs::remove_file(platform.file("users/noc.pub")).unwrap();
    let answer = within("the answer", ended(waiting)).await.unwrap();
    assert!(answer.line.starts_with("HTTP/1.1 401 "), "{answer:?}");
    assert!(!answer.body.contains("TASK_STATE"), "{answer:?}");
}

/// A key that others may write is refused over HTTP as well.
#[tokio::test]
async fn a_token_of_a_key_that_others_may_write_does_not_count() {
    let platform = Platform::with("[http]\nlisten = \"127.0.0.1:0\"").await;
    platform.admit("users/noc.pub");
    let (token, key) = (
        platform.token("noc").unwrap(),
        platform.file("users/noc.pub"),
    );
    for (mode, expected) in [
        (0o644, "200 OK"),
        (0o666, "401 Unauthorized"),
        (0o644, "200 OK"),
    ] {
        std::fs::set_permissions(&key, Permissions::from_mode(mode)).unwrap();
        let answer = whoami(&platform, &token).await;
        assert_eq!(answer.line, format!("HTTP/1.1 {expected}"), "{mode:o}");
        assert_eq!(platform.token("noc").is_ok(), mode == 0o644);
    }
}

/// The operator's first key is valid even if others may write those in `users/`: a token that was
/// issued over both is void while others may, and one over the first alone is valid.
#[tokio::test]
async fn a_key_of_the_operators_that_others_may_write_does_not_count() {
    let platform = Platform::with("[http]\nlisten = \"127.0.0.1:0\"").await;
    platform.admit("users/operator.pub");
    let key = platform.file("users/operator.pub");
    let may = |mode| std::fs::set_permissions(&key, Permissions::from_mode(mode)).unwrap();
    may(0o644);
    let of_both = platform.token("operator").unwrap();
    may(0o666);
    let of_first = platform.token("operator").unwrap();
    for (mode, both, first) in [
        (0o666, "401 Unauthorized", "200 OK"),
        (0o644, "200 OK", "401 Unauthorized"),
    ] {
        may(mode);
        for (token, expected) in [(&of_both, both), (&of_first, first)] {
            let answer = whoami(&platform, token).await;
            assert_eq!(answer.line, format!("HTTP/1.1 {expected}"), "{mode:o}");
        }
    }
}

/// A stream by which the operator follows a task, after its first event.
async fn followed(platform: &Platform, id: &str) -> TcpStream {
    let path = format!("/tasks/{id}:subscribe");
    let mut stream = posted(platform, "operator", &path, "").await;
    let (mut told, mut bytes) = (String::new(), [0; 4_096]);
    while !told.contains("data:") || !told.ends_with("\n\n\r\n") {
        let length = within("the task", stream.read(&mut bytes)).await.unwrap();
        assert!(length > 0, "{told}");
        told.push_str(std::str::from_utf8(&bytes[..length]).unwrap());
    }
    stream
}

/// A request of a user, after it was sent.
async fn posted(platform: &Platform, user: &str, path: &str, body: &str) -> TcpStream {
    let token = platform.token(user).unwrap();
    let address = platform.host.http.unwrap().address.to_string();
    let fields = [("A2A-Version", "1.0"), ("Content-Type", "application/json")];
    http::sent(&address, "POST", path, Some(&token), &fields, body).await
}

async fn whoami(platform: &Platform, token: &str) -> Answer {
    let address = platform.host.http.unwrap().address.to_string();
    http::get(&address, "/whoami", Some(token)).await
}

/// A platform that does not start, because another runs on the state, leaves the files of its
/// clients unchanged.
#[tokio::test]
async fn a_start_that_is_refused_leaves_known_hosts_as_they_are() {
    let platform = Platform::with("").await;
    let known = std::fs::read_to_string(platform.file("known_hosts")).unwrap();
    // On other ports, so that nothing but the store is in use.
    let refused = platform.start_another().await;
    assert!(
        matches!(
            refused,
            Some(StartError::Store(StoreOpenError::Locked { .. }))
        ),
        "{refused:?}"
    );
    let after = std::fs::read_to_string(platform.file("known_hosts")).unwrap();
    assert_eq!(after, known);
    platform.client("operator").await.close().await.unwrap();
}
