//! Causal knowledge in numbers: how surely and how fast a cause shows itself in alarms.
//!
//! Which alarms follow from what over the network is topology ([`crate::topology`]) and not learnt.
//! Learnt is how surely: for each type of alarm, how often a true one is reported in the end, how
//! long it takes, and how often one stands for another reason; the same for each cause by itself,
//! where it was seen often enough to differ; what a cause shows at its own element, for causes that
//! take nothing else down; how often batteries end before mains is back; how often each cause
//! strikes.
//!
//! [`Knowledge::default`] is set by hand; [`Knowledge::learn`] corrects it by [`Episode`]s of which
//! the cause is known ([`learning`]). [`Knowledge::in_force`] is what agents go by if they are given
//! nothing else: the text beside the code, which was learnt ([`text`] reads and writes it); what an
//! unlabelled history taught stands beside it ([`Knowledge::learnt`]). A figure
//! learnt on the simulated network says how that network reports, and nothing of a real one.
//!
//! Used by [`crate::oss_fault::correlation`] and [`crate::wireless_fault`].

pub mod learning;
pub mod text;

pub use learning::{Episode, ExpectedAlarm, ObservedAlarm, Others};
pub use text::NotKnowledge;

use crate::learnt_causes::LearntCauses;
use domain::cause::Cause;
use domain::telemetry::AlarmType;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The weight of the own trouble of sites, on the scale of [`Knowledge::frequency`]: little,
/// however often it strikes. It ends by itself, or its domain mends it, and nobody is told of it; a
/// link that is suspected wrongly costs a measurement from afar, one that is not suspected stays
/// cut.
pub const FREQUENCY_ALONE: f64 = 6.0;

/// The way in which true alarms of a type show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The chance that one that follows is reported in the end, above 0 and below 1.
    pub seen: f64,
    /// Seconds until most that are reported have arrived.
    pub delay_s: f64,
}

/// The share of alarms of another reason that stand longer than [`Odds::lasts_s`].
pub(crate) const OUTLASTS: f64 = 0.02;

/// All that is known of alarms of a type, whatever they follow from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// The way in which true ones show.
    pub effect: Effect,
    /// The chance that one stands on a given element for another reason, above 0 and below 1.
    pub chance: f64,
    /// Seconds for which nearly all of those stand.
    pub lasts_s: f64,
}

impl Odds {
    /// Of a type that says nothing for or against any cause.
    const SILENT: Self = Self::new(0.5, 0.5, 60.0);

    const fn new(seen: f64, chance: f64, delay_s: f64) -> Self {
        Self {
            effect: Effect { seen, delay_s },
            chance,
            lasts_s: 7_200.0,
        }
    }
}

/// The certainty with which an alarm follows from a cause, beside whether it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It follows.
    Sure,
    /// Only if the battery ends before mains is back.
    Battery,
    /// On a link of which both ends are cut off: it shows late, if at all.
    Isolated,
    /// A site may have stopped for want of power, or not.
    Half,
}

/// All figures by which causes are weighed.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    odds: BTreeMap<AlarmType, Odds>,
    /// The effects peculiar to a cause.
    effects: BTreeMap<(Cause, AlarmType), Effect>,
    /// Seconds after the onset within which a fault's alarms are noticed.
    pub window_s: f64,
    /// The same where mains has gone: batteries hold for a while.
    pub power_window_s: f64,
    /// Seconds before the onset within which a warning belongs to it.
    pub forewarning_s: f64,
    /// The chance that a site without mains goes out before mains is back.
    pub battery_ends: f64,
    /// The chance that a link with both ends cut off is reported at all.
    pub isolated_seen: f64,
    frequency: BTreeMap<Cause, f64>,
    /// What an unlabelled history taught of types that have no name here; none if there was none.
    pub learnt: Option<Arc<LearntCauses>>,
}

impl Default for Knowledge {
    fn default() -> Self {
        use AlarmType::*;
        let odds = [
            (LossOfSignal, Odds::new(0.92, 0.002, 60.0)),
            (LinkDown, Odds::new(0.92, 0.002, 60.0)),
            (CardFailure, Odds::new(0.65, 0.0005, 60.0)),
            (NodeUnreachable, Odds::new(0.92, 0.0005, 150.0)),
            (SiteUnreachable, Odds::new(0.92, 0.01, 200.0)),
            (CellsOutOfService, Odds::new(0.92, 0.004, 200.0)),
            (MainsFailure, Odds::new(0.88, 0.002, 60.0)),
            (OpticalPowerLow, Odds::new(0.92, 0.0002, 120.0)),
            (CellUnavailable, Odds::new(0.92, 0.001, 60.0)),
            (CellDegraded, Odds::new(0.92, 0.001, 900.0)),
            (InterferenceHigh, Odds::new(0.92, 0.001, 300.0)),
            (Congestion, Odds::new(0.92, 0.002, 60.0)),
        ];
        // What a cause does at its own element: what it is named after, and seldom anything else.
        let own =
            |cause, alarm_type, seen, delay_s| ((cause, alarm_type), Effect { seen, delay_s });
        let effects = [
            own(Cause::CellHardwareFailure, CellUnavailable, 0.92, 60.0),
            own(Cause::CellHardwareFailure, CellDegraded, 0.05, 900.0),
            own(Cause::CellHardwareFailure, InterferenceHigh, 0.02, 300.0),
            own(Cause::Misconfiguration, CellUnavailable, 0.05, 60.0),
            own(Cause::Misconfiguration, CellDegraded, 0.8, 900.0),
            own(Cause::Misconfiguration, InterferenceHigh, 0.02, 300.0),
            own(Cause::Interference, CellUnavailable, 0.02, 60.0),
            own(Cause::Interference, CellDegraded, 0.5, 900.0),
            own(Cause::Interference, InterferenceHigh, 0.9, 300.0),
            own(Cause::Congestion, Congestion, 0.92, 60.0),
        ];
        // What fails most in practice, by the experience of field forces.
        let frequency = [
            (Cause::FibreCut, 100.0),
            (Cause::MainsFailure, 40.0),
            (Cause::CellHardwareFailure, 40.0),
            (Cause::Misconfiguration, 40.0),
            (Cause::DuctCut, 20.0),
            (Cause::Congestion, 20.0),
            (Cause::CardFailure, 10.0),
            (Cause::Interference, 10.0),
            (Cause::RouterFailure, 5.0),
            (Cause::OpticalModuleAgeing, 3.0),
        ];
        Self {
            odds: odds.into(),
            effects: effects.into(),
            window_s: 300.0,
            power_window_s: 3_600.0,
            forewarning_s: 86_400.0,
            battery_ends: 0.6,
            isolated_seen: 0.2,
            frequency: frequency.into(),
            learnt: None,
        }
    }
}

