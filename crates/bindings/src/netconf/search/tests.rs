//! Searches select what libyang selects, and refuse what costs too much.
#![allow(clippy::unwrap_used)]

use super::*;
use ::netconf::filter::{Compiled, Selection};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::sync::LazyLock;
use yang::ModuleSet;

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
const ALARMS: &str = "urn:ietf:params:xml:ns:yang:ietf-alarms";
const EMS: &str = "urn:convoke:params:xml:ns:yang:convoke-ems";
const PREFIXES: [(&str, &str); 3] = [("a", AGENT), ("al", ALARMS), ("e", EMS)];

static ANNOUNCED: LazyLock<SessionSchema> =
    LazyLock::new(|| SessionSchema::of(Generation::load(&ModuleSet::convoke()).unwrap()));

/// Data as the platform writes them, in the order of the schema.
fn data() -> String {
    let skill = |name: &str, tags: &str| {
        let tags = tags
            .chars()
            .map(|t| format!("<skill-tags>{t}</skill-tags>"));
        let tags: String = tags.collect();
        format!("<skill><skill-name>{name}</skill-name>{tags}</skill>")
    };
    let skills = [skill("s1", "xy"), skill("s2", ""), skill("s3", "yz")].concat();
    let params = |id: u8| {
        let url = format!("<url>u{}</url>", id % 2);
        format!(
            "<data-params xmlns=\"{AGENT}\"><id>d{id}</id><dataType>text</dataType>{url}</data-params>"
        )
    };
    let params: String = (1..=4).map(params).collect();
    format!(
        "<agent xmlns=\"{AGENT}\"><name>a</name><skills>{skills}</skills><version>1.2</version></agent>\
         {params}<tasks xmlns=\"{AGENT}\"><task-id>t</task-id></tasks>"
    )
}

/// What is selected here; an error in words.
fn ours(text: &str) -> Result<String, String> {
    let expression = Expression::parse(text, &PREFIXES).map_err(|e| e.to_string())?;
    if !expression.is_node_set() {
        return Err("no node-set".to_owned());
    }
    let data = format!("<data>{}</data>", data()).into_bytes();
    let found = select(&expression, data, &ANNOUNCED, &|| false).map_err(|e| e.to_string())?;
    Ok(String::from_utf8(found).unwrap())
}

fn libyangs(text: &str) -> Result<String, String> {
    let found = ANNOUNCED.generation.select(&data(), text, &PREFIXES);
    found.map_err(|e| e.to_string())
}

/// Expressions whose predicates compare leaves: the text of a container has white space in libyang
/// where XPath 1.0 §5.2 has none.
fn expressions() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a:agent",
        "a:name",
        "a:skills",
        "a:skill",
        "a:skill-name",
        "a:skill-tags",
        "a:data-params",
        "a:id",
        "a:url",
        "a:tasks",
        "*",
        "a:*",
    ]);
    let axis = prop::sample::select(vec![
        "",
        "",
        "",
        "descendant::",
        "ancestor::",
        "parent::",
        "self::",
        "following-sibling::",
        "preceding-sibling::",
        "following::",
        "preceding::",
        "ancestor-or-self::",
        "descendant-or-self::",
    ]);
    // Behind `//` a step of another axis may begin at a text, which libyang does not know of, and
    // positions are those among all that the path selects in libyang.
    let step = (axis, name, any::<bool>()).prop_map(|(axis, name, deep)| match (axis, deep) {
        ("", true) => format!("//{name}"),
        _ => format!("/{axis}{name}"),
    });
    let path = prop::collection::vec(step, 1..4).prop_map(|steps| steps.concat());
    let relative = path
        .clone()
        .prop_map(|path| path.trim_start_matches('/').to_owned());
    let leaf = prop::sample::select(vec![
        "a:name",
        "a:skill-name",
        "a:skill-tags",
        "a:id",
        "a:url",
    ]);
    let value = prop::sample::select(vec![
        "'a'",
        "'s1'",
        "'y'",
        "'d2'",
        "'u1'",
        "//a:skill-tags",
        "//a:url",
    ]);
    let sign = prop::sample::select(vec!["=", "!="]);
    let simple = prop_oneof![
        (leaf.clone(), sign, value)
            .prop_map(|(leaf, sign, value)| format!("{leaf} {sign} {value}")),
        relative.clone(),
        path.clone(),
        (relative, 0..3_u8).prop_map(|(path, n)| format!("count({path}) > {n}")),
        (leaf.clone(), "[a-z]").prop_map(|(leaf, part)| format!("contains({leaf}, '{part}')")),
        leaf.prop_map(|leaf| format!("string-length({leaf}) = 2")),
        Just("local-name() = 'skill'".to_owned()),
    ];
    let predicate = simple.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|p| format!("not({p})")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("boolean({a}) and boolean({b})")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("boolean({a}) or boolean({b})")),
        ]
    });
    let filtered =
        (path.clone(), prop::option::of(predicate)).prop_map(|(path, predicate)| match predicate {
            Some(predicate) => format!("{path}[{predicate}]"),
            None => path,
        });
    (filtered, prop::option::of(path)).prop_map(|(left, right)| match right {
        Some(right) => format!("{left} | {right}"),
        None => left,
    })
}

