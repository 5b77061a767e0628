//! The inputs of rpcs as YANG has them: a type for each, a method for each node below it; and what each rpc
//! gives, whose types are in [`super::output`].
//!
//! The types are in [`rpcs`], which is generated from the modules: what a node is called, of which type
//! it is, whether it must be there and what counts without it, YANG says and nobody else. The compiler
//! finds who asks for a leaf that is none, and leaves that nobody asks for. The schema has been checked when
//! an input is read, so leaves are single and well typed. Read next: [`super::operation`].

mod rpcs;

pub(in crate::netconf) use rpcs::*;

use super::error::{self, RpcOrigin};
use super::modules::Module;
use super::output::Output;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::excerpt::excerpt;
use domain::time::Timestamp;

/// The input of an rpc, whatever message it stands in.
pub(in crate::netconf) trait Input {
    /// The rpc, with the nodes of its input.
    const ORIGIN: RpcOrigin;

    /// The input in a message.
    type In<'x>;

    /// What the rpc gives.
    type Output<'x>: Output;

    /// The input that stands in this element.
    fn of(operation: XmlElement<'_>) -> Self::In<'_>;
}

/// A node of an input, by its type.
pub(in crate::netconf) trait InputNode<'x>: Sized {
    /// Reads it; none if the element does not hold one.
    fn read(element: XmlElement<'x>) -> Option<Self>;
}

/// A node with others below it.
pub(in crate::netconf) trait Inner<'x> {
    /// The element, for what is not of its module.
    fn element(self) -> XmlElement<'x>;
}

/// A string, or what is written as one.
#[derive(Clone, Copy)]
pub(in crate::netconf) struct Text<'x>(XmlElement<'x>);

impl<'x> Text<'x> {
    /// As it was sent.
    pub(in crate::netconf) fn as_str(self) -> &'x str {
        self.0.text()
    }

    /// As it was sent, to be kept.
    pub(in crate::netconf) fn owned(self) -> String {
        self.as_str().to_owned()
    }

    /// The leaf, to say what is wrong with it.
    pub(in crate::netconf) fn leaf(self) -> XmlElement<'x> {
        self.0
    }
}

/// One of the names of an enumeration; white space around it does not count.
#[derive(Clone, Copy)]
pub(in crate::netconf) struct Word<'x>(XmlElement<'x>);

impl<'x> Word<'x> {
    /// The leaf, to say what is wrong with it.
    pub(in crate::netconf) fn leaf(self) -> XmlElement<'x> {
        self.0
    }

    /// The name.
    pub(in crate::netconf) fn as_str(self) -> &'x str {
        self.0.trimmed_text()
    }

    /// The name, to be kept.
    pub(in crate::netconf) fn owned(self) -> String {
        self.as_str().to_owned()
    }

    /// What bears this name.
    ///
    /// # Errors
    /// `invalid-value` if nothing does.
    pub(in crate::netconf) fn read_as<T>(
        self,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, RpcError> {
        let name = self.as_str();
        parse(name).ok_or_else(|| {
            let why = format!("'{}' is not known here", excerpt(name));
            error::invalid(self.0, why)
        })
    }
}

/// A date and time.
#[derive(Clone, Copy)]
pub(in crate::netconf) struct Instant<'x>(XmlElement<'x>);

impl Instant<'_> {
    /// The instant; the schema lets some pass that no calendar has.
    ///
    /// # Errors
    /// `invalid-value`
    pub(in crate::netconf) fn timestamp(self) -> Result<Timestamp, RpcError> {
        let parsed = Timestamp::parse(self.0.trimmed_text());
        parsed.map_err(|why| error::invalid(self.0, why.to_string()))
    }
}

/// A node that need not be there.
pub(in crate::netconf) struct Optional<'x, T> {
    found: Option<T>,
    above: XmlElement<'x>,
    name: &'static str,
}

impl<T> Optional<'_, T> {
    /// The node, if it is there.
    pub(in crate::netconf) fn given(self) -> Option<T> {
        self.found
    }

    /// True if it is there.
    pub(in crate::netconf) fn is_given(&self) -> bool {
        self.found.is_some()
    }

    /// What is made of it, if it is there.
    pub(in crate::netconf) fn map<U>(self, make: impl FnOnce(T) -> U) -> Option<U> {
        self.found.map(make)
    }

    /// The node, which the operation needs as it is asked for here.
    ///
    /// # Errors
    /// `missing-element`
    pub(in crate::netconf) fn needed(self) -> Result<T, RpcError> {
        let Self { found, above, name } = self;
        found.ok_or_else(|| error::missing(above, name))
    }
}

macro_rules! held {
    ($($type:ident)*) => {
        $(impl<'x> InputNode<'x> for $type<'x> {
            fn read(element: XmlElement<'x>) -> Option<Self> {
                Some(Self(element))
            }
        })*
    };
}

