//! `convoke inbox` and `convoke rule`: what waits for whoever asks, and the standing rules that decide some of it.
//!
//! The platform says what is whose, and holds rules to what can be. Read next: module convoke-policy, and
//! [`crate::cli`]'s `policy.rs`.

use crate::cli::{Common, NewRule, Remote, RuleCommand};
use crate::output::{self, Failure, line, table};
use crate::remote::{call, connect, get, leaf, named, selected, text, texts};
use netconf::client::Reply;
use netconf::data::Node;
use netconf::xml::{XmlDocument, XmlElement};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-policy";

/// What waits for the user in the flags, the longest waiting first.
pub(crate) async fn inbox(common: &Common, remote: &Remote) -> Result<(), Failure> {
    let document = policy(common, remote, &["waiting-count", "waiting"]).await?;
    let all: Vec<_> = each(&document, "waiting").collect();
    let count = top(&document).map_or(0, |top| number(top, "waiting-count").unwrap_or(0));
    if common.json {
        all.iter().for_each(|it| output::json(&decision(*it)));
        return Ok(());
    }
    if all.is_empty() {
        line("Nothing waits for you.");
        return Ok(());
    }
    let row = |it: &XmlElement<'_>| {
        let of = |name| text(*it, name);
        let who = leaf(*it, "decider").unwrap_or_else(|| "whoever approves".to_owned());
        let names = ["id", "agent", "target", "since", "until", "asked-because"];
        let mut row: Vec<String> = names.map(of).to_vec();
        row.insert(1, who);
        row
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let header = ["WHAT", "WHOSE", "WITH", "ABOUT", "SINCE", "UNTIL", "ASKED"];
    line(&table(&header, &rows));
    if count > all.len() as u64 {
        line(&format!("These are the first {} of {count}.", all.len()));
    }
    Ok(())
}

pub(crate) async fn run(common: &Common, command: RuleCommand) -> Result<(), Failure> {
    match command {
        RuleCommand::List { remote } => list(common, &remote).await,
        RuleCommand::Add(rule) => add(common, &rule).await,
        RuleCommand::Withdraw {
            name,
            author,
            remote,
        } => {
            let rpc = Node::container(NAMESPACE, "withdraw-rule")
                .leaf_opt("author", author.as_ref())
                .leaf("name", &name);
            let mut client = connect(common, &remote).await?;
            call(&mut client, &rpc).await?;
            done(common, "rule-withdrawn", &name, "is withdrawn");
            Ok(())
        }
    }
}

