//! What is told, as YANG has it: a type for each node with others below it, a method for each of these.
//!
//! The types are in [`rpcs`], [`notifications`], [`data`] and [`usage`], which are generated from the modules: what a node is called, of which module
//! and type it is, below which others it stands, which keys an entry has and what counts without a leaf, YANG
//! says and nobody else. The compiler finds who tells a node that is none, or tells it in the wrong place, and
//! nodes that nobody tells. In which order they stand is the writer's: that of the module, keys first. Modules
//! of RFCs are written by name. Read next: [`super::encode`], [`super::operation`].

mod data;
mod notifications;
mod rpcs;
mod usage;

pub(in crate::netconf) use data::*;
pub(in crate::netconf) use notifications::*;
pub(in crate::netconf) use rpcs::*;
pub(in crate::netconf) use usage::*;

use ::netconf::data::{Defaulted, Node, Value, Writer, write};
use ::netconf::filter::Projection;
use ::netconf::xml::write as xml;
use domain::time::Timestamp;
use std::borrow::Cow;

/// What a reply usually takes, in bytes.
const REPLY_BYTES: usize = 768;

/// The output of an rpc.
pub(in crate::netconf) trait Output {
    /// One in which nothing stands yet.
    fn begin() -> Self;

    /// What stands in it: elements, complete.
    fn into_bytes(self) -> Vec<u8>;
}

/// Nothing is told but that it was done.
impl Output for () {
    fn begin() -> Self {}

    fn into_bytes(self) -> Vec<u8> {
        Vec::new()
    }
}

/// A node with others below it, as far as it is filled.
pub(in crate::netconf) trait Parent<P> {
    /// The node whose children are put there.
    fn within(place: P) -> Self;

    /// Where its children were put.
    fn written(self) -> P;
}

/// Where the children of a node are put.
pub(in crate::netconf) trait Place<'a> {
    /// Puts the next one there.
    fn put(&mut self, child: Node<'a>);
}

/// Into the tree.
impl<'a> Place<'a> for Node<'a> {
    fn put(&mut self, child: Node<'a>) {
        self.push(child);
    }
}

/// Into what a provider has open, at once.
impl<'a> Place<'a> for &mut Writer<'_> {
    fn put(&mut self, child: Node<'a>) {
        self.node(&child);
    }
}

/// The top of an output: siblings, written at once.
pub(in crate::netconf) struct Siblings(Vec<u8>);

impl Place<'_> for Siblings {
    fn put(&mut self, child: Node<'_>) {
        write(&child, &Projection::everything(), &mut self.0);
    }
}

impl AsMut<Siblings> for Siblings {
    fn as_mut(&mut self) -> &mut Siblings {
        self
    }
}

impl Siblings {
    fn none() -> Self {
        Self(Vec::with_capacity(REPLY_BYTES))
    }

    /// An anyxml, of which the module does not say what stands in it.
    fn put_around(&mut self, namespace: &str, name: &str, inside: Node<'_>) {
        let Self(out) = self;
        out.push(b'<');
        out.extend_from_slice(name.as_bytes());
        xml::attribute("xmlns", namespace, out);
        out.push(b'>');
        write(&inside, &Projection::everything(), out);
        out.extend_from_slice(b"</");
        out.extend_from_slice(name.as_bytes());
        out.push(b'>');
    }
}

/// A string, or what is written as one.
pub(in crate::netconf) enum Text {}

/// A whole number.
pub(in crate::netconf) enum Number {}

/// `true` or `false`.
pub(in crate::netconf) enum Boolean {}

/// A date and time.
pub(in crate::netconf) enum Instant {}

/// A decimal64 of so many digits behind the point.
pub(in crate::netconf) enum Decimal<const DIGITS: usize> {}

/// What a leaf of a type can be given; without a value it is not there.
pub(in crate::netconf) trait LeafValue<'a, T> {
    /// The value.
    fn value(self) -> Option<Value<'a>>;
}

impl<'a, T, V: LeafValue<'a, T>> LeafValue<'a, T> for Option<V> {
    fn value(self) -> Option<Value<'a>> {
        self.and_then(V::value)
    }
}

macro_rules! values {
    ($($type:ident: $($source:ty),*;)*) => {
        $($(impl<'a> LeafValue<'a, $type> for $source {
            fn value(self) -> Option<Value<'a>> {
                Some(self.into())
            }
        })*)*
    };
}

