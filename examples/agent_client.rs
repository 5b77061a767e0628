//! An agent of the outside in Rust: the same as `agent_client.py`, on netconf-rs.
//!
//! netconf-rs brings no transport that logs in with a key; its trait `Transport` lets us: here
//! OpenSSH carries the bytes. It understands base:1.0 and no notifications, so the agent looks
//! again and again. `cargo run -p convoke-tests --example agent_client -- PORT NAME KEY KNOWN_HOSTS`

#![allow(clippy::print_stdout, clippy::print_stderr)]

use netconf_rs::Connection;
use netconf_rs::transport::Transport;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
/// How long the agent waits before it looks again, or connects anew.
const PAUSE: Duration = Duration::from_millis(500);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, name, key, known_hosts] = &arguments[..] else {
        eprintln!("usage: agent_client PORT NAME KEY KNOWN_HOSTS");
        std::process::exit(2);
    };
    loop {
        // What was said twice counts once: after a lost connection it simply begins anew.
        if let Err(lost) = serve(port, name, key, known_hosts) {
            eprintln!("begins anew: {lost}");
        }
        std::thread::sleep(PAUSE);
    }
}

fn serve(port: &str, name: &str, key: &str, known_hosts: &str) -> io::Result<()> {
    let mut session = OverSsh::connect(port, name, key, known_hosts)?;
    // Exchanges the hellos; what follows is said over the transport that both share.
    let _connection = Connection::new(session.clone())?;
    call(&mut session, &registration(name))?;
    loop {
        look(&mut session, name)?;
        std::thread::sleep(PAUSE);
        let renewal = format!("<renew-lease xmlns=\"{REGISTRY}\"/>");
        call(&mut session, &renewal)?;
    }
}

fn registration(name: &str) -> String {
    format!(
        "<register-agent xmlns=\"{REGISTRY}\"><name>{name}</name>\
         <description>Surveys sites</description><skills><skill><skill-name>survey</skill-name>\
         <skill-description>Looks at a site</skill-description><skill-tags>field</skill-tags>\
         <input-modes>text</input-modes><output-modes>text</output-modes></skill></skills>\
         <version>1.0.0</version><provider>Example</provider><domain>Wireless</domain><capability>\
         <streaming>false</streaming><push-notifications>false</push-notifications>\
         <negotiate>acp-task-feasibility-negotiation-v1.0</negotiate></capability>\
         <layer>resource</layer><lease>60</lease></register-agent>"
    )
}

/// Answers what is asked, and does what is assigned.
fn look(session: &mut OverSsh, name: &str) -> io::Result<()> {
    let asked = call(
        session,
        &format!(
            "<get><filter type=\"subtree\"><registry xmlns=\"{REGISTRY}\"><negotiation>\
             <executor>{name}</executor><state>open</state><kind>feasibility</kind>\
             </negotiation></registry></filter></get>"
        ),
    )?;
    for negotiation in asked.split("<negotiation>").skip(1) {
        let turn = negotiation.rsplit("<turn>").next().unwrap_or("");
        let (Some("publisher"), Some(task)) = (leaf(turn, "by"), leaf(negotiation, "task-id"))
        else {
            continue;
        };
        let word = match turn.contains("sea") {
            true => "reject\n- the sea cannot be walked on",
            false => "accept",
        };
        say(session, "FeasibilityNegotiate", task, "result", word)?;
    }
    let assigned = call(
        session,
        &format!(
            "<get-tasks xmlns=\"{REGISTRY}\"><executor>{name}</executor><status>created</status>\
             <status>processing</status></get-tasks>"
        ),
    )?;
    for task in assigned.split("<task-id>").skip(1) {
        let Some((task, _)) = task.split_once('<') else {
            continue;
        };
        say(session, "taskResultNotify", task, "progress", "50")?;
        std::thread::sleep(PAUSE); // The survey.
        say(session, "taskResultNotify", task, "result", "all is well")?;
    }
    Ok(())
}

fn say(session: &mut OverSsh, verb: &str, task: &str, heading: &str, body: &str) -> io::Result<()> {
    let sections = [
        ("target object", task),
        ("task description", "survey"),
        (heading, body),
    ];
    let sections = sections.map(|(heading, body)| format!("## {heading}\n{body}"));
    call(
        session,
        &format!(
            "<task-negotiate xmlns=\"{AGENT}\"><commuType>{verb}</commuType>\
             <task-id>{task}</task-id><content>{}</content></task-negotiate>",
            sections.join("\n")
        ),
    )?;
    println!("{task} {verb} {body}");
    Ok(())
}

/// Calls an operation; a refusal is an error.
fn call(session: &mut OverSsh, operation: &str) -> io::Result<String> {
    session.write_xml(&format!(
        "<rpc message-id=\"7\" xmlns=\"{BASE}\">{operation}</rpc>"
    ))?;
    let reply = session.read_xml()?;
    match reply.contains("<rpc-error") {
        true => Err(io::Error::other(reply)),
        false => Ok(reply),
    }
}

/// The value of the first leaf of that name.
fn leaf<'x>(xml: &'x str, name: &str) -> Option<&'x str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    Some(rest.split_once('<')?.0)
}

/// The subsystem `netconf` over OpenSSH, logged in with a key; clones share it.
#[derive(Clone)]
struct OverSsh(Arc<Mutex<Pipes>>);

struct Pipes {
    child: Child,
    buffer: Vec<u8>,
}

impl Drop for Pipes {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl OverSsh {
    fn connect(port: &str, name: &str, key: &str, known_hosts: &str) -> io::Result<Self> {
        let mut command = Command::new("ssh");
        command.args(["-F", "/dev/null", "-T", "-p", port, "-i", key]);
        command.args(["-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes"]);
        command.args(["-o", "StrictHostKeyChecking=yes", "-o"]);
        command.arg(format!("UserKnownHostsFile={known_hosts}"));
        command.args([&format!("{name}@127.0.0.1"), "-s", "netconf"]);
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let buffer = Vec::new();
        Ok(Self(Arc::new(Mutex::new(Pipes { child, buffer }))))
    }
}

impl Transport for OverSsh {
    fn read_xml(&mut self) -> io::Result<String> {
        const END: &[u8] = b"]]>]]>";
        let mut pipes = self.0.lock().map_err(|_| io::ErrorKind::Other)?;
        let Pipes { child, buffer } = &mut *pipes;
        let stdout = child.stdout.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut part = [0; 4_096];
        loop {
            if let Some(end) = buffer.windows(END.len()).position(|window| window == END) {
                let message = buffer.drain(..end + END.len()).take(end).collect();
                return String::from_utf8(message).map_err(io::Error::other);
            }
            match stdout.read(&mut part)? {
                // The transport that netconf-rs brings would wait for ever here.
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => buffer.extend(&part[..read]),
            }
        }
    }

    fn write_xml(&mut self, data: &str) -> io::Result<()> {
        let mut pipes = self.0.lock().map_err(|_| io::ErrorKind::Other)?;
        let stdin = pipes
            .child
            .stdin
            .as_mut()
            .ok_or(io::ErrorKind::BrokenPipe)?;
        write!(stdin, "{}]]>]]>", data.trim())?;
        stdin.flush()
    }
}
