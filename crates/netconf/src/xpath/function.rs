//! The functions of XPath 1.0 §4 and RFC 7950 §10: names, arguments and types.
//!
//! Their evaluation is in [`super::call`]. `derived-from()` and `derived-from-or-self()` take the name of
//! an identity instead of a value, so they are operations of their own ([`Derived`](super::expression::Derived)). `id()` is not among them, for no YANG data have
//! identifiers of that kind, and neither is `deref()`, which needs the types of leaves.

use super::kind::Kind;

macro_rules! functions {
    ($($function:ident $name:literal $signature:literal $least:literal $most:literal $kind:ident;)+) => {
        /// A function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function { $($function),+ }

        impl Function {
            /// The function of that name.
            pub(super) fn of(name: &str) -> Option<Self> {
                Some(match name { $($name => Self::$function,)+ _ => return None })
            }

            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$function => $name),+ }
            }

            /// The arguments that it takes, in words.
            pub(super) fn signature(self) -> &'static str {
                match self { $(Self::$function => $signature),+ }
            }

            /// The type of its value.
            pub(super) fn yields(self) -> Kind {
                match self { $(Self::$function => Kind::$kind),+ }
            }

            /// The least and the greatest number of arguments.
            fn count(self) -> (usize, usize) {
                match self { $(Self::$function => ($least, $most)),+ }
            }
        }
    };
}

functions! {
    BitIsSet "bit-is-set" "a node-set and a string" 2 2 Boolean;
    Boolean "boolean" "one argument" 1 1 Boolean;
    Ceiling "ceiling" "a number" 1 1 Number;
    Concat "concat" "two strings or more" 2 4096 Text;
    Contains "contains" "two strings" 2 2 Boolean;
    Count "count" "a node-set" 1 1 Number;
    Current "current" "nothing" 0 0 Nodes;
    EnumValue "enum-value" "a node-set" 1 1 Number;
    False "false" "nothing" 0 0 Boolean;
    Floor "floor" "a number" 1 1 Number;
    Lang "lang" "a string" 1 1 Boolean;
    Last "last" "nothing" 0 0 Number;
    LocalName "local-name" "a node-set or nothing" 0 1 Text;
    Name "name" "a node-set or nothing" 0 1 Text;
    NamespaceUri "namespace-uri" "a node-set or nothing" 0 1 Text;
    NormalizeSpace "normalize-space" "a string or nothing" 0 1 Text;
    Not "not" "one argument" 1 1 Boolean;
    Number "number" "one argument or nothing" 0 1 Number;
    Position "position" "nothing" 0 0 Number;
    ReMatch "re-match" "two strings" 2 2 Boolean;
    Round "round" "a number" 1 1 Number;
    StartsWith "starts-with" "two strings" 2 2 Boolean;
    String "string" "one argument or nothing" 0 1 Text;
    StringLength "string-length" "a string or nothing" 0 1 Number;
    Substring "substring" "a string and one or two numbers" 2 3 Text;
    SubstringAfter "substring-after" "two strings" 2 2 Text;
    SubstringBefore "substring-before" "two strings" 2 2 Text;
    Sum "sum" "a node-set" 1 1 Number;
    Translate "translate" "three strings" 3 3 Text;
    True "true" "nothing" 0 0 Boolean;
}

impl Function {
    /// True if it can be called with arguments of these kinds.
    pub(super) fn takes(self, kinds: &[Kind]) -> bool {
        let (least, most) = self.count();
        let nodes_first = matches!(
            self,
            Self::BitIsSet
                | Self::Count
                | Self::EnumValue
                | Self::LocalName
                | Self::Name
                | Self::NamespaceUri
                | Self::Sum
        );
        (least..=most).contains(&kinds.len())
            && (!nodes_first || kinds.first().is_none_or(|kind| *kind == Kind::Nodes))
    }

    /// True if it depends on the context by itself, given its number of arguments.
    pub(super) fn reads_context(self, arguments: usize) -> bool {
        let implied = matches!(
            self,
            Self::LocalName
                | Self::Name
                | Self::NamespaceUri
                | Self::NormalizeSpace
                | Self::Number
                | Self::String
                | Self::StringLength
        );
        self.is_positional() || self == Self::Lang || (implied && arguments == 0)
    }

    /// True if it reads the position or the size of the context.
    pub(super) fn is_positional(self) -> bool {
        matches!(self, Self::Position | Self::Last)
    }
}
