//! The events of the invented day: alarms, outages with the messages about them, a complaint,
//! readings.
//!
//! Knows instants and the agents' messages; the coordinates of towns are in `../sample.rs`, the
//! scores of the day in `score.rs`. Read next: `score.rs`.

use super::Hat;
use report::record::{NetworkMap, Site};
use report::{Moment, RecordedEvent, Timestamp};

/// The moments of a day, and the truth behind them.
pub(crate) struct Tale {
    pub(crate) began: Timestamp,
    pub(crate) moments: Vec<Moment>,
    pub(crate) truth: Vec<Moment>,
}

impl Tale {
    fn at(&mut self, hours: f64, what: RecordedEvent) {
        let at = self.began.plus_s(hours * 3_600.0);
        self.moments.push(Moment { at, what });
    }

    fn truth(&mut self, hours: f64, element: &str, mended: bool) {
        let at = self.began.plus_s(hours * 3_600.0);
        let what = RecordedEvent::Truth {
            fault: "fibre-cut".into(),
            element: element.into(),
            mended,
            words: String::new(),
        };
        self.truth.push(Moment { at, what });
    }

    fn alarm(&mut self, hours: f64, resource: &str, kind: &str, severity: &str, cleared: bool) {
        let (resource, alarm_type, severity) = (resource.into(), kind.into(), severity.into());
        self.at(
            hours,
            RecordedEvent::Alarm {
                resource,
                alarm_type,
                severity,
                cleared,
            },
        );
    }

    fn ask(
        &mut self,
        hours: f64,
        [from, to]: [&str; 2],
        [task, parent, schema]: [&str; 3],
        [verb, words]: [&str; 2],
    ) {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        self.at(
            hours,
            RecordedEvent::Message {
                from: from.into(),
                to: to.into(),
                verb: verb.into(),
                task: task.into(),
                parent: some(parent),
                schema: some(schema),
                words: words.into(),
                bytes: Some(900 + words.len() as u64),
            },
        );
    }

    fn reply(
        &mut self,
        hours: f64,
        [from, to]: [&str; 2],
        task: &str,
        [verdict, words]: [&str; 2],
    ) {
        self.at(
            hours,
            RecordedEvent::Reply {
                from: from.into(),
                to: to.into(),
                verdict: verdict.into(),
                words: words.into(),
                task: Some(task.into()),
            },
        );
    }

    fn notify(
        &mut self,
        hours: f64,
        [from, to]: [&str; 2],
        task: &str,
        [status, words]: [&str; 2],
    ) {
        self.at(
            hours,
            RecordedEvent::Notification {
                from: from.into(),
                to: to.into(),
                status: status.into(),
                task: task.into(),
                words: words.into(),
            },
        );
    }
}

/// Adds background alarms that no fault causes.
pub(crate) fn background(tale: &mut Tale, hat: &mut Hat, network: &NetworkMap) {
    for _ in 0..900 {
        let site = &network.sites[hat.below(network.sites.len())].id;
        let hours = hat.draw() * 24.0;
        let kind = [
            "temperature-high",
            "clock-unsynchronised",
            "antenna-mismatch",
        ][hat.below(3)];
        tale.alarm(
            hours,
            site,
            kind,
            ["warning", "minor"][hat.below(2)],
            hat.draw() < 0.4,
        );
    }
}

/// Adds the outage of a town's sites, from the fibre cut to the splice.
pub(crate) fn outage(
    tale: &mut Tale,
    network: &NetworkMap,
    town: &str,
    from: f64,
    [found, mended]: [f64; 2],
    hat: &mut Hat,
) {
    let link = format!("link:{town}-Frankfurt");
    tale.truth(from, &link, false);
    tale.truth(from + mended, &link, true);
    let hit: Vec<&Site> = network.sites.iter().filter(|s| s.town == town).collect();
    for site in &hit {
        let late = hat.draw() * 0.1;
        tale.alarm(from + late, &site.id, "site-unreachable", "critical", false);
        tale.alarm(
            from + mended + late,
            &site.id,
            "site-unreachable",
            "critical",
            true,
        );
    }
    tale.alarm(from + 0.01, &link, "loss-of-signal", "critical", false);
    story(tale, town, from, [found, mended]);
}