values! {
    Text: &'a str, &'a String, String, Cow<'a, str>;
    Number: u8, u16, u32, u64, i64;
    Boolean: bool;
}

impl<'a> LeafValue<'a, Instant> for Timestamp {
    fn value(self) -> Option<Value<'a>> {
        Some(self.to_string().into())
    }
}

/// None if it is no number.
impl<'a, const DIGITS: usize> LeafValue<'a, Decimal<DIGITS>> for f64 {
    fn value(self) -> Option<Value<'a>> {
        decimal(self, DIGITS).map(Value::from)
    }
}

/// A number as decimal64 writes it (RFC 7950 §9.3.2): rounded, without zeros that say nothing. None
/// if it is no number.
pub(super) fn decimal(value: f64, digits: usize) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let text = format!("{value:.digits$}");
    let text = text.trim_end_matches('0');
    let text = if text.ends_with('.') {
        format!("{text}0")
    } else {
        text.to_owned()
    };
    Some(if text == "-0.0" {
        "0.0".to_owned()
    } else {
        text
    })
}

/// How a value that was given stands to the default of its leaf.
fn beside_default<'a>(value: &Value<'a>, default: impl Into<Value<'a>>) -> Defaulted {
    match *value == default.into() {
        true => Defaulted::Explicit,
        false => Defaulted::No,
    }
}

/// The namespace of a node; of one that is of the module above, nothing.
macro_rules! namespace {
    () => {
        ""
    };
    ($module:ident) => {
        crate::netconf::modules::$module.namespace
    };
}

/// The method of a node: a `leaf` takes a value or none, a `leaf_list` all of its values; a `container` or a
/// `list` takes what it is about, and how the node is filled with that; an `anyxml` what stands in it.
macro_rules! method {
    ($name:ident leaf $type:ty, $namespace:expr, $yang:literal) => {
        pub(in crate::netconf) fn $name(
            mut self,
            value: impl crate::netconf::output::LeafValue<'a, $type>,
        ) -> Self {
            if let Some(value) = value.value() {
                let leaf = ::netconf::data::Node::value($namespace, $yang, value);
                crate::netconf::output::Place::put(&mut self.0, leaf);
            }
            self
        }
    };
    ($name:ident leaf $type:ty, $namespace:expr, $yang:literal or $default:literal) => {
        pub(in crate::netconf) fn $name(
            mut self,
            value: impl crate::netconf::output::LeafValue<'a, $type>,
        ) -> Self {
            if let Some(value) = value.value() {
                let defaulted = crate::netconf::output::beside_default(&value, $default);
                let leaf = ::netconf::data::Node::value($namespace, $yang, value);
                crate::netconf::output::Place::put(&mut self.0, leaf.defaulted(defaulted));
            }
            self
        }
    };
    ($name:ident leaf_list $type:ty, $namespace:expr, $yang:literal) => {
        pub(in crate::netconf) fn $name<V: crate::netconf::output::LeafValue<'a, $type>>(
            mut self,
            values: impl IntoIterator<Item = V>,
        ) -> Self {
            for value in values.into_iter().filter_map(V::value) {
                let leaf = ::netconf::data::Node::value($namespace, $yang, value);
                crate::netconf::output::Place::put(&mut self.0, leaf);
            }
            self
        }
    };
    ($name:ident container $type:ty, $namespace:expr, $yang:literal) => {
        pub(in crate::netconf) fn $name<T>(
            mut self,
            of: Option<T>,
            fill: impl FnOnce($type, T) -> $type,
        ) -> Self {
            if let Some(of) = of {
                let node = ::netconf::data::Node::container($namespace, $yang);
                let node = fill(crate::netconf::output::Parent::within(node), of);
                crate::netconf::output::Place::put(
                    &mut self.0,
                    crate::netconf::output::Parent::written(node),
                );
            }
            self
        }
    };
    ($name:ident list $keys:literal $type:ty, $namespace:expr, $yang:literal) => {
        pub(in crate::netconf) fn $name<T>(
            mut self,
            all: impl IntoIterator<Item = T>,
            fill: impl Fn($type, T) -> $type,
        ) -> Self {
            for of in all {
                let node = ::netconf::data::Node::entry($namespace, $yang, $keys);
                let node = fill(crate::netconf::output::Parent::within(node), of);
                crate::netconf::output::Place::put(
                    &mut self.0,
                    crate::netconf::output::Parent::written(node),
                );
            }
            self
        }
    };
    ($name:ident anyxml, $namespace:expr, $yang:literal) => {
        pub(in crate::netconf) fn $name<N>(mut self, inside: N) -> Self
        where
            N: crate::netconf::output::Parent<::netconf::data::Node<'a>>,
            P: AsMut<crate::netconf::output::Siblings>,
        {
            self.0
                .as_mut()
                .put_around($namespace, $yang, inside.written());
            self
        }
    };
}