impl Knowledge {
    /// All that is known of alarms of a type.
    pub fn odds(&self, alarm_type: AlarmType) -> Odds {
        self.odds.get(&alarm_type).copied().unwrap_or(Odds::SILENT)
    }

    /// The way in which alarms of a type show that follow from `cause`; from any, where nothing is
    /// known of this one by itself or none is given.
    pub fn effect(&self, cause: Option<Cause>, alarm_type: AlarmType) -> Effect {
        let own = cause.and_then(|cause| self.effects.get(&(cause, alarm_type)));
        own.copied().unwrap_or_else(|| self.odds(alarm_type).effect)
    }

    /// The number of times that a cause strikes, on a scale of its own; 1 for those of which
    /// nothing is known.
    pub fn frequency(&self, cause: Cause) -> f64 {
        self.frequency.get(&cause).copied().unwrap_or(1.0)
    }

    /// The chance that an alarm which follows from `cause` with this certainty is reported.
    pub fn seen(&self, cause: Option<Cause>, alarm_type: AlarmType, certainty: Certainty) -> f64 {
        let follows = match certainty {
            Certainty::Sure => 1.0,
            Certainty::Battery => self.battery_ends,
            Certainty::Isolated => self.isolated_seen,
            Certainty::Half => 0.5,
        };
        follows * self.effect(cause, alarm_type).seen
    }

    /// Seconds until most alarms of a type that follow from `cause` with this certainty have arrived:
    /// what waits for a battery to end is not missed before.
    pub fn delay_s(&self, cause: Option<Cause>, of_type: AlarmType, certainty: Certainty) -> f64 {
        match certainty {
            Certainty::Battery => self.power_window_s,
            _ => self.effect(cause, of_type).delay_s,
        }
    }

    /// Seconds after the onset within which the alarms of a fault of `cause` are noticed.
    pub fn window_of(&self, cause: Option<Cause>) -> f64 {
        match cause {
            Some(Cause::MainsFailure) => self.power_window_s,
            _ => self.window_s,
        }
    }

    /// Seconds after which an alarm of a type that still stands hardly has another reason.
    pub fn lasts_s(&self, alarm_type: AlarmType) -> f64 {
        self.odds(alarm_type).lasts_s
    }

    /// The chance that an alarm of a type stands on a given element for another reason, and has for
    /// `stood_s` seconds: it falls by half and half again to [`OUTLASTS`] of itself.
    pub fn chance(&self, alarm_type: AlarmType, stood_s: f64) -> f64 {
        let Odds {
            chance, lasts_s, ..
        } = self.odds(alarm_type);
        chance * OUTLASTS.powf((stood_s / lasts_s).clamp(0.0, 1.0))
    }

    /// The degree to which an element is likelier to show what it shows if `cause` has struck it
    /// than if nothing has: the logarithm of that ratio. For causes that show at their own element
    /// ([`own_alarms`]). `standing` says whether an alarm of a type stands there, `passed_s` for
    /// how many seconds any has.
    pub fn weight(&self, cause: Cause, standing: impl Fn(AlarmType) -> bool, passed_s: f64) -> f64 {
        let of_type = |alarm_type: &AlarmType| {
            let Effect { seen, delay_s } = self.effect(Some(cause), *alarm_type);
            let chance = self.odds(*alarm_type).chance;
            match standing(*alarm_type) {
                true => (seen / chance).ln(),
                false => {
                    (passed_s / delay_s).clamp(0.0, 1.0) * ((1.0 - seen) / (1.0 - chance)).ln()
                }
            }
        };
        own_alarms(cause).iter().map(of_type).sum()
    }
}

/// The types of alarms that tell of `cause` at the element itself that it strikes, if nothing else
/// goes down with that; none for causes whose effects are topology's.
pub fn own_alarms(cause: Cause) -> &'static [AlarmType] {
    match cause {
        Cause::CellHardwareFailure | Cause::Misconfiguration | Cause::Interference => &[
            AlarmType::CellUnavailable,
            AlarmType::CellDegraded,
            AlarmType::InterferenceHigh,
        ],
        Cause::Congestion => &[AlarmType::Congestion],
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
