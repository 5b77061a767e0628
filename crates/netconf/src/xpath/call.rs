//! The evaluation of functions (XPath 1.0 §4, RFC 7950 §10).

use super::EvaluationError;
use super::axis::{Node, Part, ROOT};
use super::compare::identity;
use super::evaluate::{Context, Evaluated, Evaluation};
use super::expression::{Derived, Id};
use super::function::Function;
use super::lexer::is_space;
use super::value::{NodeSet, Text, Value, number_of, rounded, string_value};
use crate::names::namespace;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The cost of a byte that is matched, or of a pattern that is compiled, in steps.
const PATTERN_STEPS: usize = 64;

impl<'a> Evaluation<'a, '_, '_> {
    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &[Id],
        at: Context,
    ) -> Evaluated<Value<'a>> {
        use Function as F;
        let first = arguments.first().copied();
        Ok(match function {
            F::True => Value::Boolean(true),
            F::False => Value::Boolean(false),
            F::Boolean => Value::Boolean(self.boolean(arguments[0], at)?),
            F::Not => Value::Boolean(!self.boolean(arguments[0], at)?),
            F::Position => Value::Number(at.position as f64),
            F::Last => Value::Number(at.size as f64),
            F::Current => Value::Nodes(Rc::new(NodeSet::of(vec![ROOT]))),
            F::Count => Value::Number(self.nodes(arguments[0], at)?.list.len() as f64),
            F::Sum => Value::Number(self.sum(arguments[0], at)?),
            F::Number => match first {
                Some(argument) => Value::Number(self.number(argument, at)?),
                None => Value::Number(number_of(self.implied(None, at)?.as_str())),
            },
            F::Ceiling => Value::Number(self.number(arguments[0], at)?.ceil()),
            F::Floor => Value::Number(self.number(arguments[0], at)?.floor()),
            F::Round => Value::Number(rounded(self.number(arguments[0], at)?)),
            F::String => Value::Text(self.implied(first, at)?),
            F::StringLength => {
                let text = self.implied(first, at)?;
                Value::Number(text.as_str().chars().count() as f64)
            }
            F::NormalizeSpace => {
                let text = self.implied(first, at)?;
                let words = text
                    .as_str()
                    .split(is_space)
                    .filter(|word| !word.is_empty());
                self.made(words.collect::<Vec<_>>().join(" "))?
            }
            F::LocalName | F::Name | F::NamespaceUri => self.name_of(function, first, at)?,
            F::Concat => {
                let mut whole = String::new();
                for argument in arguments {
                    whole.push_str(self.text(*argument, at)?.as_str());
                }
                self.made(whole)?
            }
            F::Contains => self.of_two(arguments, at, |text, part| {
                Value::Boolean(text.contains(part))
            })?,
            F::StartsWith => self.of_two(arguments, at, |text, part| {
                Value::Boolean(text.starts_with(part))
            })?,
            F::SubstringBefore => self.of_two(arguments, at, |text, part| {
                let found = text.split_once(part);
                Value::Text(found.map_or("", |(before, _)| before).to_owned().into())
            })?,
            F::SubstringAfter => self.of_two(arguments, at, |text, part| {
                let found = text.split_once(part);
                Value::Text(found.map_or("", |(_, after)| after).to_owned().into())
            })?,
            F::Substring => self.substring(arguments, at)?,
            F::Translate => self.translate(arguments, at)?,
            F::Lang => {
                let wanted = self.text(arguments[0], at)?;
                Value::Boolean(self.is_in_language(wanted.as_str(), at.node)?)
            }
            F::BitIsSet => {
                let bits = self.implied(first, at)?;
                let bit = self.text(arguments[1], at)?;
                let mut set = bits.as_str().split(is_space);
                Value::Boolean(set.any(|one| !one.is_empty() && one == bit.as_str()))
            }
            F::EnumValue => {
                let nodes = self.nodes(arguments[0], at)?;
                let node = nodes.list.first().filter(|node| node.part == Part::Whole);
                let leaf = node.map(|node| node.element_in(self.document));
                let number = leaf.and_then(|leaf| self.modules.enum_value(leaf));
                Value::Number(number.map_or(f64::NAN, |number| number as f64))
            }
            F::ReMatch => {
                let text = self.text(arguments[0], at)?;
                let pattern = self.text(arguments[1], at)?;
                let bytes = text.as_str().len() + pattern.as_str().len();
                self.budget.spend(bytes * PATTERN_STEPS)?;
                let matched = self.modules.re_match(text.as_str(), pattern.as_str());
                Value::Boolean(matched.map_err(EvaluationError::Pattern)?)
            }
        })
    }

    /// The text of an argument, or of the context node if it is absent.
    fn implied(&mut self, argument: Option<Id>, at: Context) -> Evaluated<Text<'a>> {
        match argument {
            Some(argument) => self.text(argument, at),
            None => string_value(self.document, at.node, self.budget),
        }
    }

    /// The value of a newly made text, which costs its length.
    fn made(&mut self, text: String) -> Evaluated<Value<'a>> {
        self.budget.spend(text.len())?;
        Ok(Value::Text(text.into()))
    }

    fn of_two(
        &mut self,
        arguments: &[Id],
        at: Context,
        made: impl FnOnce(&str, &str) -> Value<'a>,
    ) -> Evaluated<Value<'a>> {
        let text = self.text(arguments[0], at)?;
        let part = self.text(arguments[1], at)?;
        Ok(made(text.as_str(), part.as_str()))
    }

    fn sum(&mut self, argument: Id, at: Context) -> Evaluated<f64> {
        let nodes = self.nodes(argument, at)?;
        let mut sum = 0.0;
        for node in &nodes.list {
            self.budget.spend(1)?;
            sum += number_of(string_value(self.document, *node, self.budget)?.as_str());
        }
        Ok(sum)
    }

    /// §4.1: names of the first node, or of the context node.
    fn name_of(
        &mut self,
        function: Function,
        argument: Option<Id>,
        at: Context,
    ) -> Evaluated<Value<'a>> {
        let node = match argument {
            None => Some(at.node),
            Some(argument) => self.nodes(argument, at)?.list.first().copied(),
        };
        let Some((uri, local)) = node.and_then(|node| self.expanded(node)) else {
            return Ok(Value::Text(Text::Part("")));
        };
        if function == Function::LocalName {
            return Ok(Value::Text(Text::Part(local)));
        }
        if function == Function::NamespaceUri {
            return Ok(Value::Text(Text::Part(uri)));
        }
        // Data are written with default namespaces; the expression's own prefixes tell more.
        let mut bound = self.expression.namespaces();
        match bound.find(|(_, namespace)| *namespace == uri) {
            Some((prefix, _)) => self.made(format!("{prefix}:{local}")),
            None => Ok(Value::Text(Text::Part(local))),
        }
    }

    fn expanded(&self, node: Node) -> Option<(&'a str, &'a str)> {
        let element = node.element_in(self.document);
        match node.part {
            Part::Text => None,
            Part::Whole if node == ROOT => None,
            Part::Whole => Some((element.namespace(), element.name())),
            Part::Attribute(place) => {
                let attribute = element.attributes().nth(place.into())?;
                Some((attribute.namespace, attribute.name))
            }
        }
    }

    /// §4.2: the characters whose positions are at least the second argument, rounded, and less
    /// than that and the third.
    fn substring(&mut self, arguments: &[Id], at: Context) -> Evaluated<Value<'a>> {
        let text = self.text(arguments[0], at)?;
        let from = rounded(self.number(arguments[1], at)?);
        let until = match arguments.get(2) {
            Some(length) => from + rounded(self.number(*length, at)?),
            None => f64::INFINITY,
        };
        let placed = text.as_str().chars().zip(1_u32..);
        let part = placed.filter(|(_, place)| {
            let place = f64::from(*place);
            place >= from && place < until
        });
        self.made(part.map(|(c, _)| c).collect())
    }

    /// §4.2: characters of the second argument become those of the third at the same place, or go.
    fn translate(&mut self, arguments: &[Id], at: Context) -> Evaluated<Value<'a>> {
        let text = self.text(arguments[0], at)?;
        let from = self.text(arguments[1], at)?;
        let to = self.text(arguments[2], at)?;
        let mut becomes = BTreeMap::new();
        let mut to = to.as_str().chars();
        for c in from.as_str().chars() {
            let next = to.next();
            becomes.entry(c).or_insert(next);
        }
        let translated = text.as_str().chars().filter_map(|c| match becomes.get(&c) {
            Some(becomes) => *becomes,
            None => Some(c),
        });
        self.made(translated.collect())
    }

    /// §4.3: true if the nearest `xml:lang` is the language, or a dialect of it.
    fn is_in_language(&mut self, wanted: &str, node: Node) -> Evaluated<bool> {
        let mut next = Some(node.element_in(self.document));
        while let Some(element) = next {
            self.budget.spend(1)?;
            if let Some(language) = element.attribute(namespace::XML, "lang") {
                let begins = language.get(..wanted.len());
                return Ok(begins.is_some_and(|b| b.eq_ignore_ascii_case(wanted))
                    && matches!(language.as_bytes().get(wanted.len()), None | Some(b'-')));
            }
            next = element.parent();
        }
        Ok(false)
    }

    /// RFC 7950 §10.4: true if some node is an identity that is derived from the one named.
    pub(super) fn is_derived(&mut self, wanted: &Derived, at: Context) -> Evaluated<bool> {
        let nodes = self.nodes(wanted.nodes, at)?;
        let (namespace, name) = &wanted.base;
        let base = (&**namespace, &**name);
        for node in &nodes.list {
            self.budget.spend(1)?;
            let found = identity(self.document, *node);
            let derived = found.is_some_and(|own| match own == base {
                true => wanted.or_self,
                false => self.modules.is_derived(own, base),
            });
            if derived {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
