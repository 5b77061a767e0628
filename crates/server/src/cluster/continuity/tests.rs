//! Leaders that are lost at any byte: each request is answered once and in order, what must not happen twice
//! does not, each event is told once, and nobody has half a message.
//!
//! The leaders are a model of their own: requests of four bytes, replies and events of one line, a log that all
//! of them share. What a leader says goes through the records of the channel and is cut at any byte.

use super::*;
use crate::cluster::record::Records;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// What outlives a leader.
#[derive(Debug, Default)]
struct World {
    /// How many events there are.
    events: u64,
    /// How often each request that must not happen twice did.
    written: Vec<u16>,
    /// Where each that is known again stands among the client's bytes, and its number.
    negotiated: Vec<(u64, u16)>,
}

/// What a session goes on as: the last event that it was told, if it is subscribed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Saved {
    cursor: Option<u64>,
}

/// A leader of the model.
#[derive(Debug, Default)]
struct Model {
    input: Vec<u8>,
    before: u64,
    doubtful: usize,
    /// Where the next request begins.
    read: usize,
    /// Requests that are carried out and not answered: where each begins, and its reply.
    pending: VecDeque<(usize, String)>,
    cursor: Option<u64>,
    /// What it has said and nobody has heard.
    said: VecDeque<u8>,
}

impl Model {
    fn begin(beginning: &Beginning<Saved>) -> Self {
        Self {
            before: beginning.answered,
            doubtful: beginning.doubtful as usize,
            cursor: beginning.saved.clone().unwrap_or_default().cursor,
            ..Self::default()
        }
    }

    /// Carries out what has arrived.
    fn carry_out(&mut self, world: &mut World) {
        while let Some(request) = self.input.get(self.read..self.read + 4) {
            let id = u16::from_be_bytes([request[1], request[2]]);
            let doubtful = self.read + 4 <= self.doubtful;
            let word = match request[0] {
                b'w' if doubtful => "unknown",
                b'w' => {
                    world.written.push(id);
                    "written"
                }
                b'n' => {
                    let place = self.before + self.read as u64;
                    if !world.negotiated.iter().any(|(known, _)| *known == place) {
                        world.negotiated.push((place, id));
                        world.events += 1;
                    }
                    "negotiated"
                }
                b's' => {
                    self.cursor.get_or_insert(world.events);
                    "subscribed"
                }
                _ => "read",
            };
            self.pending
                .push_back((self.read, format!("{word} {id}\n")));
            self.read += 4;
        }
    }

    /// Answers so many requests, tells what there is to tell, and says how far it is.
    fn step(&mut self, world: &World, answers: usize) {
        let mut output = String::new();
        for (_, reply) in self.pending.drain(..answers.min(self.pending.len())) {
            output.push_str(&reply);
        }
        if let Some(cursor) = &mut self.cursor {
            while *cursor < world.events {
                *cursor += 1;
                output.push_str(&format!("event {cursor}\n"));
            }
        }
        let answered = self.pending.front().map_or(self.read, |(from, _)| *from) as u64;
        let mut bytes = Vec::new();
        for piece in output.as_bytes().chunks(7) {
            ToClient::<Saved>::Data(piece.to_vec()).write(&mut bytes);
        }
        let saved = Some(Saved {
            cursor: self.cursor,
        });
        ToClient::Quiet(Quiet { answered, saved }).write(&mut bytes);
        self.said.extend(bytes);
    }
}

/// What happens next.
#[derive(Clone, Debug)]
enum Happening {
    /// The client sends so many bytes of what it has to send.
    Sends(usize),
    /// So many bytes of the client go to the leader.
    Up(usize),
    CarriesOut,
    Steps(usize),
    /// So many bytes of the leader come to the node.
    Down(usize),
    /// Somebody else makes an event.
    Event,
    /// The leader is lost, and what it said with it.
    Lost,
    /// The leader lets the session go, once all that it has carried out is answered.
    Left,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    use Happening::*;
    let one = prop_oneof![
        4 => (1_usize..15).prop_map(Sends),
        6 => (1_usize..15).prop_map(Up),
        4 => Just(CarriesOut),
        4 => (0_usize..4).prop_map(Steps),
        8 => (1_usize..90).prop_map(Down),
        1 => Just(Event),
        2 => Just(Lost),
        1 => Just(Left),
    ];
    vec(one, 0..200)
}

fn requests() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(b'r'), Just(b'w'), Just(b'n')], 0..30)
}