fn story(tale: &mut Tale, town: &str, from: f64, [found, mended]: [f64; 2]) {
    let [oss, ip, opt, energy, field] = [
        "oss-fault",
        "ip-fault",
        "optimisation",
        "energy-saving",
        "service-copilot",
    ];
    let [d, c, e] = ["diagnosis", "compensation", "energy"].map(|kind| format!("t-{town}-{kind}"));
    let s = 1.0 / 60.0;
    tale.ask(from + 2.0 * s, [oss, ip], [&d, "", "ip_diagnosis_v1"], ["FeasibilityNegotiate", &format!("Can you diagnose the return links of {town}? 30 sites are unreachable since two minutes.")]);
    tale.reply(
        from + 2.1 * s,
        [ip, oss],
        &d,
        ["accepted", "Yes: both ends can be measured from here."],
    );
    tale.ask(
        from + 2.2 * s,
        [oss, ip],
        [&d, "", "ip_diagnosis_v1"],
        [
            "TaskAssign",
            &format!("Diagnose what the sites of {town} have in common."),
        ],
    );
    tale.reply(from + 2.3 * s, [ip, oss], &d, ["accepted", "Begun."]);
    tale.at(
        from + 3.0 * s,
        RecordedEvent::Action {
            agent: ip.into(),
            words: "probes the link".into(),
            elements: vec![format!("link:{town}-Frankfurt")],
        },
    );
    tale.ask(
        from + 3.1 * s,
        [oss, opt],
        [&c, &d, "experience_compensation_v1"],
        [
            "FeasibilityNegotiate",
            "Can neighbours carry at least 1 Mbit/s for the slowest tenth, for four hours?",
        ],
    );
    tale.ask(
        from + 3.2 * s,
        [opt, energy],
        [&e, &c, "energy_saving_v1"],
        [
            "FeasibilityNegotiate",
            "Wake 14 cells around the hole until the repair; deep sleep is too slow.",
        ],
    );
    tale.reply(
        from + 3.4 * s,
        [energy, opt],
        &e,
        [
            "offered",
            "9 cells for four hours; 5 run on battery: two hours at most.",
        ],
    );
    tale.ask(
        from + 3.5 * s,
        [opt, energy],
        [&e, &c, "energy_saving_v1"],
        [
            "FeasibilityNegotiate",
            "Taken: nine cells, and two of the five for two hours.",
        ],
    );
    tale.reply(from + 3.6 * s, [energy, opt], &e, ["accepted", "Agreed."]);
    tale.reply(
        from + 3.8 * s,
        [opt, oss],
        &c,
        [
            "offered",
            "0.9 Mbit/s for four hours; 1.1 with five cells more.",
        ],
    );
    tale.ask(
        from + 4.0 * s,
        [oss, opt],
        [&c, &d, "experience_compensation_v1"],
        ["TaskAssign", "0.9 Mbit/s will do."],
    );
    tale.at(
        from + 5.0 * s,
        RecordedEvent::Action {
            agent: opt.into(),
            words: "raises transmit power by 4 dB".into(),
            elements: (0..9)
                .map(|n| format!("cell:{}-{n:03}/1", &town[..1]))
                .collect(),
        },
    );
    tale.notify(
        from + 6.0 * s,
        [opt, oss],
        &c,
        ["processing", "Compensation is active."],
    );
    let verdict = if town == "Leipzig" {
        [
            "failed",
            "Neither end answers; this is not decidable from here.",
        ]
    } else {
        [
            "finished",
            "The fibre is cut 12.4 km from the first end; a splice is needed.",
        ]
    };
    tale.notify(from + found, [ip, oss], &d, verdict);
    tale.ask(
        from + found + s,
        [oss, field],
        [&format!("t-{town}-guide"), &d, "guidance_v1"],
        [
            "TaskAssign",
            "Guide the engineer to the cut and through the splice.",
        ],
    );
    tale.at(
        from + found + 0.4,
        RecordedEvent::Field {
            words: "I stand at the duct, which of the three cables is it?".into(),
            element: format!("duct:{town}-7"),
        },
    );
    tale.notify(
        from + mended,
        [field, oss],
        &format!("t-{town}-guide"),
        ["finished", "Spliced and measured."],
    );
    tale.notify(
        from + mended + 2.0 * s,
        [opt, oss],
        &c,
        [
            "cancelled",
            "Compensation taken back; all cells at normal power.",
        ],
    );
    tale.notify(
        from + mended + 2.1 * s,
        [energy, opt],
        &e,
        ["finished", "Saving resumed."],
    );
    tale.at(
        from + mended + 0.2,
        RecordedEvent::Note {
            agent: oss.into(),
            words: format!("{town}: service verified, case closed."),
        },
    );
    tale.at(
        from + 0.3,
        RecordedEvent::Complaint {
            words: "No network at all since this morning & nobody <answers>.".into(),
        },
    );
}

