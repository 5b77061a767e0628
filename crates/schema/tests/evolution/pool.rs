//! The differential semantic pool (§6.2.1).

use super::bag::Bag;
use super::{DAY, HOUR, at};
use schema::evolution::{
    ClusterId, EvolutionSettings, FragmentSource, Insert, Inserted, KnownClients, Pool, PoolError,
    Similarity,
};
use schema::semantics::Embedder;
use schema::time::Timestamp;

/// Vectors in a plane, by their cosine with "0".
struct Plane;

impl Embedder for Plane {
    fn id(&self) -> &str {
        "plane"
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn threshold(&self) -> f32 {
        0.85
    }
    fn embed(&self, text: &str) -> Vec<f32> {
        let cosine: f32 = text.parse().unwrap();
        vec![cosine, (1.0 - cosine * cosine).sqrt()]
    }
    fn opposes(&self, _: &str, _: &str) -> bool {
        false
    }
}

struct Rig<'a> {
    pool: Pool,
    settings: EvolutionSettings,
    embedder: &'a dyn Embedder,
}

impl<'a> Rig<'a> {
    fn of(embedder: &'a dyn Embedder) -> Self {
        let pool = Pool::new(embedder, false).unwrap();
        Self {
            pool,
            settings: EvolutionSettings::default(),
            embedder,
        }
    }

    fn says(&mut self, client: Option<&str>, proven: bool, text: &str, now: Timestamp) -> Inserted {
        let vector = self.embedder.embed(text);
        let source = FragmentSource { client, proven };
        let insert = Insert {
            text,
            vector: &vector,
            source: &source,
            now,
        };
        self.pool
            .insert(&insert, &self.settings, self.embedder)
            .unwrap()
    }

    /// So many fragments of so many proven clients, one in each step of time; whether it is ripe.
    fn wants(&mut self, fragments: usize, clients: usize, step: i64) -> bool {
        let mut ripe = false;
        for i in 0..fragments {
            let client = format!("client {}", i % clients);
            ripe = self
                .says(Some(&client), true, "window seat", at(i as i64 * step))
                .ripe;
        }
        ripe
    }
}

/// D68, D109: cosine 0.849 founds a cluster, 0.85 joins.
#[test]
fn nearness_is_at_least_the_threshold() {
    let joins = |cosine: &str| {
        let mut rig = Rig::of(&Plane);
        rig.settings.cluster.similarity = Similarity::DraftLiteral;
        rig.says(Some("a"), true, "1", at(0));
        !rig.says(Some("a"), true, cosine, at(0)).created
    };
    assert!(!joins("0.849"));
    assert!(joins("0.85"));
}

/// Q31: the nearest; of equals the older; the centroid is the running mean.
#[test]
fn the_nearest_cluster_is_joined() {
    let mut rig = Rig::of(&Plane);
    for cosine in ["1", "0", "1", "0.9"] {
        rig.says(Some("a"), true, cosine, at(0));
    }
    let mean = rig.pool.centroid(ClusterId(0)).unwrap()[0];
    let expected = [1.0f32, 1.0, 0.9].iter().sum::<f32>() / 3.0;
    let length = (expected.powi(2) + (0.19f32.sqrt() / 3.0).powi(2)).sqrt();
    assert!((mean - expected / length).abs() < 1e-5, "{mean}");

    let mut rig = Rig::of(&Plane);
    rig.settings.cluster.similarity = Similarity::Fixed(0.70);
    rig.says(Some("a"), true, "0", at(0));
    rig.says(Some("a"), true, "1", at(0));
    let between = rig.says(Some("a"), true, "0.70710678", at(0));
    assert_eq!((between.cluster, between.created), (ClusterId(0), false));
}

/// D73, D109: 50.0 does not exceed 50; 50.1 does. D75: nor does either gate fire alone.
#[test]
fn heat_exceeds_its_threshold() {
    let ripe = |increment: f64| {
        let mut rig = Rig::of(&Bag);
        rig.settings.heat.increment = increment;
        rig.wants(5, 5, 0)
    };
    assert!(!ripe(10.0), "50.0");
    assert!(ripe(10.02), "50.1");
    // The second gate alone: ten occurrences of many, a day apart at 10 each, cool in between.
    assert!(!Rig::of(&Bag).wants(10, 10, 12 * HOUR));
    // The first alone: four clients, hot.
    let mut rig = Rig::of(&Bag);
    rig.settings.heat.increment = 100.0;
    assert!(!rig.wants(4, 4, 0));
}

