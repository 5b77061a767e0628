//! `convoke simulate --sweep KEY=A,B,…`: the same days at several values of one error of the world.
//!
//! Refuses to know what the errors are. Read next: [`network::errors`], [`report::Degradation`].

use super::{about, plan, play_all};
use crate::cli::{Common, Simulate};
use crate::output::{self, Failure, line};
use crate::showcase::files::write;
use arena::day::Days;
use network::TelemetryErrors;
use report::{Degradation, ScoreBatch};

/// The values of one error, each with the world that it makes.
struct Sweep {
    key: String,
    worlds: Vec<(f64, TelemetryErrors)>,
}

/// Plays every seed in every world of the sweep, and shows the curves.
pub(super) async fn run(
    common: &Common,
    simulate: &Simulate,
    days: u32,
    errors: TelemetryErrors,
    asked: &str,
) -> Result<(), Failure> {
    let sweep = parse(asked, errors).map_err(|e| Failure::usage(format!("--sweep {e}")))?;
    let mut all: Vec<Days> = Vec::new();
    for (_, world) in &sweep.worlds {
        all.extend(plan(simulate, days, *world)?);
    }
    let scores = play_all(common, simulate, &all).await?;
    let in_world = |world: &TelemetryErrors| {
        let name = world.to_string();
        let of_it = scores.iter().filter(move |score| score.world() == name);
        ScoreBatch::new(of_it.cloned())
    };
    let steps = sweep.worlds.iter();
    let degradation = Degradation {
        key: sweep.key,
        steps: steps
            .map(|(value, world)| (*value, in_world(world)))
            .collect(),
    };
    if common.json {
        let mut curves = degradation.json();
        curves["world"] = errors.to_string().into();
        output::json(&curves);
    } else {
        line(&format!("World: {errors}, but for {}", degradation.key));
        line(&degradation.text());
    }
    if let Some(file) = &simulate.html {
        let about = about(&format!("{errors}, but for {}", degradation.key));
        write(file, &report::html::degradation(&degradation, &about))?;
        if !common.json {
            line(&format!("\nThe same with pictures: {}", file.display()));
        }
    }
    Ok(())
}

/// Reads `KEY=A,B,…`.
fn parse(asked: &str, errors: TelemetryErrors) -> Result<Sweep, String> {
    let wrong = || format!("'{asked}' is not KEY=A,B,...");
    let (key, values) = asked.split_once('=').ok_or_else(wrong)?;
    let mut worlds: Vec<(f64, TelemetryErrors)> = Vec::new();
    for value in values.split(',') {
        let mut world = errors;
        let set = world.set(key.trim(), value.trim());
        set.map_err(|e| e.to_string())?;
        let number = value.trim().parse().map_err(|_| wrong())?;
        if worlds.iter().any(|(_, other)| *other == world) {
            return Err(format!("'{}' stands twice", value.trim()));
        }
        worlds.push((number, world));
    }
    Ok(Sweep {
        key: key.trim().to_owned(),
        worlds,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_one_key_at_several_values() {
        let sweep = parse("lost=0,0.33,0.5", TelemetryErrors::erring()).unwrap();
        let worlds: Vec<String> = sweep.worlds.iter().map(|(_, w)| w.to_string()).collect();
        assert_eq!(
            worlds,
            ["erring lost=0", "erring lost=0.33", "erring lost=0.5"]
        );
        assert_eq!((&*sweep.key, sweep.worlds[1].0), ("lost", 0.33));
        let refused = |asked: &str| parse(asked, TelemetryErrors::none()).err().unwrap();
        assert_eq!(refused("lost"), "'lost' is not KEY=A,B,...");
        assert_eq!(refused("lost=0,0"), "'0' stands twice");
        assert!(refused("lost=0,2").starts_with("lost: '2' is not a number"));
        assert!(refused("rain=1").starts_with("'rain' is no error"));
    }
}
