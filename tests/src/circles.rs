//! The files of a crate, what each names of the others, and the circles that come of it.
//!
//! A file names another by a path: one that it imports, or one in its code, arguments of macros
//! included. A name that a module only hands on counts for the file that defines it. Left out are code
//! for tests alone, methods that are called on a value, and programs in `src/bin`. That there is no
//! forbidden circle is held by `tests/architecture.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::Visit;
use syn::{Attribute, Item, UseTree};

/// The place of a module in its crate, such as `["tasks", "view"]`; the crate's root is empty.
pub type ModulePath = Vec<String>;

/// The modules of one crate that have a file of their own.
#[derive(Default)]
pub struct Modules(BTreeMap<ModulePath, Module>);

#[derive(Default)]
struct Module {
    defined: BTreeSet<String>,
    /// What the module names by an import, and where that leads; `None` as a name is a glob.
    imported: Vec<(Option<String>, Vec<String>)>,
    /// Where the paths in its code lead.
    named: BTreeSet<Vec<String>>,
}

impl Modules {
    /// Reads the modules below `root`, a `lib.rs` or `main.rs`.
    ///
    /// # Panics
    /// If a file is missing or is no Rust.
    pub fn read(root: &Path) -> Self {
        let mut modules = Self::default();
        let folder = root.parent().expect("a file stands in a folder");
        modules.add(Vec::new(), root, folder);
        modules
    }

    fn add(&mut self, path: ModulePath, file: &Path, folder: &Path) {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|cause| panic!("reading {}: {cause}", file.display()));
        let parsed = syn::parse_file(&text)
            .unwrap_or_else(|cause| panic!("{} is no Rust: {cause}", file.display()));
        let mut reader = Reader {
            path: path.clone(),
            module: Module::default(),
            children: Vec::new(),
            inside: 0,
            paths: BTreeSet::new(),
        };
        reader.items(&parsed.items);
        reader.resolve();
        self.0.insert(path.clone(), reader.module);
        for child in reader.children {
            let below = folder.join(&child);
            let inside = [path.as_slice(), std::slice::from_ref(&child)].concat();
            let file = [folder.join(format!("{child}.rs")), below.join("mod.rs")]
                .into_iter()
                .find(|file| file.exists());
            // A module without a file is in a folder that `#[path]` names, which none of ours does.
            let file = file.unwrap_or_else(|| panic!("module {} has no file", inside.join("::")));
            self.add(inside, &file, &below);
        }
    }

    /// The circles that are larger than a module and its children: each with the arrows in it.
    pub fn forbidden(&self) -> Vec<BTreeMap<ModulePath, BTreeSet<ModulePath>>> {
        let arrows = self.arrows();
        let circles = circles(&arrows).into_iter();
        circles
            .map(|circle| among(&arrows, &circle))
            .filter(|circle| !is_module_and_children(circle))
            .collect()
    }

    /// Each module with those that it names.
    fn arrows(&self) -> Arrows {
        (self.0.iter())
            .map(|(path, module)| {
                let imported = module.imported.iter().map(|(_, target)| target);
                let named = imported.chain(&module.named);
                let mut targets: BTreeSet<_> =
                    named.filter_map(|target| self.home(target, 0)).collect();
                targets.remove(path);
                (path.clone(), targets)
            })
            .collect()
    }

    /// The module that defines what `target` leads to; `None` if it is no module of this crate.
    fn home(&self, target: &[String], hops: usize) -> Option<ModulePath> {
        let (path, module) = (0..=target.len())
            .rev()
            .find_map(|length| self.0.get_key_value(&target[..length]))?;
        let Some(name) = target.get(path.len()) else {
            return Some(path.clone());
        };
        // Two modules may hand each other's names on.
        if module.defined.contains(name) || hops > 8 {
            return Some(path.clone());
        }
        let handed_on = module.imported.iter().find_map(|(as_name, leads)| {
            let mut leads = leads.clone();
            match as_name {
                Some(as_name) if as_name == name => {}
                None if self.defines(&leads, name) => leads.push(name.clone()),
                _ => return None,
            }
            leads.extend_from_slice(&target[path.len() + 1..]);
            Some(leads)
        });
        match handed_on {
            Some(leads) if leads != target => self.home(&leads, hops + 1),
            _ => Some(path.clone()),
        }
    }

    fn defines(&self, path: &[String], name: &str) -> bool {
        self.0.get(path).is_some_and(|module| {
            module.defined.contains(name)
                || (module.imported.iter()).any(|(as_name, _)| as_name.as_deref() == Some(name))
        })
    }
}

