//! Laws of checking, over generated templates and payloads.

use super::*;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..12_i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-6..24_i32).prop_map(|n| json!(f64::from(n) / 2.0)),
        any::<f64>().prop_map(|f| json!(f)),
        ".{0,6}".prop_map(Value::from),
        prop_oneof![
            "A-[0-9]{1,5}",
            "[ab]",
            "2026-0[1-9]-[0-3][0-9]",
            "2026-05-04[Tt]0[0-9]:00:[0-6]0[Zz]"
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]|other", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            KeyType::String,
            KeyType::Integer,
            KeyType::Number,
            KeyType::Boolean,
            KeyType::Array,
            KeyType::Object,
            KeyType::Any,
        ])
        .prop_map(Shape::of),
        (-3..3_i64, 3..9_i64).prop_map(|(a, b)| from_to(KeyType::Integer, a, b)),
        (-3..3_i64, 3..9_i64).prop_map(|(a, b)| from_to(KeyType::Number, a, b)),
        prop::sample::select(Format::ALL.to_vec()).prop_map(formatted),
        Just(matching("A-[0-9]{1,4}")),
        Just(one_of(&["a", "b"])),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::btree_map("[a-d]", (any::<bool>(), inner.clone()), 1..4);
        prop_oneof![
            inner.prop_map(list_of),
            members.prop_map(|all| object(
                all.into_iter()
                    .map(|(name, (required, shape))| member(&name, required, shape))
                    .collect()
            )),
        ]
    })
}

fn any_template() -> impl Strategy<Value = Template> {
    let keys = prop::collection::btree_map("[a-d]", (any::<bool>(), any_shape()), 0..5);
    let keys = keys.prop_map(|keys| keys.into_iter().collect::<Vec<_>>());
    keys.prop_shuffle().prop_map(|keys| {
        let keys = keys.into_iter().map(|(name, (required, shape))| Key {
            required,
            ..key(&name, shape)
        });
        template("any_v1", keys.collect())
    })
}

