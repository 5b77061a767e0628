//! Walking data trees: XPath, pruning, and checks that libyang leaves out.

use super::*;

impl Tree<'_> {
    /// The elements that `xpath` selects, with prefixes bound as in XML.
    pub(crate) fn find(
        &self,
        xpath: &CStr,
        prefixes: &[(CString, CString)],
    ) -> Result<Selection, LibraryError> {
        if self.is_empty() {
            return Ok(Selection::default());
        }
        let records: Vec<Namespace> = prefixes
            .iter()
            .map(|(prefix, uri)| Namespace {
                prefix: prefix.as_ptr(),
                uri: uri.as_ptr(),
                depth: 1,
            })
            .collect();
        clear_errors(self.context);
        // SAFETY: both sets are freed here, their elements are not owned. The
        // records and strings live until the end of the call. `root` is not
        // NULL, as checked above, and alive.
        unsafe {
            let mut bound = null_mut();
            let mut code = ffi::ly_set_new(&raw mut bound);
            for record in &records {
                if code == ffi::LY_ERR::LY_SUCCESS {
                    code = ffi::ly_set_add(bound, std::ptr::from_ref(record).cast(), 1, null_mut());
                }
            }
            let mut found: *mut ffi::ly_set = null_mut();
            if code == ffi::LY_ERR::LY_SUCCESS {
                code = ffi::lyd_find_xpath3(
                    null(),
                    self.root,
                    xpath.as_ptr(),
                    ffi::LY_VALUE_FORMAT::LY_VALUE_XML,
                    bound.cast(),
                    null(),
                    &raw mut found,
                );
            }
            ffi::ly_set_free(bound, None);
            let mut nodes = Selection::default();
            if code == ffi::LY_ERR::LY_SUCCESS && !found.is_null() {
                for index in 0..(*found).count as usize {
                    nodes.0.insert(*(*found).__bindgen_anon_1.dnodes.add(index));
                }
            }
            ffi::ly_set_free(found, None);
            if code == ffi::LY_ERR::LY_SUCCESS {
                Ok(nodes)
            } else {
                Err(errors(self.context, code).swap_remove(0))
            }
        }
    }

    /// Frees every node that is neither selected, nor below a selected one,
    /// nor above one, nor a key of a list entry above one.
    pub(crate) fn retain(&mut self, selection: &Selection) {
        let mut above = HashSet::new();
        for &node in &selection.0 {
            // SAFETY: selected nodes and their parents are of our living tree.
            let mut parent = unsafe { (*node).parent };
            while !parent.is_null() && above.insert(parent) {
                // SAFETY: as above.
                parent = unsafe { (*parent).parent };
            }
        }
        // SAFETY: `root` is NULL or a living node; `siblings` looks for the first.
        let mut open = unsafe { siblings(self.root) };
        let mut root = null_mut();
        while let Some(node) = open.pop() {
            // SAFETY: each node is visited once, before it is freed; children
            // are listed only for nodes that stay.
            unsafe {
                if selection.0.contains(&node) {
                    keep_root(&mut root, node);
                } else if above.contains(&node) {
                    keep_root(&mut root, node);
                    open.extend(children(node));
                } else if !is_key(node) {
                    ffi::lyd_free_tree(node);
                }
            }
        }
        // SAFETY: as above; libyang wants the first sibling when it prints.
        self.root = unsafe { siblings(root) }
            .first()
            .copied()
            .unwrap_or(null_mut());
    }

    /// True if the tree is one element, of this name and module.
    pub(crate) fn only_root_is(&self, module: &str, name: &str) -> bool {
        // SAFETY: `root` is NULL or alive, and so are its siblings; the schema
        // and its names live with the context.
        unsafe {
            let [root] = siblings(self.root)[..] else {
                return false;
            };
            let schema = (*root).schema;
            !schema.is_null()
                && copied((*schema).name).as_deref() == Some(name)
                && copied((*(*schema).module).name).as_deref() == Some(module)
        }
    }

    /// A mandatory leaf, anydata or anyxml that some node of the tree lacks, as (path of the node,
    /// name of the missing child). For `sx:structure`, whose mandatory nodes libyang 5.4 does not
    /// check.
    pub(crate) fn missing_mandatory(&self) -> Option<(String, String)> {
        // SAFETY: `root` is NULL or alive, and nothing is freed while walking;
        // `lysc_node_child` answers NULL for nodes that have no children.
        unsafe {
            let mut open: Vec<_> = siblings(self.root)
                .into_iter()
                .map(|node| (String::new(), node))
                .collect();
            while let Some((above, node)) = open.pop() {
                let schema = (*node).schema;
                if schema.is_null() {
                    continue;
                }
                let name = copied((*schema).name).unwrap_or_default();
                let path = if above.is_empty() {
                    format!(
                        "/{}:{name}",
                        copied((*(*schema).module).name).unwrap_or_default()
                    )
                } else {
                    format!("{above}/{name}")
                };
                let below = children(node);
                let mut wanted = ffi::lysc_node_child(schema);
                while !wanted.is_null() {
                    let single = ffi::LYS_LEAF | ffi::LYS_ANYDATA;
                    let is_mandatory = u32::from((*wanted).nodetype) & single != 0
                        && u32::from((*wanted).flags) & ffi::LYS_MAND_TRUE != 0;
                    if is_mandatory && !below.iter().any(|&child| (*child).schema == wanted) {
                        return Some((path, copied((*wanted).name).unwrap_or_default()));
                    }
                    wanted = (*wanted).next;
                }
                open.extend(below.into_iter().map(|child| (path.clone(), child)));
            }
        }
        None
    }
}