/// Where libyang is not XPath 1.0: its `preceding` axis has ancestors and lacks others (§2.2), and
/// its `*` means the root (§2.3).
fn departs(text: &str) -> bool {
    text.contains("preceding::") || text.contains("ancestor-or-self::*")
}

#[test]
fn what_is_selected_is_what_libyang_selects() {
    let strategy = expressions();
    let mut runner = TestRunner::deterministic();
    let mut differences = Vec::new();
    for _ in 0..1_500 {
        let text = strategy.new_tree(&mut runner).unwrap().current();
        if departs(&text) {
            continue;
        }
        match (ours(&text), libyangs(&text)) {
            (Ok(ours), Ok(theirs)) if ours == theirs => {}
            (ours, theirs) => {
                differences.push(format!("{text}\n  ours   {ours:?}\n  libyang {theirs:?}"))
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

#[test]
fn functions_and_axes_select_what_libyang_selects() {
    for text in [
        "/",
        "//a:skill[last()]",
        "//a:skill[2]/a:skill-name",
        "(//a:skill)[position() < 3]",
        "//a:skill[a:skill-tags = 'y'][2]",
        "//a:data-params[a:url = 'u1'][last()]",
        "//a:data-params[starts-with(a:id, 'd')]/a:url",
        "//a:id[substring(., 2) > 2]",
        "//a:id[substring-after(., 'd') = '3']/..",
        "//a:id[translate(., 'd', 'x') = 'x1']",
        "//a:skill[count(a:skill-tags) = 2 and a:skill-name != 's1']",
        "//a:url[. = preceding::a:url]",
        "//a:data-params[a:id = current()/a:data-params[2]/a:id]",
        "//a:skill[sum(../../a:version) = 1.2]/a:skill-name",
        "//a:id[number(substring(., 2)) mod 2 = 0]",
        "//a:id[concat('x', ., 'y') = 'xd1y']",
        "//a:id[normalize-space(concat(' ', .)) = 'd1']",
        "//a:dataType[enum-value(.) >= 0]/../a:id",
        "//a:id[round(substring(., 2) div 2) = 2]",
        "//a:id[string-length() = 2][floor(1.5) = 1][ceiling(1.5) = 2]",
        "//a:tasks/preceding-sibling::*[1]",
        "//a:tasks/preceding-sibling::*[3]/a:id",
        "//a:skill/text()",
        "//*[self::a:id or self::a:url][. != 'u1']",
        "//a:id[true()] | //a:url[false()]",
        "//a:skill[not(a:skill-tags)]",
    ] {
        assert_eq!(ours(text), libyangs(text), "{text}");
    }
}

/// Libyang counts positions among all that a step selects, XPath 1.0 (§2.4) among what it selects
/// from each node.
#[test]
fn positions_count_from_each_node() {
    assert_eq!(
        ours("//a:skill-tags[1]"),
        ours("//a:skill-tags[. = 'x'] | //a:skill[3]/a:skill-tags[. = 'y']")
    );
    assert_eq!(
        ours("//a:skill-name/ancestor::*[2]/a:skill[1]"),
        ours("//a:skill[a:skill-name = 's1']")
    );
}

#[test]
fn identities_are_equal_by_module_and_name() {
    let alarms = format!(
        "<data><alarms xmlns=\"{ALARMS}\"><alarm-list><alarm><resource>c</resource>\
         <alarm-type-id xmlns:x=\"{EMS}\">x:cell-degraded</alarm-type-id></alarm></alarm-list></alarms></data>"
    );
    let selects = |text: &str| {
        let expression = Expression::parse(text, &PREFIXES).unwrap();
        let data = alarms.clone().into_bytes();
        !select(&expression, data, &ANNOUNCED, &|| false)
            .unwrap()
            .is_empty()
    };
    assert!(selects("//al:alarm[al:alarm-type-id = 'e:cell-degraded']"));
    assert!(!selects(
        "//al:alarm[al:alarm-type-id != 'e:cell-degraded']"
    ));
    assert!(selects(
        "//al:alarm[derived-from(al:alarm-type-id, 'al:alarm-type-id')]"
    ));
    assert!(selects(
        "//al:alarm[derived-from-or-self(al:alarm-type-id, 'e:cell-degraded')]"
    ));
    assert!(!selects(
        "//al:alarm[derived-from(al:alarm-type-id, 'e:cell-degraded')]"
    ));
}

#[test]
fn patterns_are_i_regexps_of_bounded_size() {
    assert_eq!(
        ours("//a:id[re-match(., 'd[12]')]"),
        ours("//a:id[. = 'd1' or . = 'd2']")
    );
    assert!(
        ours("//a:id[re-match(., 'd(')]")
            .unwrap_err()
            .contains("re-match()")
    );
    let huge = "//a:id[re-match(., '((([a-z]{90}){90}){90}){90}')]";
    assert!(ours(huge).unwrap_err().contains("re-match()"));
}

#[test]
fn a_path_and_a_search_for_it_select_the_same() {
    for path in [
        "/a:agent/a:skills",
        "/a:data-params[a:id='d2']/a:url",
        "/a:agent | /a:tasks/a:task-id",
    ] {
        let compiled = Selection::xpath(path, &PREFIXES).unwrap();
        assert!(matches!(compiled, Compiled::Selection(_)), "{path}");
        assert_eq!(ours(path), libyangs(path), "{path}");
    }
}