/// Adds a complaint that one province hands over to the other.
pub(crate) fn complaint(tale: &mut Tale) {
    let words = "我的车昨天下午三点从汉堡开往慕尼黑，在高速公路上导航一直断线。";
    tale.at(
        12.0,
        RecordedEvent::Ticket {
            words: format!("T-100 (zh): {words}"),
        },
    );
    let (bss, north, south) = ("bss-tickets", "complaint-north", "complaint-south");
    tale.ask(
        12.01,
        [bss, north],
        ["T-100", "", "complaint_ticket_v1"],
        ["TaskAssign", words],
    );
    tale.reply(
        12.02,
        [north, bss],
        "T-100",
        ["input-required", "车牌的最后四位是什么？"],
    );
    tale.ask(
        12.2,
        [bss, north],
        ["T-100", "", "complaint_ticket_v1"],
        ["TaskAnswer", "VIN WVWZZZ1JZ3W386752"],
    );
    tale.ask(
        12.21,
        [north, south],
        ["T-100-b", "T-100", "complaint_ticket_v1"],
        [
            "TaskAssign",
            "The vehicle left for the South at 15:04; check its way there.",
        ],
    );
    tale.notify(
        12.3,
        [south, north],
        "T-100-b",
        [
            "finished",
            "Cell M-047/2 was overloaded between 15:20 and 15:50.",
        ],
    );
    tale.notify(
        12.31,
        [north, bss],
        "T-100",
        [
            "finished",
            "Localised in the other province: an overloaded cell.",
        ],
    );
}

/// Adds the network's quarter-hourly readings: sites out, share served, energy in kWh.
pub(crate) fn readings(tale: &mut Tale, hat: &mut Hat, network: &NetworkMap) {
    let mut kwh = 0.0;
    for quarter in 0..=96 {
        let hours = f64::from(quarter) / 4.0;
        let day = 1.0 - (hours / 24.0 * std::f64::consts::TAU).cos();
        kwh += (26.0 + 8.0 * day + hat.bell() * 0.4) / 4.0;
        let at = tale.began.plus_s(hours * 3_600.0);
        let out: Vec<String> = network
            .sites
            .iter()
            .map(|s| &s.id)
            .filter(|id| is_out(tale, id, at))
            .cloned()
            .collect();
        let share = 1.0 - out.len() as f64 / network.sites.len() as f64 * 0.8;
        tale.at(
            hours,
            RecordedEvent::Network {
                sites_out: out.len() as u64,
                out,
                served_share: Some((share * 1e4).round() / 1e4),
                energy_kwh_so_far: Some((kwh * 1e3).round() / 1e3),
            },
        );
    }
}

fn is_out(tale: &Tale, site: &str, at: Timestamp) -> bool {
    let last = tale
        .moments
        .iter()
        .filter(|m| m.at <= at)
        .filter_map(|m| match &m.what {
            RecordedEvent::Alarm {
                resource,
                alarm_type,
                cleared,
                ..
            } if resource == site && alarm_type == "site-unreachable" => Some((m.at, *cleared)),
            _ => None,
        });
    last.max().is_some_and(|(_, cleared)| !cleared)
}