/// Selected nodes of one [`Tree`]; only ever compared with nodes of that tree.
#[derive(Debug, Default)]
pub(crate) struct Selection(HashSet<*mut ffi::lyd_node>);

impl Selection {
    /// True if nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// `struct lyxml_ns` of libyang's xml.h; the prefix data of `LY_VALUE_XML` are a set of these.
#[repr(C)]
struct Namespace {
    prefix: *const c_char,
    uri: *const c_char,
    depth: u32,
}

/// Updates `root` if `node`, which stays, is a node of the top level.
///
/// # Safety
/// `node` is alive.
unsafe fn keep_root(root: &mut *mut ffi::lyd_node, node: *mut ffi::lyd_node) {
    // SAFETY: the caller's promise.
    if unsafe { (*node).parent }.is_null() {
        *root = node;
    }
}

/// All siblings of a node, the first one first, itself included; none for NULL.
///
/// # Safety
/// `node` is NULL or alive.
unsafe fn siblings(node: *mut ffi::lyd_node) -> Vec<*mut ffi::lyd_node> {
    let mut found = Vec::new();
    if node.is_null() {
        return found;
    }
    // SAFETY: `prev` of the first sibling is the last one, whose `next` is NULL
    // (tree_data.h), so walking back stops at the first.
    unsafe {
        let mut first = node;
        while !(*(*first).prev).next.is_null() {
            first = (*first).prev;
        }
        while !first.is_null() {
            found.push(first);
            first = (*first).next;
        }
    }
    found
}

/// The children of a node: libyang's inline `lyd_child_any`; none for NULL.
///
/// # Safety
/// `node` is NULL or alive.
pub(super) unsafe fn children(node: *mut ffi::lyd_node) -> Vec<*mut ffi::lyd_node> {
    const INNER: u32 = ffi::LYS_CONTAINER
        | ffi::LYS_LIST
        | ffi::LYS_RPC
        | ffi::LYS_ACTION
        | ffi::LYS_NOTIF
        | ffi::LYS_ANYDATA;
    if node.is_null() {
        return Vec::new();
    }
    // SAFETY: a node without schema is opaque; the kinds named above have the
    // layout of `lyd_node_inner` up to `child` (tree_data.h).
    unsafe {
        let schema = (*node).schema;
        let child = if schema.is_null() {
            (*node.cast::<ffi::lyd_node_opaq>()).child
        } else if u32::from((*schema).nodetype) & INNER != 0 {
            (*node.cast::<ffi::lyd_node_inner>()).child
        } else {
            null_mut()
        };
        siblings(child)
    }
}

/// True for the key leaf of a list entry.
///
/// # Safety
/// `node` is alive.
unsafe fn is_key(node: *mut ffi::lyd_node) -> bool {
    // SAFETY: the caller's promise; schema nodes live with the context.
    unsafe {
        let schema = (*node).schema;
        !schema.is_null()
            && !(*node).parent.is_null()
            && u32::from((*schema).nodetype) & ffi::LYS_LEAF != 0
            && u32::from((*schema).flags) & ffi::LYS_KEY != 0
    }
}
