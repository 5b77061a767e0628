//! `convoke token`: issues, lists and revokes bearer tokens for the HTTP server, in the state
//! folder, with or without a platform running there.
//!
//! Read next: [`server::token`].

use crate::cli::{Common, TokenCommand};
use crate::output::{self, Failure, line, table};
use serde_json::{Value, json};
use server::clock::Clock;
use server::config::Settings;
use server::state::StateFolder;
use server::token::{Grant, TokenEntry, TokenError, Tokens};

pub(crate) fn run(common: &Common, command: TokenCommand) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let settings = Settings::load(&folder).map_err(|e| Failure::usage(e.to_string()))?;
    let tokens = Tokens::open(&folder, settings.http.token.terms())?;
    match command {
        TokenCommand::Issue { name, valid, scope } => {
            let grant = Grant {
                name,
                valid_s: valid,
                scope: scope.into_iter().collect(),
            };
            issue(common, &tokens, &grant)
        }
        TokenCommand::List => list(common, &tokens),
        TokenCommand::Revoke { which } => revoke(common, &folder, &tokens, &which),
    }
}

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Self {
        let message = error.to_string();
        match error {
            TokenError::Validity { .. } | TokenError::Scope(_) => Self::usage(message),
            TokenError::Stranger(_) | TokenError::Unknown(_) => Self::refused(message),
            TokenError::Nowhere(_) | TokenError::Key(_) | TokenError::List(_) => {
                Self::failed(message)
            }
        }
    }
}

fn issue(common: &Common, tokens: &Tokens, grant: &Grant) -> Result<(), Failure> {
    let issued = tokens.issue(grant, Clock::wall_time())?;
    match common.json {
        true => {
            let mut object = object(&issued.entry, "issued");
            object["token"] = Value::from(issued.token);
            output::json(&object);
        }
        false => line(&issued.token),
    }
    Ok(())
}

fn list(common: &Common, tokens: &Tokens) -> Result<(), Failure> {
    let now = Clock::wall_time();
    let entries = tokens.entries().map_err(TokenError::from)?;
    if common.json {
        for entry in &entries {
            let mut object = object(entry, "token");
            object["counts"] = Value::from(tokens.counts(entry, now));
            output::json(&object);
        }
        return Ok(());
    }
    let row = |entry: &TokenEntry| {
        let state = if tokens.counts(entry, now) {
            ""
        } else {
            "void"
        };
        let scope: Vec<&str> = entry.scope.iter().map(String::as_str).collect();
        vec![
            entry.id.clone(),
            entry.name.clone(),
            entry.expires.to_string(),
            scope.join(" "),
            state.to_owned(),
        ]
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    line(&table(&["id", "name", "expires", "scope", ""], &rows));
    Ok(())
}

fn revoke(
    common: &Common,
    folder: &StateFolder,
    tokens: &Tokens,
    which: &str,
) -> Result<(), Failure> {
    let entries = tokens.revoke(which)?;
    let is_of_a_node = folder.is_of_a_node();
    let leads = if is_of_a_node {
        " while this node leads"
    } else {
        ""
    };
    for entry in &entries {
        match common.json {
            true => output::json(&object(entry, "revoked")),
            false => line(&format!("{} of {} is void{leads}", entry.id, entry.name)),
        }
    }
    if is_of_a_node && !common.json {
        line(
            "other nodes: `convoke cluster sync` there, once `cluster status` says that they differ; if another \
             leads, the token counts until it is revoked in the folder of that one",
        );
    }
    Ok(())
}

fn object(entry: &TokenEntry, event: &str) -> Value {
    json!({
        "event": event, "id": entry.id, "name": entry.name, "issued": entry.issued.to_string(),
        "expires": entry.expires.to_string(), "scope": entry.scope,
    })
}
