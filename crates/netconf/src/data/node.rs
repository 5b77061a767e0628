//! A tree of nodes made from the server's own values.
//!
//! A [`Node`] borrows what it can, so an entry of a list costs one allocation. It holds the facts
//! of its YANG module that the writer needs (keys, defaults, configuration or state), and no
//! others. Read next: [`super::write()`].

use crate::names::namespace;
use std::borrow::Cow;

/// One data node with everything below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    /// The namespace; empty for that of the parent.
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) content: Content<'a>,
    /// The number of leading children that are keys; 0 for all but list entries.
    pub(crate) keys: u8,
    pub(crate) defaulted: Defaulted,
    pub(crate) config: bool,
    pub(crate) attributes: Vec<Metadata<'a>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content<'a> {
    Leaf(Value<'a>),
    Interior(Vec<Node<'a>>),
    /// The content of an anydata or anyxml: XML whose elements declare their namespaces.
    Verbatim(Cow<'a, str>),
}

/// Metadata of a node (RFC 7952), such as its origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metadata<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) value: Cow<'a, str>,
}

/// The relation of a leaf's value to the default in its schema (RFC 6243).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Defaulted {
    /// It differs, or there is no default.
    #[default]
    No,
    /// It was set, to the default value.
    Explicit,
    /// It was not set; the default is in use.
    Implicit,
}

/// The value of a leaf, in its canonical form when written.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Text as it is.
    Text(Cow<'a, str>),
    /// A number of 0 and more.
    Unsigned(u64),
    /// A number.
    Signed(i64),
    /// `true` or `false`.
    Boolean(bool),
    /// The YANG type empty.
    Empty,
    /// An identityref, written with a prefix that it declares.
    Identity(Box<IdentityRef<'a>>),
}

/// An identity of some module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentityRef<'a> {
    /// Prefix to declare.
    pub prefix: &'a str,
    /// Namespace of the module.
    pub namespace: &'a str,
    /// Name of the identity.
    pub name: &'a str,
}

macro_rules! values {
    ($($source:ty => |$value:ident| $made:expr;)+) => {
        $(impl<'a> From<$source> for Value<'a> {
            #[inline]
            fn from($value: $source) -> Self { $made }
        })+
    };
}

values! {
    &'a str => |value| Value::Text(Cow::Borrowed(value));
    &'a String => |value| Value::Text(Cow::Borrowed(value.as_str()));
    String => |value| Value::Text(Cow::Owned(value));
    Cow<'a, str> => |value| Value::Text(value);
    u64 => |value| Value::Unsigned(value);
    u32 => |value| Value::Unsigned(value.into());
    u16 => |value| Value::Unsigned(value.into());
    u8 => |value| Value::Unsigned(value.into());
    i64 => |value| Value::Signed(value);
    i32 => |value| Value::Signed(value.into());
    i16 => |value| Value::Signed(value.into());
    bool => |value| Value::Boolean(value);
    () => |_value| Value::Empty;
    IdentityRef<'a> => |value| Value::Identity(Box::new(value));
}

impl<'a> Node<'a> {
    fn new(namespace: &'a str, name: &'a str, content: Content<'a>) -> Self {
        Node {
            namespace,
            name,
            content,
            keys: 0,
            defaulted: Defaulted::No,
            config: true,
            attributes: Vec::new(),
        }
    }

    /// A container; with an empty namespace it has that of its parent.
    pub fn container(namespace: &'a str, name: &'a str) -> Self {
        Node::new(namespace, name, Content::Interior(Vec::new()))
    }

    /// A list entry whose first `keys` children are its keys, in schema order.
    pub fn entry(namespace: &'a str, name: &'a str, keys: u8) -> Self {
        // Room for a usual entry at once: growing costs more than the node.
        let children = Vec::with_capacity(16);
        Node {
            keys,
            ..Node::new(namespace, name, Content::Interior(children))
        }
    }

    /// A leaf, or one entry of a leaf-list.
    #[inline]
    pub fn value(namespace: &'a str, name: &'a str, value: impl Into<Value<'a>>) -> Self {
        Node::new(namespace, name, Content::Leaf(value.into()))
    }

    /// An anydata or anyxml with its content ready: XML whose elements declare
    /// their namespaces. It is written as it is and never filtered inside.
    pub fn xml(namespace: &'a str, name: &'a str, inside: impl Into<Cow<'a, str>>) -> Self {
        Node::new(namespace, name, Content::Verbatim(inside.into()))
    }

    /// Adds a leaf of the same namespace.
    #[must_use]
    #[inline]
    pub fn leaf(self, name: &'a str, value: impl Into<Value<'a>>) -> Self {
        self.with(Node::value("", name, value))
    }

    /// Adds a leaf if there is a value.
    #[must_use]
    #[inline]
    pub fn leaf_opt(self, name: &'a str, value: Option<impl Into<Value<'a>>>) -> Self {
        match value {
            Some(value) => self.leaf(name, value),
            None => self,
        }
    }

    /// Adds a leaf with its relation to its default.
    #[must_use]
    pub fn leaf_defaulted(
        self,
        name: &'a str,
        value: impl Into<Value<'a>>,
        defaulted: Defaulted,
    ) -> Self {
        self.with(Node::value("", name, value).defaulted(defaulted))
    }

    /// Adds the entries of a leaf-list.
    #[must_use]
    pub fn leaf_list<V: Into<Value<'a>>>(
        self,
        name: &'a str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.with_all(values.into_iter().map(|value| Node::value("", name, value)))
    }

    /// Adds the entries of a list: `entry` fills each one, keys first.
    #[must_use]
    pub fn list<T>(
        self,
        name: &'a str,
        keys: u8,
        items: impl IntoIterator<Item = T>,
        entry: impl Fn(Node<'a>, T) -> Node<'a>,
    ) -> Self {
        self.with_all(
            items
                .into_iter()
                .map(|item| entry(Node::entry("", name, keys), item)),
        )
    }

    /// Adds a child.
    ///
    /// # Panics
    /// If the node is a leaf or holds ready XML.
    #[must_use]
    #[inline]
    pub fn with(mut self, child: Node<'a>) -> Self {
        self.push(child);
        self
    }

    /// Adds a child if there is one.
    #[must_use]
    pub fn with_opt(self, child: Option<Node<'a>>) -> Self {
        self.with_all(child)
    }

    /// Adds children.
    #[must_use]
    pub fn with_all(mut self, children: impl IntoIterator<Item = Node<'a>>) -> Self {
        for child in children {
            self.push(child);
        }
        self
    }

    /// Adds a child in place; see [`with`](Self::with).
    ///
    /// # Panics
    /// If the node is a leaf or holds ready XML.
    #[inline]
    pub fn push(&mut self, child: Node<'a>) {
        match &mut self.content {
            Content::Interior(children) => children.push(child),
            Content::Leaf(_) | Content::Verbatim(_) => {
                panic!("<{}> cannot have children", self.name)
            }
        }
    }

    /// Marks it, and with it everything below, as state (`config false`).
    #[must_use]
    pub fn state(mut self) -> Self {
        self.config = false;
        self
    }

    /// Sets the relation of a leaf to its default.
    #[must_use]
    pub fn defaulted(mut self, defaulted: Defaulted) -> Self {
        self.defaulted = defaulted;
        self
    }

    /// Adds metadata (RFC 7952), such as `or:origin`.
    #[must_use]
    pub fn metadata(
        mut self,
        prefix: &'a str,
        namespace: &'a str,
        name: &'a str,
        value: impl Into<Cow<'a, str>>,
    ) -> Self {
        self.attributes.push(Metadata {
            prefix,
            namespace,
            name,
            value: value.into(),
        });
        self
    }

    /// Declares a prefix that its value uses, as an instance-identifier does.
    #[must_use]
    pub fn prefix(self, prefix: &'a str, namespace: &'a str) -> Self {
        self.metadata("xmlns", namespace::XMLNS, prefix, namespace)
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Its namespace; empty if it is that of its parent.
    pub fn namespace(&self) -> &'a str {
        self.namespace
    }

    /// Its children; none for a leaf.
    pub fn children(&self) -> &[Node<'a>] {
        match &self.content {
            Content::Interior(children) => children,
            Content::Leaf(_) | Content::Verbatim(_) => &[],
        }
    }

    /// Its value, if it is a leaf.
    pub fn leaf_value(&self) -> Option<&Value<'a>> {
        match &self.content {
            Content::Leaf(value) => Some(value),
            Content::Interior(_) | Content::Verbatim(_) => None,
        }
    }

    pub(crate) fn key_leaves(&self) -> &[Node<'a>] {
        let children = self.children();
        &children[..usize::from(self.keys).min(children.len())]
    }
}