/// D65 to D67, Q32: a fragment is kept by its vector, of which every number may count: a dense
/// embedder brings together what shares no letter, and the pool says whose vectors it holds.
#[test]
fn fragments_are_compared_by_their_vectors() {
    let mut rig = Rig::of(&Dense);
    let said = [
        "window seat",
        "place by the glass",
        "vegan meal",
        "food without meat",
    ];
    let joined = said.map(|text| rig.says(Some("a"), true, text, at(0)).cluster.0);
    assert_eq!(joined, [0, 0, 1, 1]);
    assert_eq!(rig.pool.embedder(), "dense");
    let kept = rig.pool.cluster(ClusterId(0)).unwrap();
    assert_eq!(kept.texts(), ["place by the glass", "window seat"]);
    let centroid = rig.pool.centroid(ClusterId(0)).unwrap();
    assert!(centroid.iter().all(|x| *x != 0.0) && centroid.len() == 8);
}

/// Knows two meanings, whatever the words: vectors without a zero.
struct Dense;

impl Embedder for Dense {
    fn id(&self) -> &str {
        "dense"
    }
    fn dimensions(&self) -> usize {
        8
    }
    fn threshold(&self) -> f32 {
        0.8
    }
    fn embed(&self, text: &str) -> Vec<f32> {
        let seat = text.contains("seat") || text.contains("glass");
        let sign = if seat { 1.0 } else { -1.0 };
        (0..8)
            .map(|i| sign * 0.35 + 0.02 * ((i * text.len()) % 5) as f32 - 0.041)
            .collect()
    }
    fn opposes(&self, _: &str, _: &str) -> bool {
        false
    }
}

/// D70, Q28: each fragment adds the same, whoever says it, however near it lies and whenever it
/// comes.
#[test]
fn each_fragment_adds_the_same() {
    let mut rig = Rig::of(&Bag);
    rig.settings.heat.increment = 7.0;
    let mut heats = Vec::new();
    for (client, text) in [
        (Some("anna"), "window seat"),
        (Some("bert"), "a window seat please"),
        (Some("anna"), "window seat"),
        (None, "window seat"),
    ] {
        let cluster = rig.says(client, client.is_some(), text, at(DAY)).cluster;
        heats.push(rig.pool.cluster(cluster).unwrap().heat.at(at(DAY), DAY));
    }
    assert_eq!(heats, [7.0, 14.0, 21.0, 28.0]);
    rig.says(Some("carl"), true, "window seat", at(2 * DAY));
    let later = rig
        .pool
        .cluster(ClusterId(0))
        .unwrap()
        .heat
        .at(at(2 * DAY), DAY);
    assert_eq!(later, 14.0 + 7.0);
}

/// D71, D72: half after 24 hours, without anyone looking.
#[test]
fn heat_halves_in_a_day() {
    let mut rig = Rig::of(&Bag);
    rig.wants(4, 4, 0);
    let heat = |ms| rig.pool.cluster(ClusterId(0)).unwrap().heat.at(at(ms), DAY);
    assert_eq!([heat(0), heat(DAY), heat(2 * DAY)], [40.0, 20.0, 10.0]);
}

/// D74, D109: 4 or 5 clients, 9 or 10 occurrences.
#[test]
fn clients_or_occurrences_are_enough() {
    let ripe = |fragments, clients| {
        let mut rig = Rig::of(&Bag);
        rig.settings.heat.increment = 100.0;
        rig.wants(fragments, clients, 0)
    };
    assert!(!ripe(4, 4) && ripe(5, 5));
    assert!(!ripe(9, 4) && ripe(10, 4));
}

/// D74, Q29, D109: what is exactly 7 days old is outside, of both counts.
#[test]
fn the_window_is_seven_days() {
    let ripe = |last: i64, fragments: usize, clients: usize| {
        let mut rig = Rig::of(&Bag);
        rig.settings.heat.increment = 1e6;
        rig.wants(fragments - 1, clients, 0);
        rig.says(Some("last"), true, "window seat", at(last)).ripe
    };
    assert!(ripe(7 * DAY - 1, 5, 4) && !ripe(7 * DAY, 5, 4));
    assert!(ripe(7 * DAY - 1, 10, 3) && !ripe(7 * DAY, 10, 3));
}

