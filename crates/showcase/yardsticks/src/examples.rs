//! Examples for the classifier: the features of every hypothesis that is weighed on labelled days, and
//! whether it held.
//!
//! Read next: [`crate::classifier`], which is trained on them.

use crate::classifier::{Example, features};
use crate::codebook::SceneKey;
use crate::commitment::Commitment;
use crate::false_alarms::FalseAlarmIndex;
use crate::labelled::LabelledDay;
use crate::measure::{Measure, Worth};
use crate::online::{Blame, BlameRule, OnlineYardstick, StatementThresholds, heard};
use crate::scene::AlarmScene;
use crate::workers::DayWorkers;
use domain::time::Timestamp;
use std::cell::RefCell;

/// Of the examples that do not hold, every so many-th is trained on.
const THINNED: usize = 5;

/// Notes the features of every hypothesis that is weighed, and blames nothing.
struct Notes<'a> {
    measure: Measure<'a>,
    false_alarms: Option<&'a FalseAlarmIndex>,
    taken: RefCell<Vec<Example>>,
    left_out: RefCell<usize>,
}

impl BlameRule for Notes<'_> {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        let graph = scene.book().graph();
        for (hypothesis, _, features) in features(alarm, scene, now, self.false_alarms) {
            let Some(cause) = hypothesis.cause else {
                continue;
            };
            let element = graph.element(hypothesis.element).clone();
            let said = Commitment::diagnosis(now, element, cause);
            let holds = matches!(self.measure.worth(&said), Worth::Right(_));
            let mut left_out = self.left_out.borrow_mut();
            *left_out += usize::from(!holds);
            if holds || left_out.is_multiple_of(THINNED) {
                self.taken.borrow_mut().push(Example {
                    cause,
                    features,
                    holds,
                });
            }
        }
        None
    }
}

/// The examples of all days, of alarms that have stood for each of these times, in seconds.
pub(crate) fn examples(
    days: &[LabelledDay],
    waits_s: &[f64],
    false_alarms: Option<&FalseAlarmIndex>,
    workers: &impl DayWorkers,
) -> Vec<Example> {
    let of_day = |place: usize| {
        let day = &days[place];
        let mut taken = Vec::new();
        for wait_s in waits_s {
            let notes = Notes {
                measure: Measure::new(day.book.graph(), &day.troubles),
                false_alarms,
                taken: RefCell::default(),
                left_out: RefCell::default(),
            };
            let thresholds = StatementThresholds::none(*wait_s);
            let mut online = OnlineYardstick::new(&notes, thresholds, day.book.clone());
            heard(&mut online, &day.alarms, day.until);
            drop(online);
            taken.extend(notes.taken.into_inner());
        }
        taken
    };
    workers
        .map(days.len(), of_day)
        .into_iter()
        .flatten()
        .collect()
}