/// The node, its leader, and what the client has got.
struct Stage {
    node: Continuity<Saved>,
    records: Records,
    leader: Model,
    world: World,
    unsent: VecDeque<u8>,
    got: Vec<u8>,
    losses: usize,
}

impl Stage {
    fn new(kinds: &[u8], gathered_max: usize) -> Self {
        let numbered = (0_u16..).zip([b's'].iter().chain(kinds));
        let bytes = numbered.flat_map(|(id, kind)| {
            let [a, b] = id.to_be_bytes();
            [*kind, a, b, b';']
        });
        let mut node = Continuity::with(gathered_max, 40);
        let leader = Model::begin(&node.begin().unwrap());
        Self {
            node,
            records: Records::default(),
            leader,
            world: World::default(),
            unsent: bytes.collect(),
            got: Vec::new(),
            losses: 0,
        }
    }

    /// False if the session ends with its leader.
    fn happens(&mut self, what: &Happening) -> bool {
        match *what {
            Happening::Sends(most) => {
                if self.node.reads_on() {
                    let most = most.min(self.unsent.len());
                    let bytes: Vec<u8> = self.unsent.drain(..most).collect();
                    self.node.receive(&bytes);
                }
            }
            Happening::Up(most) => {
                let bytes = self.node.transmit(most).unwrap_or_default();
                self.leader.input.extend(bytes);
            }
            Happening::CarriesOut => self.leader.carry_out(&mut self.world),
            Happening::Steps(answers) => self.leader.step(&self.world, answers),
            Happening::Down(most) => {
                let most = most.min(self.leader.said.len());
                let bytes: Vec<u8> = self.leader.said.drain(..most).collect();
                self.records.push(&bytes);
                while let Some(record) = self.records.next_to_client().unwrap() {
                    self.got.extend(self.node.hear(record).unwrap());
                }
            }
            Happening::Event => self.world.events += 1,
            Happening::Left => {
                self.leader.step(&self.world, usize::MAX);
                let mut bytes = Vec::new();
                ToClient::<Saved>::Left.write(&mut bytes);
                self.leader.said.extend(bytes);
                self.happens(&Happening::Down(usize::MAX));
                let beginning = self.node.begin().unwrap();
                self.leader = Model::begin(&beginning);
            }
            Happening::Lost => {
                self.losses += 1;
                self.records = Records::default();
                match self.node.begin() {
                    Ok(beginning) => self.leader = Model::begin(&beginning),
                    Err(_) => return false,
                }
            }
        }
        true
    }

    /// Everything that is under way arrives.
    fn settle(&mut self) {
        while !self.unsent.is_empty() || !self.node.kept.is_empty() || !self.leader.said.is_empty()
        {
            for what in [
                Happening::Sends(1_000),
                Happening::Up(1_000),
                Happening::CarriesOut,
                Happening::Steps(1_000),
                Happening::Down(100_000),
            ] {
                self.happens(&what);
            }
        }
        self.leader.step(&self.world, 0);
        self.happens(&Happening::Down(100_000));
    }

    /// What the client has got, each line with its number.
    fn lines(&self) -> Vec<(String, u64)> {
        let text = String::from_utf8(self.got.clone()).unwrap();
        assert!(
            text.is_empty() || text.ends_with('\n'),
            "half a message: {text:?}"
        );
        let line = |line: &str| {
            let (word, number) = line.split_once(' ').unwrap();
            (word.to_owned(), number.parse().unwrap())
        };
        text.lines().map(line).collect()
    }
}