/// Q30: names without a history are one, of one client little counts in a day, and one client alone
/// opens nothing for all.
#[test]
fn the_sybil_gate_counts_histories() {
    let mut rig = Rig::of(&Bag);
    rig.settings.heat.increment = 1e6;
    for i in 0..500 {
        let name = format!("name {i}");
        assert!(!rig.says(Some(&name), false, "window seat", at(i)).ripe);
        assert!(
            !rig.says(None, true, "window seat", at(i)).ripe,
            "not authenticated, never proven"
        );
    }
    let counted = rig.pool.cluster(ClusterId(0)).unwrap().members.len();
    assert_eq!(counted, 3);
    // Many days of one hand are still one hand, though a proven one.
    let mut rig = Rig::of(&Bag);
    rig.settings.heat.increment = 1e6;
    for i in 0..60 {
        assert!(
            !rig.says(Some("one"), true, "window seat", at(i * HOUR * 2))
                .ripe
        );
    }
    // With the gate off, the text of the draft.
    let mut rig = Rig::of(&Bag);
    rig.settings = EvolutionSettings::draft_literal();
    rig.settings.cluster.similarity = Similarity::OfEmbedder;
    assert!((0..10).any(|i| {
        rig.says(Some(&format!("name {i}")), false, "window seat", at(i))
            .ripe
    }));
}

/// Q30: proven is who is authenticated, known for a day, and had a payload accepted.
#[test]
fn a_history_proves_a_client() {
    let mut known = KnownClients::default();
    let sybil = EvolutionSettings::default().gates.sybil;
    known.met("anna", true, at(0));
    known.met("bert", false, at(0));
    let proven = |client: Option<&str>, ms: i64| known.source(client, &sybil, at(ms)).proven;
    assert!(!proven(Some("anna"), DAY - 1) && proven(Some("anna"), DAY));
    assert!(!proven(Some("bert"), DAY) && !proven(Some("unknown"), DAY) && !proven(None, DAY));
    let kept: KnownClients = serde_json::from_value(serde_json::to_value(&known).unwrap()).unwrap();
    assert_eq!(kept, known);
    assert!(known.erase("anna") && !known.erase("anna"));
}

/// Opposites lie close and stay apart.
#[test]
fn opposites_found_clusters_of_their_own() {
    let mut rig = Rig::of(&Bag);
    rig.says(Some("a"), true, "reduce cabin power tonight", at(0));
    let other = rig.says(Some("b"), true, "increase cabin power tonight", at(0));
    assert!(other.created);
    let same = rig.says(Some("c"), true, "please reduce cabin power tonight", at(0));
    assert_eq!(same.cluster, ClusterId(0));
    rig.pool
        .relink(ClusterId(0), &rig.settings.clone(), &Bag, at(0))
        .unwrap();
    assert_eq!(rig.pool.clusters().len(), 2);
}

/// Q32: vectors of two embedders never meet; what says nothing is refused; nothing changes then.
#[test]
fn embedders_are_not_mixed() {
    let mut rig = Rig::of(&Bag);
    let source = FragmentSource {
        client: None,
        proven: false,
    };
    let mut insert = |vector: &[f32], embedder: &dyn Embedder| {
        let insert = Insert {
            text: "1",
            vector,
            source: &source,
            now: at(0),
        };
        rig.pool
            .insert(&insert, &rig.settings, embedder)
            .unwrap_err()
    };
    assert!(matches!(
        insert(&[1.0, 0.0], &Plane),
        PoolError::Embedder { .. }
    ));
    assert!(matches!(
        insert(&[1.0, 0.0], &Bag),
        PoolError::Dimensions {
            expected: 96,
            found: 2
        }
    ));
    assert_eq!(insert(&[0.0; 96], &Bag), PoolError::Meaningless);
    assert_eq!(insert(&[f32::NAN; 96], &Bag), PoolError::Meaningless);
    assert_eq!(rig.pool.clusters().len(), 0);
}

