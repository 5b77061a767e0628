//! Writing nodes as XML while matching: RFC 6241 §6.2 as far as it is matching,
//! depth, configuration or state, defaults and access, in one pass.
//!
//! A node that is only on the way to something (an ancestor in a filter, a key,
//! a container without permission of its own) is written first and taken back
//! if nothing below it was selected; so nothing is visited twice.

use super::node::{Content, Defaulted, Node};
use super::render::{end_tag, start_tag, write_terminal};
use crate::filter::{Access, DefaultsMode, Few, Pattern, Projection, View, a_level_down};

/// Appends a top-level node as far as the projection includes it; `out` keeps its length if nothing
/// of it is included.
pub fn write(node: &Node<'_>, projection: &Projection<'_>, out: &mut Vec<u8>) {
    let context = Context::root(projection);
    child(node, &context, projection, false, out);
}

/// Writes a tree piece by piece, for a provider that streams its entries: [`open`](Self::open) a
/// container, give each [`node`](Self::node), [`close`](Self::close). A container that stays empty
/// is removed again.
#[derive(Debug)]
pub struct Writer<'w> {
    projection: &'w Projection<'w>,
    out: &'w mut Vec<u8>,
    root: Context<'w>,
    frames: Vec<Frame<'w>>,
}

#[derive(Debug)]
struct Frame<'w> {
    context: Context<'w>,
    name: &'w str,
    start: usize,
    inside: usize,
    selected: bool,
}

impl<'w> Writer<'w> {
    /// A writer at the root of the data.
    pub fn new(projection: &'w Projection<'w>, out: &'w mut Vec<u8>) -> Self {
        Writer {
            root: Context::root(projection),
            projection,
            out,
            frames: Vec::new(),
        }
    }

    /// Reserves capacity for `bytes` more, for a provider of large answers.
    pub fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes);
    }

    /// Opens a container or list entry, with the children it has so far: at least its keys and what
    /// a filter may match on. Returns false if nothing in it is selected; it is not open then.
    pub fn open(&mut self, node: &Node<'w>) -> bool {
        let context = self.context();
        let Some((inner, selected)) = enter(node, context) else {
            return false;
        };
        let start = self.out.len();
        start_tag(node, context.namespace, inner.namespace, self.out);
        let inside = self.out.len();
        let selected = children(node, &inner, self.projection, self.out) | selected;
        self.frames.push(Frame {
            context: inner,
            name: node.name,
            start,
            inside,
            selected,
        });
        true
    }

    /// Writes a node inside what is open.
    pub fn node(&mut self, node: &Node<'_>) {
        match self.frames.last_mut() {
            Some(frame) => {
                frame.selected |= child(node, &frame.context, self.projection, false, self.out);
            }
            None => {
                child(node, &self.root, self.projection, false, self.out);
            }
        }
    }

    /// The view of the children of the open node: what is asked for and may be read.
    pub fn view(&self) -> View<'w> {
        self.context().view.clone()
    }

    fn context(&self) -> &Context<'w> {
        let innermost = self.frames.last();
        innermost.map_or(&self.root, |frame| &frame.context)
    }

    /// Closes what was opened last.
    ///
    /// # Panics
    /// If nothing is open.
    pub fn close(&mut self) {
        let frame = self.frames.pop().expect("close follows an open that held");
        if !frame.selected {
            self.out.truncate(frame.start);
            return;
        }
        end_tag(frame.name, frame.inside, self.out);
        if let Some(parent) = self.frames.last_mut() {
            parent.selected = true;
        }
    }
}

/// The context in which the children of one node are written.
#[derive(Debug, Clone)]
struct Context<'c> {
    /// The namespace of the node; children that name none inherit it.
    namespace: &'c str,
    /// The selected and readable part of them.
    view: View<'c>,
    /// True if the node is permitted itself, not only as an ancestor.
    permitted: bool,
    config: bool,
}

