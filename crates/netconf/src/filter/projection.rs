//! The decision which nodes an answer holds, in one value: filter, depth, access, defaults.

use super::{Cursor, Few, Pattern, PermitTree, Selection, View};

/// The handling of default values in reports (RFC 6243 §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DefaultsMode {
    /// All nodes.
    ReportAll,
    /// All nodes; those that no client set carry `wd:default="true"`.
    ReportAllTagged,
    /// All nodes except leaves that equal their default.
    Trim,
    /// All nodes except configuration leaves that no client set.
    #[default]
    Explicit,
}

impl DefaultsMode {
    /// The mode with this text in `<with-defaults>`.
    pub fn from_wire(text: &str) -> Option<Self> {
        Some(match text {
            "report-all" => DefaultsMode::ReportAll,
            "report-all-tagged" => DefaultsMode::ReportAllTagged,
            "trim" => DefaultsMode::Trim,
            "explicit" => DefaultsMode::Explicit,
            _ => return None,
        })
    }
}

/// The nodes that an answer holds, and the form in which it does.
#[derive(Debug, Clone)]
pub struct Projection<'p> {
    /// `None`: everything.
    patterns: Option<Few<'p, Pattern>>,
    max_depth: Option<u16>,
    pub(crate) config: Option<bool>,
    pub(crate) defaults: DefaultsMode,
    permit: Option<&'p PermitTree>,
}

impl Projection<'static> {
    /// All nodes, to any depth, to anyone; defaults in mode explicit.
    pub fn everything() -> Self {
        Projection {
            patterns: None,
            max_depth: None,
            config: None,
            defaults: DefaultsMode::default(),
            permit: None,
        }
    }
}

impl<'p> Projection<'p> {
    /// The nodes that a filter selects.
    pub fn of(selection: &'p Selection) -> Self {
        Projection {
            patterns: (!selection.is_everything()).then(|| Few::one(&*selection.root)),
            ..Projection::everything()
        }
    }

    /// Levels of nodes below and including each selected node (RFC 8526 §3.1.1):
    /// 1 is the node alone. Keys are written with their entry at any depth.
    #[must_use]
    pub fn max_depth(mut self, levels: Option<u16>) -> Self {
        self.max_depth = levels;
        self
    }

    /// Restricts it to configuration, or to state with the ancestors it needs.
    #[must_use]
    pub fn config(mut self, config: Option<bool>) -> Self {
        self.config = config;
        self
    }

    /// Sets the handling of default values.
    #[must_use]
    pub fn defaults(mut self, mode: DefaultsMode) -> Self {
        self.defaults = mode;
        self
    }

    /// Restricts it to the nodes that these rules permit.
    #[must_use]
    pub fn permit(mut self, tree: &'p PermitTree) -> Self {
        self.permit = Some(tree);
        self
    }

    /// The view of the whole datastore: what is asked for and may be read, for providers.
    pub fn view(&self) -> View<'p> {
        let levels = self.max_depth.map_or(u32::MAX, u32::from);
        View {
            patterns: self.patterns.clone(),
            max_depth: levels,
            depth: levels,
            permit: Cursor::new(self.permit),
            config: self.config,
        }
    }
}