/// Q31, Q30: the bound holds; the coldest goes, and first of all what nobody proven wants.
#[test]
fn the_coldest_cluster_goes() {
    let mut rig = Rig::of(&Bag);
    rig.settings.cluster.clusters_max = 3;
    rig.says(Some("a"), true, "cold but proven", at(0));
    rig.says(Some("a"), true, "warm thing", at(HOUR));
    for i in 0..3 {
        rig.says(Some("z"), false, "hot nonsense", at(2 * HOUR + i));
    }
    let evicted = rig.says(Some("b"), true, "new wish", at(3 * HOUR)).evicted;
    assert_eq!(evicted, Some(ClusterId(2)));
    let evicted = rig
        .says(Some("b"), true, "another matter", at(3 * HOUR))
        .evicted;
    assert_eq!(evicted, Some(ClusterId(0)));
    assert_eq!(rig.pool.clusters().len(), 3);
}

/// Q55: after the retention nothing is left; a client that asks is forgotten, its share of the
/// centroid too; the rest stays.
#[test]
fn fragments_are_forgotten() {
    let mut rig = Rig::of(&Bag);
    rig.says(Some("anna"), true, "window seat", at(0));
    rig.says(Some("bert"), true, "aisle seat", at(DAY));
    rig.says(Some("anna"), true, "vegan meal", at(DAY));
    let changes = rig.pool.erase("anna", &Bag).unwrap();
    assert_eq!(
        (changes.changed, changes.removed),
        (vec![ClusterId(0)], vec![ClusterId(1)])
    );
    let centroid = rig.pool.centroid(ClusterId(0)).unwrap();
    let alone = Bag.embed("aisle seat");
    assert!(
        centroid
            .iter()
            .zip(&alone)
            .all(|(a, b)| (a - b).abs() < 1e-6)
    );
    assert!(!serde_json::to_string(&rig.pool).unwrap().contains("anna"));
    let kept = rig.pool.forget_old(&rig.settings, at(31 * DAY - 1));
    assert_eq!(kept.removed, []);
    let gone = rig.pool.forget_old(&rig.settings, at(31 * DAY));
    assert_eq!(gone.removed, [ClusterId(0)]);
}

/// Before a cluster fires its neighbourhood is linked afresh: what the order of arrival tore apart
/// comes together, with its heat, and the gates are looked at again.
#[test]
fn relinking_mends_the_order_of_arrival() {
    let mut rig = Rig::of(&Plane);
    // 0.6 and 1.0 are too far apart; what comes between joins one of them and draws the centroid.
    for (i, cosine) in ["1", "0.6", "0.92", "0.86", "0.87", "0.85"]
        .iter()
        .enumerate()
    {
        rig.says(Some(&format!("c{i}")), true, cosine, at(0));
    }
    assert_eq!(rig.pool.clusters().len(), 2);
    let heat = |pool: &Pool| pool.clusters().map(|c| c.heat.at(at(0), DAY)).sum::<f64>();
    let before = heat(&rig.pool);
    rig.settings.cluster.similarity = Similarity::Fixed(0.8);
    let changes = rig
        .pool
        .relink(ClusterId(0), &rig.settings, &Plane, at(0))
        .unwrap();
    assert_eq!(changes.removed, [ClusterId(1)]);
    assert_eq!(rig.pool.cluster(ClusterId(0)).unwrap().members.len(), 6);
    assert!((heat(&rig.pool) - before).abs() < 1e-9);
}

/// D64: a pool that is kept and read again goes on as it was, whole or by rows.
#[test]
fn a_pool_is_kept() {
    let mut rig = Rig::of(&Bag);
    for i in 0..40 {
        rig.says(
            Some("a"),
            true,
            &format!("wish number{i} thing{}", i % 7),
            at(i),
        );
    }
    let whole = serde_json::to_string(&rig.pool).unwrap();
    let mut read: Pool = serde_json::from_str(&whole).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), whole);
    let mut document = rig.pool.head();
    document.clusters = rig
        .pool
        .clusters()
        .map(|c| rig.pool.row(c.id).unwrap())
        .collect();
    assert_eq!(
        serde_json::to_string(&Pool::try_from(document).unwrap()).unwrap(),
        whole
    );
    let source = FragmentSource {
        client: Some("b"),
        proven: true,
    };
    let vector = Bag.embed("wish number3");
    let insert = Insert {
        text: "wish number3",
        vector: &vector,
        source: &source,
        now: at(50),
    };
    let one = rig.pool.insert(&insert, &rig.settings, &Bag).unwrap();
    assert_eq!(read.insert(&insert, &rig.settings, &Bag).unwrap(), one);
    assert!(
        serde_json::from_str::<Pool>(&whole.replace("\"dimensions\":96", "\"dimensions\":95"))
            .is_err()
    );
}