impl<'c> Context<'c> {
    fn root(projection: &Projection<'c>) -> Self {
        Context {
            namespace: "",
            view: projection.view(),
            permitted: true,
            config: true,
        }
    }

    /// True if nothing below can be left out, except by defaults.
    fn is_unrestricted(&self) -> bool {
        self.view.patterns.is_none()
            && self.view.depth == u32::MAX
            && self.view.config.is_none()
            && self.permitted
            && self.view.permit.is_open()
    }

    /// Returns `None` if a leaf must not be shown, else whether it is shown for its own sake: a key
    /// is also shown where its entry is only the ancestor of a permitted node.
    fn shows(&self, namespace: &str, leaf: &Node<'_>, key: bool) -> Option<bool> {
        match self.view.permit.judges(namespace, leaf) {
            Some(permitted) => permitted.then_some(true),
            None => (key && !self.permitted).then_some(false),
        }
    }
}

fn namespace_of<'n>(node: &Node<'n>, inherited: &'n str) -> &'n str {
    if node.namespace.is_empty() {
        inherited
    } else {
        node.namespace
    }
}

/// Writes a child as far as it is selected; returns whether it was selected, not merely needed.
/// Keys are written with an entry in any case but one: a rule that denies them.
fn child(
    node: &Node<'_>,
    context: &Context<'_>,
    projection: &Projection<'_>,
    key: bool,
    out: &mut Vec<u8>,
) -> bool {
    if !matches!(node.content, Content::Interior(_)) {
        return terminal(node, context, projection, key, out);
    }
    let Some((inner, selected)) = enter(node, context) else {
        return false;
    };
    let start = out.len();
    start_tag(node, context.namespace, inner.namespace, out);
    let inside = out.len();
    if inner.is_unrestricted() {
        whole_children(
            node,
            inner.namespace,
            inner.config,
            projection.defaults,
            out,
        );
    } else if !(children(node, &inner, projection, out) | selected) {
        out.truncate(start);
        return false;
    }
    end_tag(node.name, inside, out);
    true
}

fn children(
    node: &Node<'_>,
    context: &Context<'_>,
    projection: &Projection<'_>,
    out: &mut Vec<u8>,
) -> bool {
    let mut selected = false;
    for (index, one) in node.children().iter().enumerate() {
        let key = index < usize::from(node.keys);
        selected |= child(one, context, projection, key, out);
    }
    selected
}

/// Decides whether to descend into a node; returns the context of its children, and whether the
/// node is selected regardless of them.
fn enter<'c>(node: &Node<'c>, context: &Context<'c>) -> Option<(Context<'c>, bool)> {
    let namespace = namespace_of(node, context.namespace);
    let config = context.config && node.config;
    if context.view.config == Some(true) && !config {
        return None;
    }
    let (permit, permitted) = match context.view.permit.enter(namespace, node) {
        Access::Denied => return None,
        Access::Unpermitted(cursor) if cursor.may_permit() => (cursor, false),
        Access::Unpermitted(_) => return None,
        Access::Permitted(cursor) => (cursor, true),
    };
    let mut inner = Context {
        namespace,
        view: View {
            patterns: None,
            permit,
            ..context.view
        },
        permitted,
        config,
    };
    match &context.view.patterns {
        None => inner.view.depth = a_level_down(context.view.depth)?,
        Some(above) => match met(node, &inner, above)? {
            Met::Whole => inner.view.depth = a_level_down(context.view.max_depth)?,
            Met::Partly(patterns) => inner.view.patterns = Some(patterns),
        },
    }
    let wanted = context.view.config;
    let selected =
        inner.view.patterns.is_none() && permitted && wanted.is_none_or(|wanted| wanted == config);
    Some((inner, selected))
}

enum Met<'c> {
    Whole,
    Partly(Few<'c, Pattern>),
}