async fn list(common: &Common, remote: &Remote) -> Result<(), Failure> {
    let document = policy(common, remote, &["rule"]).await?;
    let all: Vec<_> = each(&document, "rule").collect();
    if common.json {
        all.iter().for_each(|it| output::json(&rule(*it)));
        return Ok(());
    }
    if all.is_empty() {
        line("There are no standing rules.");
        return Ok(());
    }
    let row = |it: &XmlElement<'_>| {
        let name = format!("{}/{}", text(*it, "author"), text(*it, "name"));
        let of = |name| text(*it, name);
        let (verdict, kind, state) = (of("verdict"), of("kind"), of("state"));
        vec![
            name,
            verdict,
            kind,
            conditions(*it),
            of("valid-until"),
            state,
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    let header = ["RULE", "SAYS", "OF", "IF", "UNTIL", "STATE"];
    line(&table(&header, &rows));
    Ok(())
}

async fn add(common: &Common, wanted: &NewRule) -> Result<(), Failure> {
    let mut bounds: BTreeMap<&String, [Option<f64>; 2]> = BTreeMap::new();
    for (side, given) in [&wanted.least, &wanted.most].into_iter().enumerate() {
        for (key, number) in given {
            bounds.entry(key).or_default()[side] = Some(*number);
        }
    }
    let decimal = |number: Option<f64>| number.map(|it| format!("{it:.6}"));
    let bounds = bounds.into_iter().map(|(key, [least, most])| {
        Node::container(NAMESPACE, "bound")
            .leaf("key", key)
            .leaf_opt("least", decimal(least))
            .leaf_opt("most", decimal(most))
    });
    let bounds: Vec<_> = bounds.collect();
    let rule = |rpc| {
        Node::container(NAMESPACE, rpc)
            .leaf("name", &wanted.name)
            .leaf("kind", &wanted.kind)
            .leaf_opt("decider", wanted.decider.as_ref())
            .leaf_opt("agent", wanted.agent.as_ref())
            .leaf_opt("domain", wanted.domain.as_ref())
            .leaf_opt("target", wanted.target.as_ref())
            .leaf_opt("scenario", wanted.scenario.as_ref())
            .with_all(bounds.clone())
            .leaf("verdict", &wanted.verdict)
            .leaf_opt("valid-until", wanted.until.as_ref())
            .leaf_opt("after", wanted.after.map(u64::from))
            .leaf_opt("then", wanted.then.as_ref())
            .leaf_opt("escalate-to", wanted.escalate_to.as_ref())
    };
    let mut client = connect(common, &wanted.remote).await?;
    let checked = call(&mut client, &rule("check-rule")).await?;
    let is_idle = show_check(common, &wanted.name, &checked);
    if wanted.dry_run || !(is_idle || agreed(common, wanted)?) {
        if !common.json {
            line("Nothing was added.");
        }
        return Ok(());
    }
    call(&mut client, &rule("add-rule")).await?;
    done(common, "rule-added", &wanted.name, "is there");
    Ok(())
}

/// Shows what a rule would decide now, and what in it names nothing; true if there is neither.
fn show_check(common: &Common, name: &str, checked: &Reply) -> bool {
    let each = |name: &'static str| checked.body().filter(move |it| it.name() == name);
    let count = each("decides-count").next().map(XmlElement::text);
    let count: u64 = count.and_then(|it| it.parse().ok()).unwrap_or(0);
    let decides: Vec<_> = each("decides").collect();
    let remarks: Vec<_> = each("remark").collect();
    if common.json {
        let decision = |it: &XmlElement<'_>| {
            let of = |name| text(*it, name);
            json!({ "id": of("id"), "verdict": of("verdict"), "at": leaf(*it, "at") })
        };
        let remark = |it: &XmlElement<'_>| {
            let of = |name| text(*it, name);
            json!({ "about": of("about"), "value": of("value"), "remark": of("remark") })
        };
        output::json(&json!({
            "event": "rule-checked",
            "name": name,
            "decides_count": count,
            "decides": decides.iter().map(decision).collect::<Vec<_>>(),
            "remarks": remarks.iter().map(remark).collect::<Vec<_>>(),
        }));
    } else {
        match count {
            0 => line("Nothing that waits now would be decided by it."),
            1 => line("It would decide one of the decisions that wait now:"),
            _ => line(&format!(
                "It would decide {count} of the decisions that wait now:"
            )),
        }
        if !decides.is_empty() {
            let row = |it: &XmlElement<'_>| {
                let at = leaf(*it, "at").unwrap_or_else(|| "at once".to_owned());
                vec![text(*it, "id"), text(*it, "verdict"), at]
            };
            let rows: Vec<_> = decides.iter().map(row).collect();
            line(&table(&["WHAT", "VERDICT", "WHEN"], &rows));
        }
        if count > decides.len() as u64 {
            line(&format!(
                "These are the first {} of {count}.",
                decides.len()
            ));
        }
        remarks.iter().for_each(|it| line(&remarked(*it)));
    }
    count == 0 && remarks.is_empty()
}

/// What in a rule names nothing, in words.
fn remarked(remark: XmlElement<'_>) -> String {
    let value = text(remark, "value");
    match &*text(remark, "remark") {
        "scenario-unknown" => format!("No schema here is of the scenario '{value}'."),
        "not-negotiated" => {
            format!("No agent that takes the scenario '{value}' declares such decisions now.")
        }
        "agent-unknown" => format!("There is no agent '{value}' now."),
        "domain-unknown" => format!("No agent is in the domain '{value}' now."),
        "key-unknown" => format!("No schema has a key '{value}' in what is offered."),
        "key-no-number" => format!("The key '{value}' is no number in what is offered."),
        other => format!("{} '{value}': {other}", text(remark, "about")),
    }
}

/// True if the user wants the rule nevertheless; without a terminal nobody is asked.
fn agreed(common: &Common, wanted: &NewRule) -> Result<bool, Failure> {
    if common.json || wanted.yes || !output::in_conversation() {
        return Ok(true);
    }
    let said = output::prompt("Add it? [y/N] ")?.to_lowercase();
    Ok(matches!(said.as_str(), "y" | "yes"))
}

fn done(common: &Common, event: &str, name: &str, words: &str) {
    match common.json {
        true => output::json(&json!({ "event": event, "name": name })),
        false => line(&format!("The standing rule '{name}' {words}.")),
    }
}

