//! `convoke eval alarms`: learnt causes compared with the true ones, and with mere counting.
//!
//! The truth is opened when all is learnt. Read next: [`causality::score`],
//! [`crate::showcase::causes`].

use crate::cli::{Alarms, Common};
use crate::output::{self, Failure, line};
use crate::showcase::{causes, files};
use causality::counting::COMMON_CUT;
use causality::score::TrueGraph;
use causality::{AdjacencyMatrix, AlarmHistory, CausalGraph, FollowCounts, GraphScore};
use serde_json::json;
use std::path::Path;

pub(crate) fn alarms(common: &Common, wanted: &Alarms) -> Result<(), Failure> {
    let folder = &wanted.folder;
    let topology = folder.join("Topology.npy");
    let topology = topology.exists().then_some(topology.as_path());
    let history = causes::history(common, &folder.join("Alarm.csv"), topology)?;
    let graph = causes::learnt(common, &history)?;
    causes::show(common, &graph);
    let truth = truth(&folder.join("DAG.npy"), &history)?;
    let scored = Scored::of(&graph, &FollowCounts::of(&history), &truth);
    match common.json {
        true => scored.object(folder, &graph),
        false => scored.words(folder),
    }
    Ok(())
}

/// The true edges of the types of a history, which are the rows of a matrix.
fn truth(file: &Path, history: &AlarmHistory) -> Result<TrueGraph, Failure> {
    let bytes = files::bytes(file, causes::MATRIX_BYTES_MAX)?;
    let matrix = AdjacencyMatrix::read(&bytes).map_err(|fault| causes::wrong(file, fault))?;
    let is_row = |name: &String| (0..matrix.side()).any(|row| row.to_string() == *name);
    match history.types().iter().find(|name| !is_row(name)) {
        None => Ok(TrueGraph::of(&matrix)),
        Some(name) => {
            let fault = format!("it has {} rows, none of alarm type '{name}'", matrix.side());
            Err(causes::wrong(file, fault))
        }
    }
}

/// The scores of what was learnt and of the yardstick.
struct Scored {
    learnt: GraphScore,
    common_cut: GraphScore,
    best_cut: (f64, GraphScore),
}

impl Scored {
    fn of(graph: &CausalGraph, counts: &FollowCounts, truth: &TrueGraph) -> Self {
        Self {
            learnt: truth.score(graph.pairs()),
            common_cut: truth.common_cut(counts),
            best_cut: truth.best_cut(counts),
        }
    }

    fn object(&self, folder: &Path, graph: &CausalGraph) {
        let (cut, best) = self.best_cut;
        let mut object = causes::summary(graph);
        object["event"] = "scored".into();
        object["set"] = folder.display().to_string().into();
        object["true_edges"] = self.learnt.true_edges.into();
        object["precision"] = self.learnt.precision().into();
        object["recall"] = self.learnt.recall().into();
        object["f1"] = self.learnt.f1().into();
        object["yardstick"] = json!({
            "counting_common_cut": { "cut": COMMON_CUT, "f1": self.common_cut.f1() },
            "counting_best_cut_of_this_set": { "cut": cut, "f1": best.f1() },
        });
        output::json(&object);
    }

    fn words(&self, folder: &Path) {
        let (cut, best) = self.best_cut;
        let learnt = &self.learnt;
        line(&format!(
            "\nset                    {}\n\
             edges                  {}, of which {} are true; {} are to be found\n\
             precision              {:.3}\n\
             recall                 {:.3}\n\
             F1                     {:.3}\n\
             F1 of mere counting    {:.3} with the common cut of {COMMON_CUT}\n\
             \u{20}                      {:.3} with the best cut of this set, {cut:.4}, which takes its truth to know",
            folder.display(),
            learnt.edges,
            learnt.right,
            learnt.true_edges,
            learnt.precision(),
            learnt.recall(),
            learnt.f1(),
            self.common_cut.f1(),
            best.f1(),
        ));
    }
}
