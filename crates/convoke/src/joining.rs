//! `convoke serve --join` and `convoke cluster sync`: a folder becomes like that of the node that leads.
//!
//! Says what became of it; which files are shared, and how they are put, is `server::cluster::joining`'s. Read
//! next: [`crate::node`], which runs a node in the folder.

use crate::cli::Common;
use crate::output::{self, Failure, line};
use markup::words::legible_line;
use serde_json::{Value, json};
use server::cluster::Difference;
use server::cluster::joining::{JoinWish, Joined, JoiningError, words};
use server::config::Settings;
use server::state::StateFolder;
use std::collections::BTreeMap;
use tracing::warn;

impl From<JoiningError> for Failure {
    fn from(error: JoiningError) -> Self {
        let message = error.to_string();
        match error {
            JoiningError::NoKey(_) => Self::usage(message),
            JoiningError::Unreached { .. } => Self::unreachable(message),
            JoiningError::Key(error) => error.into(),
            JoiningError::Identity(_)
            | JoiningError::Files(_)
            | JoiningError::Folder(_)
            | JoiningError::Broken(_) => Self::failed(message),
            JoiningError::TwoKeys { .. }
            | JoiningError::Stranger { .. }
            | JoiningError::Unreadable(_)
            | JoiningError::Different(_)
            | JoiningError::Foreign
            | JoiningError::OwnStore(_)
            | JoiningError::KeyIsKept => Self::refused(message),
        }
    }
}

/// Joins the other nodes with a folder before a node starts in it.
pub(crate) async fn join(
    common: &Common,
    folder: &StateFolder,
    settings: &Settings,
    from: &str,
) -> Result<(), Failure> {
    let wish = match settings.cluster.accept_rules {
        true => JoinWish::Replace,
        false => JoinWish::Join,
    };
    let key = settings.cluster.key_file.as_deref();
    let joined = server::cluster::joining::join(folder, settings, from, key, wish).await?;
    match &joined {
        Joined::Alike => {}
        Joined::Became(_) => tell(common, &joined),
        Joined::Differs(differences) => warn!(
            "{} is not as with the node that leads: {}; `convoke cluster sync` makes it so",
            common.state.display(),
            legible_line(&words(differences))
        ),
        Joined::Unreached(why) => {
            warn!("it starts as it was, for no node that leads is reached by {from}: {why}");
        }
    }
    Ok(())
}

/// Makes a folder like that of the node that leads.
pub(crate) async fn sync(
    common: &Common,
    from: Option<String>,
    dry_run: bool,
) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let settings = Settings::load(&folder).map_err(|error| Failure::usage(error.to_string()))?;
    let own = || settings.cluster.listen().to_string();
    let from = from.or(settings.cluster.join.clone()).unwrap_or_else(own);
    let wish = match dry_run {
        true => JoinWish::Look,
        false => JoinWish::Follow,
    };
    let joined = server::cluster::joining::join(&folder, &settings, &from, None, wish).await?;
    tell(common, &joined);
    Ok(())
}

fn tell(common: &Common, joined: &Joined) {
    let none = BTreeMap::new();
    let (event, said, differences) = match joined {
        Joined::Became(these) => ("joined", "made as with the node that leads", these),
        Joined::Differs(these) => ("differs", "not as with the node that leads", these),
        Joined::Alike | Joined::Unreached(_) => ("alike", "as with the node that leads", &none),
    };
    if common.json {
        let files: Value = differences
            .iter()
            .map(|(path, it)| json!({ "file": path, "was": was(*it) }))
            .collect();
        return output::json(&json!({ "event": event, "files": files }));
    }
    let words = legible_line(&words(differences));
    let colon = if differences.is_empty() { "" } else { ": " };
    line(&format!("{}: {said}{colon}{words}", common.state.display()));
}

/// How a file was before.
fn was(difference: Difference) -> &'static str {
    match difference {
        Difference::Other => "other",
        Difference::Missing => "missing",
        Difference::Extra => "here-alone",
    }
}
