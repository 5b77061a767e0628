//! `convoke ask`: turns an utterance into a task, by steps 1 to 4 of
//! draft-zhou-structured-data-schema-interaction §3.2.
//!
//! The agent and scenario are those whose template and profile match best; among nearly equal ones,
//! the one of whose required keys most were said. The payload is what the parser is sure of;
//! required values that were not said are asked for, never guessed. Read next: [`offers`],
//! `semantics::choose`, [`crate::understanding`].

mod offers;

use crate::cli::{Ask, Common};
use crate::output::{self, Failure, line};
use crate::remote::{agent_name, connect};
use crate::schemas::understood;
use crate::task::give;
use crate::understanding;
use domain::content::{Content, Payload};
use offers::Offered;
use schema::semantics::{Circumstances, OfferedScenario, Parsed, ScenarioFit, SemanticParser};
use schema::template::{KeyType, Template};
use semantics::choose::{choose, read_near};
use semantics::ngrams::Ngrams;
use serde_json::{Value, json};
use server::client::{Client, NegotiateRequest};

/// The number of other scenarios shown beside the chosen one.
const RUNNERS_UP: usize = 2;

pub(crate) async fn run(common: &Common, ask: Ask) -> Result<(), Failure> {
    let mut client = connect(common, &ask.remote).await?;
    let words = ask.text.join(" ");
    let named = match &ask.agent {
        Some(name) => Some(agent_name(&mut client, name).await?),
        None => None,
    };
    let content = Content::new(words.clone(), words.clone());
    if let (true, Some(agent)) = (ask.plain, &named) {
        return send(common, &mut client, agent, &content).await;
    }
    let offered = offers::of(common, &ask, &mut client, &words, named.as_deref()).await?;
    let reader = Reading::new(&ask, &words)?;
    let (chosen, others) = choice(&reader, &offered)?;
    show_choice(common, &chosen, &others);
    let offered = chosen.offered;
    let parsed = completed(common, &ask, &reader, &offered.template, chosen.parsed)?;
    if ask.dry_run || !agreed(common, &ask)? {
        return Ok(());
    }
    let values = Value::Object(parsed.to_payload());
    let content = content.with_payload(Payload::new(&offered.template.schema_id, values));
    send(common, &mut client, &offered.agent, &content).await
}

async fn send(
    common: &Common,
    client: &mut Client,
    agent: &str,
    content: &Content,
) -> Result<(), Failure> {
    let request = NegotiateRequest {
        to: Some(agent),
        content: vec![content.render()],
        asynchronous: Some(false),
        ..NegotiateRequest::default()
    };
    give(common, client, &request).await
}

/// The utterance, with its parser and circumstances.
struct Reading<'a> {
    words: &'a str,
    named: bool,
    parser: Box<dyn SemanticParser>,
    circumstances: Circumstances,
}

impl<'a> Reading<'a> {
    fn new(ask: &Ask, words: &'a str) -> Result<Self, Failure> {
        Ok(Self {
            words,
            named: ask.scenario.is_some(),
            parser: understanding::parser(&ask.reader)?,
            circumstances: understanding::circumstances(ask.at.as_deref())?,
        })
    }

    fn of(&self, template: &Template) -> Result<Parsed, Failure> {
        let parsed = self.parser.parse(template, self.words, &self.circumstances);
        parsed.map_err(|failure| Failure::failed(failure.to_string()))
    }
}

/// The chosen agent and scenario, with the payload parsed for them.
struct Chosen<'o> {
    offered: &'o Offered,
    fit: ScenarioFit,
    parsed: Parsed,
}

