//! What a seed does: a list of steps, each small enough to be left out of a history.
//!
//! A step names what it is about by a number that the trial resolves among what is there when it
//! is taken, so that a history stays one when others are dropped. Read next: [`crate::trial`].

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A publisher assigns a task.
    Assign {
        from: u8,
        to: u8,
        task: u8,
        word: u8,
        terms: u16,
    },
    /// A publisher offers something in a feasibility negotiation.
    Offer {
        from: u8,
        to: u8,
        task: u8,
        word: u8,
        alternatives: u8,
        numbered: bool,
    },
    /// A publisher accepts or refuses what stands in a feasibility negotiation.
    Settle { pick: u8, word: u8 },
    /// An executor outside has its say in a feasibility negotiation.
    Counter { pick: u8, word: u8 },
    /// A publisher says something of a task under way.
    Say { pick: u8, word: u8, numbered: bool },
    /// An executor outside says something of how it carries out its task.
    Speak { pick: u8, word: u8, numbered: bool },
    /// An executor outside reports.
    Report { pick: u8, word: u8 },
    /// A publisher cancels.
    Cancel { pick: u8 },
    /// A publisher wants reports elsewhere.
    Subscribe { pick: u8 },
    /// Somebody asks how a task is, or what an agent can do.
    Ask { who: u8, pick: u8 },
    /// Somebody who is no party, or the wrong one, tries to have a say.
    Meddle { who: u8, pick: u8, word: u8 },
    /// A request is sent again, its reply having been lost.
    Again { pick: u8 },
    /// An agent outside takes its place, renews it, or leaves.
    Place { agent: u8, word: u8 },
    /// A team is formed.
    Team { from: u8, task: u8, places: u8 },
    /// Time passes, in milliseconds.
    Pass(u32),
    /// Everything queued reaches the disk, and the laws are asked.
    Tick,
    /// What is old is removed.
    Trim,
    /// The platform stops in order and starts again; meanwhile the wall was put back by so many
    /// milliseconds.
    Reopen(u32),
    /// The platform dies with everything that is queued, and starts again.
    Kill,
}

/// Chance without a state of its own: the number that these numbers give.
pub fn pick(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9E37_79B9_7F4A_7C15, |state, part| {
        let mut z = (state ^ part).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// The same of a text.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// The steps of a seed.
pub fn steps(seed: u64) -> Vec<Step> {
    let mut draws = 0;
    let mut draw = |below: u64| {
        draws += 1;
        pick(&[seed, draws]) % below
    };
    let count = 8 + draw(36);
    let mut steps = Vec::new();
    for _ in 0..count {
        let byte = draw(256) as u8;
        let word = draw(256) as u8;
        let who = draw(256) as u8;
        let to = draw(256) as u8;
        let task = draw(7) as u8;
        let numbered = draw(2) == 0;
        steps.push(match draw(100) {
            0..20 => Step::Assign {
                from: who,
                to,
                task,
                word,
                terms: draw(1 << 16) as u16,
            },
            20..29 => Step::Offer {
                from: who,
                to,
                task,
                word,
                alternatives: 1 + (byte % 3),
                numbered,
            },
            29..34 => Step::Settle { pick: byte, word },
            34..39 => Step::Counter { pick: byte, word },
            39..50 => Step::Say {
                pick: byte,
                word,
                numbered,
            },
            50..55 => Step::Speak {
                pick: byte,
                word,
                numbered,
            },
            55..64 => Step::Report { pick: byte, word },
            64..67 => Step::Cancel { pick: byte },
            67 => Step::Subscribe { pick: byte },
            68..70 => Step::Ask { who, pick: byte },
            70..72 => Step::Meddle {
                who,
                pick: byte,
                word,
            },
            72..82 => Step::Again { pick: byte },
            82..85 => Step::Place { agent: who, word },
            85 => Step::Team {
                from: who,
                task,
                places: 1 + (byte % 3),
            },
            86..94 => Step::Pass(match draw(3) {
                0 => draw(50) as u32,
                1 => draw(3_000) as u32,
                _ => draw(40_000) as u32,
            }),
            94 | 95 => Step::Trim,
            96 => Step::Reopen((draw(3) / 2 * draw(7_200_000)) as u32),
            _ => Step::Kill,
        });
        if draw(100) < 55 {
            steps.push(Step::Tick);
        }
    }
    steps
}