/// A value of a shape, in one of the forms that are accepted.
fn fitting(shape: &Shape) -> BoxedStrategy<Value> {
    let held = &shape.constraint;
    if !held.allowed.is_empty() {
        return prop::sample::select(held.allowed.clone()).boxed();
    }
    let least = held.minimum.as_ref().and_then(Number::as_i64).unwrap_or(-9);
    let most = held.maximum.as_ref().and_then(Number::as_i64).unwrap_or(9);
    match shape.key_type {
        KeyType::Any => any_json().boxed(),
        KeyType::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        KeyType::Integer => (least..=most, any::<bool>())
            .prop_map(|(n, float)| if float { json!(n as f64) } else { json!(n) })
            .boxed(),
        KeyType::Number => (least..most, 0..4_i32)
            .prop_map(|(n, quarter)| json!(n as f64 + f64::from(quarter) / 4.0))
            .boxed(),
        KeyType::String => fitting_text(held),
        KeyType::Array => {
            let item = held
                .items
                .as_ref()
                .map_or(any_json().boxed(), |items| fitting(items));
            prop::collection::vec(item, 1..4)
                .prop_map(Value::from)
                .boxed()
        }
        KeyType::Object if held.properties.is_empty() => {
            prop::collection::btree_map("[a-d]", any_json(), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
                .boxed()
        }
        KeyType::Object => fitting_members(
            held.properties
                .iter()
                .map(|it| (it.name.clone(), it.required, fitting(&it.shape))),
        ),
    }
}

fn fitting_text(held: &Constraint) -> BoxedStrategy<Value> {
    let pattern = match (held.format, &held.pattern) {
        (_, Some(pattern)) => pattern.as_str(),
        (None, None) => ".{0,8}",
        (Some(Format::Date), _) => "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])",
        (Some(Format::Time), _) => {
            "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,3})?([Zz]|[+-]08:00)"
        }
        (Some(Format::DateTime), _) => "2026-05-04[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z",
        (Some(Format::Ipv4), _) => "192\\.0\\.2\\.[1-9]",
        (Some(Format::Ipv6), _) => "2001:db8::[0-9a-f]{1,4}",
        (Some(Format::Uri), _) => {
            "https://[a-z]{1,8}\\.example(:[0-9]{2})?/[a-z0-9]{0,4}(\\?q=%2[0-9])?"
        }
        (Some(Format::Uuid), _) => {
            "[0-9a-fA-F]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
        }
    };
    let strategy = prop::string::string_regex(pattern).expect("a pattern that can be generated");
    strategy.prop_map(Value::from).boxed()
}

/// Required members there and not null; optional ones there, null or left out.
fn fitting_members(
    members: impl Iterator<Item = (String, bool, BoxedStrategy<Value>)>,
) -> BoxedStrategy<Value> {
    let mut known = BTreeMap::new();
    for (name, required, value) in members {
        known.entry(name).or_insert((required, value));
    }
    let each = known.into_iter().map(|(name, (required, value))| {
        let value = match required {
            true => value
                .prop_filter("there", |it| !it.is_null() && *it != json!([]))
                .prop_map(Some)
                .boxed(),
            false => prop_oneof![value.prop_map(Some), Just(Some(Value::Null)), Just(None)].boxed(),
        };
        value.prop_map(move |value| Some((name.clone(), value?)))
    });
    each.collect::<Vec<_>>()
        .prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
        .boxed()
}

fn template_and_payload() -> impl Strategy<Value = (Template, Value)> {
    any_template().prop_flat_map(|template| {
        let keys = template
            .own_keys()
            .map(|it| (it.key_name.clone(), it.required, fitting(&it.shape)));
        let payload = fitting_members(keys.collect::<Vec<_>>().into_iter());
        (Just(template), payload)
    })
}

fn any_payload() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-d]|other", any_json(), 0..6)
        .prop_map(|members| members.into_iter().collect())
}

/// The order in which a violation is told: keys as in the template, then unknown ones by name.
fn order(contract: &Contract, violation: &PayloadViolation) -> (usize, String) {
    let name = violation.key_name().unwrap_or_default();
    let place = contract
        .fields
        .get(&name)
        .map_or(usize::MAX, |field| field.place);
    (place, name)
}

/// Asserts all that holds for every payload: verification and acceptance agree, violations are in
/// order, and what is accepted is its own canonical form.
fn hold_laws(contract: &Contract, payload: &Map<String, Value>) -> Result<bool, TestCaseError> {
    let verdict = contract.verify(payload);
    prop_assert!(
        !matches!(&verdict, Err(all) if all.is_empty()),
        "refused without a reason"
    );
    for unknown in [Unknown::Reject, Unknown::Ignore, Unknown::ToOther] {
        let accepted = match contract.accept(payload.clone(), unknown) {
            Ok(accepted) => accepted,
            Err(all) => {
                prop_assert!(!all.is_empty(), "refused without a reason");
                continue;
            }
        };
        let again = contract.accept(accepted.values.clone(), Unknown::Reject);
        prop_assert_eq!(again.map(|it| it.values), Ok(accepted.values.clone()));
        let reported = contract.type_correct(&accepted.values);
        prop_assert!(reported.values().all(|it| *it));
    }
    let accepted = contract.accept(payload.clone(), Unknown::Reject);
    prop_assert_eq!(accepted.as_ref().err(), verdict.as_ref().err());
    let told = verdict.as_ref().err().into_iter().flatten();
    let order: Vec<_> = told
        .filter(|it| !it.path.is_empty())
        .map(|it| order(contract, it))
        .collect();
    prop_assert!(order.is_sorted(), "{:?}", order);
    Ok(verdict.is_ok())
}