/// The filter nodes that an interior node meets, conditions included: conditions see only what may
/// be read, or a filter would reveal the rest (RFC 8341 §3.2.4).
fn met<'c>(node: &Node<'_>, inner: &Context<'_>, above: &Few<'c, Pattern>) -> Option<Met<'c>> {
    let namespace = inner.namespace;
    let shown = |index: usize, leaf: &Node<'_>| {
        let key = index < usize::from(node.keys);
        inner
            .shows(namespace_of(leaf, namespace), leaf, key)
            .is_some()
    };
    let mut partly = Few::none();
    for pattern in above.iter().flat_map(|pattern| &pattern.children) {
        if pattern.means(namespace, node) && pattern.holds(namespace, node.children(), shown) {
            if pattern.whole {
                return Some(Met::Whole);
            }
            partly.push(pattern);
        }
    }
    (!partly.is_empty()).then_some(Met::Partly(partly))
}

/// A leaf, or ready XML.
fn terminal(
    node: &Node<'_>,
    context: &Context<'_>,
    projection: &Projection<'_>,
    key: bool,
    out: &mut Vec<u8>,
) -> bool {
    let namespace = namespace_of(node, context.namespace);
    let mut selected = match &context.view.patterns {
        None => context.view.depth > 0,
        Some(above) => selects_terminal(node, namespace, context.namespace, above),
    };
    if !selected && !key {
        return false;
    }
    let config = context.config && node.config;
    selected &= context.view.config.is_none_or(|wanted| wanted == config);
    let Some(for_its_own_sake) = context.shows(namespace, node, key) else {
        return false;
    };
    selected &= for_its_own_sake;
    if !key && (!selected || hides(projection.defaults, node.defaulted, config)) {
        return false;
    }
    write_terminal(node, context.namespace, namespace, projection.defaults, out);
    selected
}

fn selects_terminal(
    node: &Node<'_>,
    namespace: &str,
    parent_namespace: &str,
    above: &Few<'_, Pattern>,
) -> bool {
    above.iter().any(|pattern| {
        pattern.children.iter().any(|child| {
            child.means(namespace, node)
                && match &node.content {
                    Content::Leaf(value) => child.selects_leaf(value),
                    _ => child.value.is_none() && child.whole && child.conditions.is_empty(),
                }
        }) || pattern
            .conditions
            .iter()
            .any(|condition| condition.shown && condition.is_met_by(parent_namespace, node))
    })
}

/// RFC 6243 §3: true if a mode leaves out a leaf.
fn hides(mode: DefaultsMode, defaulted: Defaulted, config: bool) -> bool {
    match mode {
        DefaultsMode::ReportAll | DefaultsMode::ReportAllTagged => false,
        DefaultsMode::Trim => defaulted != Defaulted::No,
        // §2.3.1: state that equals its default is reported.
        DefaultsMode::Explicit => defaulted == Defaulted::Implicit && config,
    }
}

/// Writes all children with everything below them, but for defaults.
fn whole_children(
    node: &Node<'_>,
    namespace: &str,
    config: bool,
    mode: DefaultsMode,
    out: &mut Vec<u8>,
) {
    for (index, one) in node.children().iter().enumerate() {
        let key = index < usize::from(node.keys);
        if key || !hides(mode, one.defaulted, config && one.config) {
            whole(one, namespace, config, mode, out);
        }
    }
}

fn whole(node: &Node<'_>, inherited: &str, config: bool, mode: DefaultsMode, out: &mut Vec<u8>) {
    let namespace = if node.namespace.is_empty() {
        inherited
    } else {
        node.namespace
    };
    let config = config && node.config;
    match &node.content {
        Content::Interior(_) => {
            start_tag(node, inherited, namespace, out);
            let inside = out.len();
            whole_children(node, namespace, config, mode, out);
            end_tag(node.name, inside, out);
        }
        _ => write_terminal(node, inherited, namespace, mode, out),
    }
}