held! { Text Word Instant }

/// The name in an enumeration that has a default.
impl<'x> InputNode<'x> for &'x str {
    fn read(element: XmlElement<'x>) -> Option<Self> {
        Some(element.trimmed_text())
    }
}

macro_rules! parsed {
    ($($type:ty, as $lexical:ty;)*) => {
        $(impl<'x> InputNode<'x> for $type {
            fn read(element: XmlElement<'x>) -> Option<Self> {
                let value: $lexical = element.trimmed_text().parse().ok()?;
                value.try_into().ok()
            }
        })*
    };
}

// An unsigned one may have a sign too: `-0` (RFC 7950 §9.2.1).
parsed! {
    bool, as bool;
    u8, as i16;
    u16, as i32;
    u32, as i64;
    u64, as i128;
    i8, as i8;
    i16, as i16;
    i32, as i32;
    i64, as i64;
    f64, as f64;
}

fn optional<'x, N: InputNode<'x>>(
    above: XmlElement<'x>,
    module: &Module,
    name: &'static str,
) -> Optional<'x, N> {
    Optional {
        found: above.child(module.namespace, name).and_then(N::read),
        above,
        name,
    }
}

fn many<'x, N: InputNode<'x>>(
    above: XmlElement<'x>,
    module: &'static Module,
    name: &'static str,
) -> impl Iterator<Item = N> {
    let named = move |below: &XmlElement<'x>| below.is(module.namespace, name);
    above.children().filter(named).filter_map(N::read)
}

/// The method of a node: `optional` gives an [`Optional`]; `needed` fails with `missing-element` if there is
/// none; `defaulted` gives the default of the module then; `many` gives all, in order.
macro_rules! method {
    (optional $name:ident $type:ty, $module:ident $yang:literal) => {
        pub(in crate::netconf) fn $name(self) -> crate::netconf::input::Optional<'x, $type> {
            crate::netconf::input::optional(self.0, &crate::netconf::modules::$module, $yang)
        }
    };
    (needed $name:ident $type:ty, $module:ident $yang:literal) => {
        pub(in crate::netconf) fn $name(self) -> Result<$type, ::netconf::error::RpcError> {
            crate::netconf::input::optional(self.0, &crate::netconf::modules::$module, $yang)
                .needed()
        }
    };
    (defaulted $name:ident $type:ty, $module:ident $yang:literal $default:expr) => {
        pub(in crate::netconf) fn $name(self) -> $type {
            let given =
                crate::netconf::input::optional(self.0, &crate::netconf::modules::$module, $yang);
            given.given().unwrap_or($default)
        }
    };
    (many $name:ident $type:ty, $module:ident $yang:literal) => {
        pub(in crate::netconf) fn $name(self) -> impl Iterator<Item = $type> {
            crate::netconf::input::many(self.0, &crate::netconf::modules::$module, $yang)
        }
    };
}

/// Defines the type of an rpc's input, or of a container or list in one, by the nodes below it.
macro_rules! input {
    (
        rpc $rpc:ident = $of:ident $called:literal gives $output:ty {
            $($name:ident: $kind:ident $type:ty = $module:ident $yang:literal $(or $default:expr)?;)*
        }
    ) => {
        crate::netconf::input::input! {
            node $rpc {
                $($name: $kind $type = $module $yang $(or $default)?;)*
            }
        }

        impl crate::netconf::input::Input for $rpc<'static> {
            const ORIGIN: crate::netconf::error::RpcOrigin = crate::netconf::error::RpcOrigin {
                module: &crate::netconf::modules::$of,
                rpc: $called,
                leaves: &[$(($yang, &crate::netconf::modules::$module)),*],
            };

            type In<'x> = $rpc<'x>;

            type Output<'x> = $output;

            fn of(operation: ::netconf::xml::XmlElement<'_>) -> $rpc<'_> {
                $rpc(operation)
            }
        }
    };
    (
        node $node:ident {
            $($name:ident: $kind:ident $type:ty = $module:ident $yang:literal $(or $default:expr)?;)*
        }
    ) => {
        #[derive(Clone, Copy)]
        pub(in crate::netconf) struct $node<'x>(::netconf::xml::XmlElement<'x>);

        impl<'x> $node<'x> {
            $(crate::netconf::input::method! { $kind $name $type, $module $yang $($default)? })*
        }

        impl<'x> crate::netconf::input::InputNode<'x> for $node<'x> {
            fn read(element: ::netconf::xml::XmlElement<'x>) -> Option<Self> {
                Some(Self(element))
            }
        }

        impl<'x> crate::netconf::input::Inner<'x> for $node<'x> {
            fn element(self) -> ::netconf::xml::XmlElement<'x> {
                self.0
            }
        }
    };
}

use {input, method};

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod tests;