/// A value without what the JSON Schema of a template says otherwise: null and empty arrays, which
/// it takes for values, integers beyond 64 bits, and `other`, which it holds to its type.
fn said_alike(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Number(ref number) if number.as_f64().is_none_or(|it| it.abs() > 9e18) => None,
        Value::Array(items) => {
            let items: Vec<_> = items.into_iter().filter_map(said_alike).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(members) => {
            let own = members.into_iter().filter(|(name, _)| name != OTHER);
            let own = own.filter_map(|(name, value)| Some((name, said_alike(value)?)));
            Some(Value::Object(own.collect()))
        }
        value => Some(value),
    }
}

/// Puts another value in place of one inside, the `at`-th from the front.
fn spoil(value: &mut Value, at: &mut usize, by: &Value) {
    let inside: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    for value in inside {
        if *at == 0 {
            *value = by.clone();
        }
        let Some(left) = at.checked_sub(1) else {
            *at = usize::MAX;
            return;
        };
        *at = left;
        spoil(value, at, by);
    }
}

/// Values that are often nearly right.
fn nearly() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-6..14_i64).prop_map(Value::from),
        (-12..28_i32).prop_map(|n| json!(f64::from(n) / 2.0)),
        any::<bool>().prop_map(Value::from),
        "[ab]{1,2}|A-[0-9]{0,6}|2026-[01][0-9]-[0-3][0-9]".prop_map(Value::from),
        "[0-2][0-9]:[0-6][0-9]:[0-6][0-9]([Zz]|[+-][0-2][0-9]:30)?".prop_map(Value::from),
        "2026-[01][0-9]-[0-3][0-9][Tt ]0[0-9]:00:00Z?".prop_map(Value::from),
        "192\\.0\\.(0?2)\\.[0-9]{1,3}|[0-9a-f:]{2,9}|::1%?[0-9]".prop_map(Value::from),
        "(a|1)?:(//)?[a-z@/?#%0-9 ]{0,6}".prop_map(Value::from),
        "[0-9a-g]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}".prop_map(Value::from),
        Just(json!({})),
        Just(json!([1, "a"])),
    ]
}

fn agree(template: &Template, payload: Value) -> Result<(), TestCaseError> {
    let payload = said_alike(payload).unwrap();
    let schema = crate::render::json_schema(template, &Language::english());
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let theirs = validator.is_valid(&payload);
    let ours = contract(template).verify(&map(payload));
    prop_assert_eq!(ours.is_ok(), theirs, "{:?}", ours);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Q8: a contract and another's validator of the JSON Schema say the same.
    #[test]
    fn the_json_schema_says_the_same(
        (template, mut payload) in template_and_payload(), by in nearly(), mut at in 0..8_usize,
    ) {
        agree(&template, payload.clone())?;
        spoil(&mut payload, &mut at, &by);
        agree(&template, payload)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    /// Generated after the template, a payload is accepted; D15, D16.
    #[test]
    fn what_is_made_to_fit_fits((template, payload) in template_and_payload()) {
        let contract = contract(&template);
        let verdict = contract.verify(&map(payload.clone()));
        prop_assert_eq!(verdict, Ok(()));
        prop_assert!(hold_laws(&contract, &map(payload))?);
    }

    /// No payload panics, and the laws hold for those that are nearly right too.
    #[test]
    fn laws_hold_for_any_payload(template in any_template(), payload in any_payload()) {
        hold_laws(&contract(&template), &payload)?;
    }

    /// The same with limits that are reached.
    #[test]
    fn laws_hold_at_the_limits(
        (template, payload) in template_and_payload(), more in any_payload(),
        depth in 1..5_usize, nodes in 1..12_usize, string_bytes in 1..12_usize,
    ) {
        let limits = Limits { depth, nodes, string_bytes, ..Limits::default() };
        let mut payload = map(payload);
        payload.extend(more);
        let contract = contract(&template).within(limits);
        // Canonical forms are no larger, and `other` is outside the limits.
        hold_laws(&contract, &payload)?;
    }
}
