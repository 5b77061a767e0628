//! `convoke learn history`: from a history of alarms to a document of causes, and a picture.
//!
//! Read next: [`crate::showcase::causes`], [`causality`].

use crate::cli::{Common, History};
use crate::output::{self, Failure, line};
use crate::showcase::{causes, files};
use causality::picture;

pub(crate) fn run(common: &Common, wanted: &History) -> Result<(), Failure> {
    let history = causes::history(common, &wanted.alarms, wanted.topology.as_deref())?;
    let graph = causes::learnt(common, &history)?;
    files::write(&wanted.out, &graph.to_json())?;
    if let Some(svg) = &wanted.svg {
        files::write(svg, &picture::draw(&graph))?;
    }
    causes::show(common, &graph);
    let file = wanted.out.display();
    if common.json {
        let mut learnt = causes::summary(&graph);
        learnt["event"] = "learnt".into();
        learnt["file"] = file.to_string().into();
        output::json(&learnt);
    } else {
        line(&format!("{file} holds them"));
    }
    Ok(())
}