/// Parts of `/policy`.
async fn policy(common: &Common, remote: &Remote, parts: &[&str]) -> Result<XmlDocument, Failure> {
    let parts = parts.iter().map(|part| Node::container("", part));
    let filter = Node::container(NAMESPACE, "policy").with_all(parts);
    let mut client = connect(common, remote).await?;
    get(&mut client, &filter).await
}

fn top(document: &XmlDocument) -> Option<XmlElement<'_>> {
    selected(document).find(|top| top.is(NAMESPACE, "policy"))
}

fn each<'d>(document: &'d XmlDocument, list: &'d str) -> impl Iterator<Item = XmlElement<'d>> {
    let top = top(document).into_iter();
    top.flat_map(move |top| named(top, list))
}

/// The conditions of a rule, and what it says after a while, in few words.
fn conditions(rule: XmlElement<'_>) -> String {
    let names = ["decider", "agent", "domain", "target", "scenario"];
    let same = names.into_iter().filter_map(|name| {
        let value = leaf(rule, name)?;
        Some(format!("{name} = {value}"))
    });
    let bounds = named(rule, "bound").flat_map(|bound| {
        let side = |name, is: &str| {
            Some(format!(
                "{} {is} {}",
                text(bound, "key"),
                leaf(bound, name)?
            ))
        };
        [side("least", ">="), side("most", "<=")]
    });
    let time_out = leaf(rule, "after").map(|after| {
        let (then, user) = (text(rule, "then"), leaf(rule, "escalate-to"));
        let user = user.map_or_else(String::new, |user| format!(" to {user}"));
        format!("after {after} s {then}{user}")
    });
    let all: Vec<String> = same.chain(bounds.flatten()).chain(time_out).collect();
    all.join(", ")
}

fn number(node: XmlElement<'_>, name: &str) -> Option<u64> {
    leaf(node, name)?.parse().ok()
}

/// A decision that waits as JSON; unknown values are null.
fn decision(it: XmlElement<'_>) -> Value {
    let parameters: Map<String, Value> = named(it, "parameter")
        .map(|parameter| {
            let value = text(parameter, "value");
            let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
            (text(parameter, "name"), value)
        })
        .collect();
    let rules: Vec<Value> = named(it, "rule")
        .map(|rule| json!({ "author": text(rule, "author"), "name": text(rule, "name") }))
        .collect();
    json!({
        "event": "decision",
        "id": text(it, "id"),
        "kind": text(it, "kind"),
        "task_id": leaf(it, "task-id"),
        "patch_id": leaf(it, "patch-id"),
        "decider": leaf(it, "decider"),
        "agent": leaf(it, "agent"),
        "domain": leaf(it, "domain"),
        "target": leaf(it, "target"),
        "scenario": leaf(it, "scenario"),
        "round": number(it, "round"),
        "alternatives": number(it, "alternatives"),
        "parameters": parameters,
        "since": text(it, "since"),
        "until": leaf(it, "until"),
        "operations": texts(it, "operation"),
        "communication_type": leaf(it, "communication-type"),
        "in_reply_to": leaf(it, "in-reply-to"),
        "asked_because": leaf(it, "asked-because"),
        "rules": rules,
        "escalated_to": texts(it, "escalated-to"),
    })
}

/// A standing rule as JSON; unknown values are null.
fn rule(it: XmlElement<'_>) -> Value {
    let decimal = |bound, name| leaf(bound, name).and_then(|text| text.parse::<f64>().ok());
    let bounds: Vec<Value> = named(it, "bound")
        .map(|bound| {
            json!({
                "key": text(bound, "key"),
                "least": decimal(bound, "least"),
                "most": decimal(bound, "most"),
            })
        })
        .collect();
    json!({
        "event": "rule",
        "author": text(it, "author"),
        "name": text(it, "name"),
        "kind": text(it, "kind"),
        "decider": leaf(it, "decider"),
        "agent": leaf(it, "agent"),
        "domain": leaf(it, "domain"),
        "target": leaf(it, "target"),
        "scenario": leaf(it, "scenario"),
        "bounds": bounds,
        "verdict": text(it, "verdict"),
        "valid_until": leaf(it, "valid-until"),
        "after_s": number(it, "after"),
        "then": leaf(it, "then"),
        "escalate_to": leaf(it, "escalate-to"),
        "added": text(it, "added"),
        "state": text(it, "state"),
    })
}