type Arrows = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

/// Sets of two modules or more that reach each other.
fn circles(arrows: &Arrows) -> BTreeSet<BTreeSet<ModulePath>> {
    let reached: BTreeMap<_, _> = (arrows.keys())
        .map(|from| (from, reachable(arrows, from)))
        .collect();
    let with_each = reached.iter().map(|(from, to)| {
        let back = to.iter().filter(|other| reached[*other].contains(*from));
        back.cloned().collect::<BTreeSet<_>>()
    });
    with_each.filter(|circle| circle.len() > 1).collect()
}

fn among(arrows: &Arrows, some: &BTreeSet<ModulePath>) -> Arrows {
    (some.iter())
        .map(|from| (from.clone(), &arrows[from] & some))
        .collect()
}

/// Whether a circle is a module and modules right below it, of which no two are in a circle
/// without it.
fn is_module_and_children(circle: &Arrows) -> bool {
    let top = circle.keys().min_by_key(|path| path.len());
    let Some(top) = top else { return true };
    let children: BTreeSet<ModulePath> =
        circle.keys().filter(|path| *path != top).cloned().collect();
    let are_below =
        (children.iter()).all(|path| path.split_last().is_some_and(|(_, up)| up == *top));
    are_below && circles(&among(circle, &children)).is_empty()
}

fn reachable(arrows: &Arrows, from: &ModulePath) -> BTreeSet<ModulePath> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for target in &arrows[next] {
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    seen
}

/// Reads one file.
struct Reader {
    path: ModulePath,
    module: Module,
    children: Vec<String>,
    /// How many modules written out in this file are around what is read.
    inside: usize,
    /// Paths that begin with a name, which an import may explain.
    paths: BTreeSet<Vec<String>>,
}

impl Reader {
    fn items(&mut self, items: &[Item]) {
        // A relative path may begin with the name of a child, so these come first.
        for item in items {
            match item {
                Item::Mod(module) if module.content.is_none() && !for_tests(&module.attrs) => {
                    self.children.push(module.ident.to_string());
                }
                _ => self.module.defined.extend(name_of(item)),
            }
        }
        for item in items {
            self.visit_item(item);
        }
    }

    /// Takes in a path of the code.
    fn name(&mut self, path: Vec<String>) {
        match self.absolute(&path) {
            Some(path) => drop(self.module.named.insert(path)),
            None => drop(self.paths.insert(path)),
        }
    }

    /// Follows the paths that begin with a name which this file imports.
    fn resolve(&mut self) {
        for path in std::mem::take(&mut self.paths) {
            let head = self.module.imported.iter().find_map(|(as_name, leads)| {
                (as_name.as_ref() == path.first()).then(|| leads.clone())
            });
            if let Some(head) = head {
                let path = [head.as_slice(), &path[1..]].concat();
                self.module.named.insert(path);
            }
        }
    }

    fn import(&mut self, before: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(before, tree);
                }
            }
            UseTree::Name(name) => self.imported(before, &name.ident.to_string(), None),
            UseTree::Rename(name) => {
                let as_name = name.rename.to_string();
                self.imported(before, &name.ident.to_string(), Some(as_name));
            }
            UseTree::Glob(_) => {
                if let Some(path) = self.absolute(before) {
                    self.module.imported.push((None, path));
                }
            }
        }
    }

    fn imported(&mut self, before: &[String], name: &str, as_name: Option<String>) {
        let mut path = before.to_vec();
        if name != "self" {
            path.push(name.to_owned());
        }
        let last = path.last().cloned().unwrap_or_default();
        if let Some(path) = self.absolute(&path) {
            self.module
                .imported
                .push((Some(as_name.unwrap_or(last)), path));
        }
    }

    /// The path from the root of the crate; `None` if it leads to another crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([&self.path, rest].concat()),
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let kept = (self.path.len() + self.inside).checked_sub(ups)?;
                let kept = &self.path[..kept.min(self.path.len())];
                Some([kept, &path[ups..]].concat())
            }
            child if self.children.iter().any(|name| name == child) => {
                Some([&self.path, path].concat())
            }
            _ => None,
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Fn(function) => &function.attrs,
            Item::Impl(block) => &block.attrs,
            Item::Mod(module) => &module.attrs,
            Item::Use(import) => &import.attrs,
            _ => &[],
        };
        if for_tests(attributes) {
            return;
        }
        match item {
            Item::Use(import) if import.leading_colon.is_none() => {
                self.import(&mut Vec::new(), &import.tree);
            }
            Item::Mod(_) => {
                self.inside += 1;
                syn::visit::visit_item(self, item);
                self.inside -= 1;
            }
            _ => syn::visit::visit_item(self, item),
        }
    }

    /// Who may see an item is no use of it.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = (path.segments.iter())
            .map(|segment| segment.ident.to_string())
            .collect();
        if names.len() > 1 && path.leading_colon.is_none() {
            self.name(names);
        }
        syn::visit::visit_path(self, path);
    }

    /// What a macro is given is no code yet: paths in it are known by how they begin.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let tokens = call.tokens.to_string().replace(" :: ", "::");
        let words = tokens.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            if words[..at].ends_with(&["pub", "in"]) {
                continue;
            }
            let names: Vec<String> = word.split("::").map(str::to_owned).collect();
            let begins = ["crate", "super", "self"].contains(&names[0].as_str());
            if begins && names.len() > 1 && names.iter().all(|name| !name.is_empty()) {
                self.name(names);
            }
        }
    }
}

fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Meta>()
                .is_ok_and(|meta| meta.path().is_ident("test"))
    })
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) if item.content.is_some() => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The roots of the crates in `folder`: its library, its command, or both.
pub fn roots(folder: &Path) -> Vec<PathBuf> {
    ["lib.rs", "main.rs"]
        .map(|name| folder.join("src").join(name))
        .into_iter()
        .filter(|file| file.exists())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forbidden circles of a crate with these files, as the modules in each.
    fn forbidden(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("a folder");
            std::fs::write(file, text).expect("a file");
        }
        let modules = Modules::read(&folder.path().join("lib.rs"));
        let circles = modules.forbidden().into_iter();
        circles
            .map(|circle| {
                circle
                    .keys()
                    .map(|path| path.join("::"))
                    .collect::<Vec<_>>()
            })
            .map(|circle| circle.join(" "))
            .collect()
    }

    const AB: (&str, &str) = ("lib.rs", "mod a; mod b;");
    const B_NAMES_A: (&str, &str) = ("b.rs", "use crate::a::A; pub struct B(A);");

    #[test]
    fn two_files_that_name_each_other_are_found_however_they_do() {
        for names_b in [
            "use crate::b::B; pub struct A;",
            "use crate::{b::{self as other}}; pub struct A; fn f(_: other::B) {}",
            "use super::b::*; pub struct A;",
            "pub struct A; fn f() -> crate::b::B { todo() }",
            "pub struct A; fn f(b: u8) -> bool { matches!(b, crate::b::X) }",
            "pub struct A; mod inside { use super::super::b::B; }",
            "pub struct A; fn f() { use crate::b; b::g(); }",
        ] {
            let found = forbidden(&[AB, ("a.rs", names_b), B_NAMES_A]);
            assert_eq!(found, ["a b"], "{names_b}");
        }
    }

    #[test]
    fn what_is_handed_on_or_imported_in_part_leads_to_who_defines_it() {
        let handed_on = ("lib.rs", "mod a; mod b; pub use b::B;");
        let a = ("a.rs", "use crate::B; pub struct A;");
        assert_eq!(forbidden(&[handed_on, a, B_NAMES_A]), ["a b"]);
        let a = ("a.rs", "pub mod x;");
        let x = ("a/x.rs", "use crate::b::B; pub fn f() {}");
        let b = ("b.rs", "use crate::a; pub struct B; fn g() { a::x::f() }");
        assert_eq!(forbidden(&[AB, a, x, b]), ["a::x b"]);
    }

    #[test]
    fn tests_visibilities_and_other_crates_make_no_circle() {
        for names_nothing in [
            "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
            "pub(in crate::b) struct A;",
            "use ::b::B; pub struct A;",
        ] {
            let found = forbidden(&[AB, ("a.rs", names_nothing), B_NAMES_A]);
            assert!(found.is_empty(), "{names_nothing}: {found:?}");
        }
    }

    #[test]
    fn a_module_may_be_in_a_circle_with_its_children_but_not_they_with_each_other() {
        let root = ("lib.rs", "mod a;");
        let a = (
            "a.rs",
            "mod x; mod y; use x::X; use y::Y; pub struct A(X, Y);",
        );
        let x = ("a/x.rs", "use super::A; pub struct X;");
        let y = ("a/y.rs", "use super::A; pub struct Y;");
        assert!(forbidden(&[root, a, x, y]).is_empty());
        let x = ("a/x.rs", "use super::y::Y; pub struct X;");
        let y = ("a/y.rs", "use super::{A, x::X}; pub struct Y;");
        assert_eq!(forbidden(&[root, a, x, y]), ["a a::x a::y"]);
    }
}