/// Defines the type of a node by the nodes below it: of an `rpc`, its output; of a `root`, which stands in no
/// other, be it a notification or a structure, or `data`, which is state; or of a `node` of whatever name.
/// One that is `like` another has the nodes of that in front of its own.
macro_rules! output {
    (rpc $name:ident { $($lines:tt)* }) => {
        crate::netconf::output::output! { type $name crate::netconf::output::Siblings { $($lines)* } }

        impl crate::netconf::output::Output for $name<'_> {
            fn begin() -> Self {
                crate::netconf::output::Parent::within(crate::netconf::output::Siblings::none())
            }

            fn into_bytes(self) -> Vec<u8> {
                self.0.0
            }
        }
    };
    (root $name:ident = $module:ident $yang:literal $(like $first:ident)? { $($lines:tt)* }) => {
        crate::netconf::output::output! { node $name $(like $first)? { $($lines)* } }

        impl Default for $name<'_> {
            fn default() -> Self {
                let namespace = crate::netconf::output::namespace!($module);
                crate::netconf::output::Parent::within(::netconf::data::Node::container(namespace, $yang))
            }
        }
    };
    (data $name:ident = $module:ident $yang:literal $(like $first:ident)? { $($lines:tt)* }) => {
        crate::netconf::output::output! { node $name $(like $first)? { $($lines)* } }

        impl Default for $name<'_> {
            fn default() -> Self {
                let namespace = crate::netconf::output::namespace!($module);
                crate::netconf::output::Parent::within(::netconf::data::Node::container(namespace, $yang).state())
            }
        }
    };
    (
        data $keys:literal $name:ident = $module:ident $yang:literal $(like $first:ident)? {
            $($lines:tt)*
        }
    ) => {
        crate::netconf::output::output! { node $name $(like $first)? { $($lines)* } }

        impl Default for $name<'_> {
            fn default() -> Self {
                let namespace = crate::netconf::output::namespace!($module);
                crate::netconf::output::Parent::within(::netconf::data::Node::entry(namespace, $yang, $keys).state())
            }
        }
    };
    (node $name:ident $(like $first:ident)? { $($lines:tt)* }) => {
        crate::netconf::output::output! { type $name ::netconf::data::Node<'a> { $($lines)* } }

        $(impl<'a, P: crate::netconf::output::Place<'a>> $name<'a, P> {
            pub(in crate::netconf) fn like<T>(
                self,
                of: T,
                fill: impl FnOnce($first<'a, P>, T) -> $first<'a, P>,
            ) -> Self {
                let first = fill(crate::netconf::output::Parent::within(self.0), of);
                crate::netconf::output::Parent::within(crate::netconf::output::Parent::written(first))
            }
        })?
    };
    (
        type $name:ident $place:ty {
            $($method:ident: $kind:ident $($keys:literal)? $($type:ty)? =
                $($module:ident)? $yang:literal $(or $default:literal)?;)*
        }
    ) => {
        pub(in crate::netconf) struct $name<'a, P = $place>(
            P,
            std::marker::PhantomData<::netconf::data::Node<'a>>,
        );

        impl<'a, P: crate::netconf::output::Place<'a>> $name<'a, P> {
            $(crate::netconf::output::method! {
                $method $kind $($keys)? $($type)?, crate::netconf::output::namespace!($($module)?), $yang $(or $default)?
            })*
        }

        impl<P> crate::netconf::output::Parent<P> for $name<'_, P> {
            fn within(place: P) -> Self {
                Self(place, std::marker::PhantomData)
            }

            fn written(self) -> P {
                self.0
            }
        }
    };
}

use {method, namespace, output};

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn numbers_are_written_in_their_canonical_form() {
        for (value, digits, text) in [
            (0.0, 3, "0.0"),
            (-0.0004, 3, "0.0"),
            (12.340, 3, "12.34"),
            (-39.95, 1, "-40.0"),
            (100.0, 2, "100.0"),
            (0.000_001, 6, "0.000001"),
        ] {
            assert_eq!(decimal(value, digits).as_deref(), Some(text));
        }
        assert_eq!(decimal(f64::NAN, 3), None);
    }
}
