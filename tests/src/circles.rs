//! The files of a crate, what each names of the others, and the circles that come of it.
//!
//! A file names another by a path: one that it imports, or one in its code. A name that a module
//! only hands on counts for the file that defines it. Code for tests alone is left out, and so is
//! what stands in the arguments of macros, which are no code before they are expanded. Which
//! circles are allowed is decided in `tests/architecture.rs`.

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
    /// Paths in its code, from the root of the crate.
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
        };
        reader.items(&parsed.items);
        self.0.insert(path.clone(), reader.module);
        for child in reader.children {
            let below = folder.join(&child);
            let inside = [path.as_slice(), &[child.clone()]].concat();
            let file = [folder.join(format!("{child}.rs")), below.join("mod.rs")]
                .into_iter()
                .find(|file| file.exists());
            // A module without a file is in a folder that `#[path]` names, which none of ours does.
            let file = file.unwrap_or_else(|| panic!("module {} has no file", inside.join("::")));
            self.add(inside, &file, &below);
        }
    }

    /// The circles: sets of two modules or more that reach each other.
    pub fn circles(&self) -> Vec<Vec<ModulePath>> {
        let arrows = self.arrows();
        let reached: BTreeMap<_, _> = (arrows.keys())
            .map(|from| (from, reachable(&arrows, from)))
            .collect();
        let mut circles: Vec<Vec<ModulePath>> = Vec::new();
        for (from, to) in &reached {
            let circle: Vec<ModulePath> = (to.iter())
                .filter(|other| reached[*other].contains(*from))
                .cloned()
                .collect();
            if circle.len() > 1 && !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles
    }

    /// Each module with those that it names.
    pub fn arrows(&self) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
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

/// Whether `circle` is a module and modules right below it, as a type and its parts may be.
pub fn is_module_and_children(circle: &[ModulePath]) -> bool {
    let Some(top) = circle.iter().min_by_key(|path| path.len()) else {
        return true;
    };
    (circle.iter()).all(|path| path == top || path.split_last().is_some_and(|(_, up)| up == *top))
}

fn reachable(
    arrows: &BTreeMap<ModulePath, BTreeSet<ModulePath>>,
    from: &ModulePath,
) -> BTreeSet<ModulePath> {
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
                if let Some(path) = self.from_root(before) {
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
        if let Some(path) = self.from_root(&path) {
            self.module
                .imported
                .push((Some(as_name.unwrap_or(last)), path));
        }
    }

    /// The path from the root of the crate; `None` if it leads to another crate.
    fn from_root(&self, path: &[String]) -> Option<Vec<String>> {
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
        if names.len() > 1
            && path.leading_colon.is_none()
            && let Some(path) = self.from_root(&names)
        {
            self.module.named.insert(path);
        }
        syn::visit::visit_path(self, path);
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

/// The file that holds the root of the crate in `folder`: `lib.rs` before `main.rs`.
pub fn roots(folder: &Path) -> Vec<PathBuf> {
    ["lib.rs", "main.rs"]
        .map(|name| folder.join("src").join(name))
        .into_iter()
        .filter(|file| file.exists())
        .collect()
}