/// The best fit, with the alternatives; refused if nothing fits or no agent takes it (draft-zhou
/// §3.2).
fn choice<'o>(
    reader: &Reading<'_>,
    offered: &'o [Offered],
) -> Result<(Chosen<'o>, Vec<ScenarioFit>), Failure> {
    let offers: Vec<OfferedScenario<'_>> = offered.iter().map(Offered::offer).collect();
    let choice = choose(reader.words, &offers, &Ngrams::default());
    let mut understood = read_near(choice, &offers, reader.named, |it| reader.of(it))?;
    let Some(best) = understood.take_best() else {
        let nearest = understood.others.into_iter().next();
        return Err(Failure::refused(nothing_fits(nearest)));
    };
    let chosen = Chosen {
        offered: &offered[best.fit.offer],
        fit: best.fit,
        parsed: best.parsed,
    };
    if chosen.offered.agent.is_empty() {
        let words = format!(
            "'{}' fits ({}), but no agent takes it",
            chosen.fit.scenario,
            chosen.fit.reason()
        );
        return Err(Failure::refused(words));
    }
    let near = understood.near.into_iter().map(|reading| reading.fit);
    let mut others: Vec<ScenarioFit> = near.chain(understood.others).collect();
    others.retain(|fit| fit.scenario != chosen.fit.scenario);
    others.dedup_by(|one, other| one.scenario == other.scenario);
    Ok((chosen, others))
}

fn nothing_fits(nearest: Option<ScenarioFit>) -> String {
    let near = nearest.filter(|fit| fit.score > 0.0).map(|fit| {
        let score = fit.score * 100.0;
        format!(
            "; nearest is '{}', {score:.0} %: {}",
            fit.scenario,
            fit.reason()
        )
    });
    format!("nothing fits{}", near.unwrap_or_default())
}

fn show_choice(common: &Common, chosen: &Chosen<'_>, others: &[ScenarioFit]) {
    let Chosen { offered, fit, .. } = chosen;
    let others = others.iter().take(RUNNERS_UP);
    if common.json {
        let other = |fit: &ScenarioFit| json!({ "scenario": fit.scenario, "score": fit.score });
        output::json(&json!({
            "event": "chosen", "agent": offered.agent, "scenario": offered.scenario,
            "schema_id": offered.template.schema_id, "score": fit.score, "reason": fit.reason(),
            "others": others.map(other).collect::<Vec<_>>(),
        }));
        return;
    }
    line(&format!(
        "to {}, scenario '{}': {:.0} %, {}",
        offered.agent,
        offered.scenario,
        fit.score * 100.0,
        fit.reason()
    ));
    for fit in others {
        line(&format!(
            "  not '{}': {:.0} %",
            fit.scenario,
            fit.score * 100.0
        ));
    }
}

/// Shows the payload, and asks for missing required values if there is a terminal.
fn completed(
    common: &Common,
    ask: &Ask,
    reader: &Reading<'_>,
    template: &Template,
    mut parsed: Parsed,
) -> Result<Parsed, Failure> {
    understood(common, reader.parser.name(), template, &parsed);
    let missing = std::mem::take(&mut parsed.missing);
    if !missing.is_empty() && (ask.dry_run || !asked(common, ask)) {
        let words = missing.join(", ");
        return Err(Failure::refused(format!("not said: {words}; say that too")));
    }
    for key in missing {
        let value = answer(template, &key)?;
        parsed.payload.insert(key, value);
    }
    Ok(parsed)
}

/// True if there is a terminal and the user wants to be asked.
fn asked(common: &Common, ask: &Ask) -> bool {
    !common.json && !ask.yes && output::in_conversation()
}

/// Asks for the value of a key; the platform validates it.
fn answer(template: &Template, name: &str) -> Result<Value, Failure> {
    let key = template.key(name);
    let key = key.expect("what is missing is a key of the template");
    let (_, description) = key.annotation.lookup(None, &template.language);
    line(&description.meaning);
    let said = output::prompt(&format!("{name}: "))?;
    Ok(match key.shape.key_type {
        KeyType::String => Value::from(said),
        _ => serde_json::from_str(&said).unwrap_or_else(|_| Value::from(said)),
    })
}

fn agreed(common: &Common, ask: &Ask) -> Result<bool, Failure> {
    if !asked(common, ask) {
        return Ok(true);
    }
    let said = output::prompt("Send it? [Y/n] ")?.to_lowercase();
    Ok(matches!(said.as_str(), "" | "y" | "yes"))
}