proptest! {
    #[test]
    fn leaders_come_and_go_and_the_client_notices_nothing(
        kinds in requests(),
        happenings in happenings(),
    ) {
        let mut stage = Stage::new(&kinds, 100_000);
        for what in &happenings {
            prop_assert!(stage.happens(what));
            // At any moment the client has whole messages.
            stage.lines();
        }
        stage.settle();
        let lines = stage.lines();
        let (events, replies): (Vec<_>, Vec<_>) =
            lines.iter().partition(|(word, _)| word == "event");
        let ids: Vec<u64> = replies.iter().map(|(_, id)| *id).collect();
        prop_assert_eq!(ids, (0..=kinds.len() as u64).collect::<Vec<_>>());
        // From the first event that was told on, all of them.
        let told: Vec<u64> = events.iter().map(|(_, number)| *number).collect();
        if let Some(first) = told.first() {
            prop_assert_eq!(&told, &(*first..=stage.world.events).collect::<Vec<_>>());
        }
        for (word, id) in replies {
            let id = *id as u16;
            let said = stage.world.negotiated.iter().filter(|(_, it)| *it == id).count();
            prop_assert_eq!(said, usize::from(word == "negotiated"));
            let times = stage.world.written.iter().filter(|it| **it == id).count();
            match word.as_str() {
                "written" => prop_assert_eq!(times, 1),
                "unknown" => prop_assert!(times <= 1 && stage.losses > 0),
                _ => prop_assert_eq!(times, 0),
            }
        }
    }

    /// Where output is too long to be gathered, a session ends with its leader rather than say something
    /// twice.
    #[test]
    fn who_has_got_a_part_gets_no_other_beginning(
        kinds in requests(),
        happenings in happenings(),
        gathered_max in 0_usize..40,
    ) {
        let mut stage = Stage::new(&kinds, gathered_max);
        let goes_on = happenings.iter().all(|what| stage.happens(what));
        if goes_on {
            stage.settle();
            let lines = stage.lines();
            let replies = lines.iter().filter(|(word, _)| word != "event");
            let ids: Vec<u64> = replies.map(|(_, id)| *id).collect();
            prop_assert_eq!(ids, (0..=kinds.len() as u64).collect::<Vec<_>>());
        } else {
            prop_assert_eq!(stage.node.begin(), Err(Torn::Output));
        }
    }
}

fn quiet(answered: u64, saved: Option<Saved>) -> ToClient<Saved> {
    ToClient::Quiet(Quiet { answered, saved })
}

#[test]
fn what_a_leader_was_sent_is_in_doubt_until_it_is_answered() {
    let mut node = Continuity::<Saved>::new();
    node.receive(b"hello, world");
    assert_eq!(node.begin().unwrap().doubtful, 0);
    assert_eq!(node.transmit(5).unwrap(), b"hello");
    assert_eq!(node.hear(ToClient::Data(b"hi".to_vec())).unwrap(), b"");
    assert_eq!(node.hear(quiet(3, Some(Saved::default()))).unwrap(), b"hi");
    let beginning = node.begin().unwrap();
    assert_eq!(
        (beginning.doubtful, beginning.saved),
        (2, Some(Saved::default()))
    );
    assert_eq!(node.transmit(1).unwrap(), b"l");
    assert_eq!(node.begin().unwrap().doubtful, 2);
    assert_eq!(node.transmit(100).unwrap(), b"lo, world");
    assert!(node.is_sent() && node.transmit(100).is_none());
}

#[test]
fn who_lets_a_session_go_has_begun_nothing_of_what_is_left() {
    let mut node = Continuity::<Saved>::new();
    node.receive(b"abcdef");
    node.begin().unwrap();
    node.transmit(2).unwrap();
    // The first is lost, the second lets it go.
    assert_eq!(node.begin().unwrap().doubtful, 2);
    node.transmit(6).unwrap();
    node.hear(quiet(1, Some(Saved::default()))).unwrap();
    node.hear(ToClient::Left).unwrap();
    assert_eq!(node.begin().unwrap().doubtful, 1);
    assert_eq!(node.transmit(6).unwrap(), b"bcdef");
}

#[test]
fn a_leader_that_says_what_cannot_be_is_not_believed() {
    let mut node = Continuity::<Saved>::new();
    node.receive(b"abc");
    node.begin().unwrap();
    node.transmit(2).unwrap();
    assert!(node.hear(quiet(3, None)).is_err());
    node.hear(quiet(2, None)).unwrap();
    assert!(node.hear(quiet(1, None)).is_err());
    assert_eq!(node.begin(), Err(Torn::Unsaved));
    assert_eq!(node.hear(ToClient::Close).unwrap(), b"");
    assert!(node.is_closed());
    assert_eq!(node.hear(ToClient::Close), Err(Untrue::AfterClose));
}

#[test]
fn whose_session_it_was_stays_known_when_it_cannot_go_on() {
    let saved = Saved { cursor: Some(7) };
    let mut node = Continuity::<Saved>::new();
    node.begin().unwrap();
    assert_eq!(node.known(), None);
    node.hear(quiet(0, Some(saved.clone()))).unwrap();
    // Such as one that closes, whose client has yet to take what was said.
    node.hear(quiet(0, None)).unwrap();
    assert_eq!(node.known(), Some(&saved));
    assert_eq!(node.begin(), Err(Torn::Unsaved));
}
