//! Data trees: parse, validate, select, prune, print. Each tree frees itself.

use super::*;

/// The form of an operation's XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The element of an rpc's operation, without `<rpc>`.
    Operation,
    /// The element of an event, without `<notification>`.
    Event,
    /// A whole `<notification>`.
    Notification,
}

/// The error for XML that was not accepted.
#[derive(Debug)]
pub(crate) enum Rejection {
    /// A NUL byte, which C strings cannot hold.
    Nul,
    /// libyang's errors, the first one first; never empty.
    Library(Vec<LibraryError>),
}

/// A parsed tree with its siblings, and the envelope around it if there is one.
pub(crate) struct Tree<'c> {
    pub(super) root: *mut ffi::lyd_node,
    pub(super) operation: *mut ffi::lyd_node,
    pub(super) envelope: *mut ffi::lyd_node,
    pub(super) context: *mut ffi::ly_ctx,
    pub(super) lifetime: PhantomData<&'c Context>,
}

impl Drop for Tree<'_> {
    fn drop(&mut self) {
        // SAFETY: both trees are ours alone; freeing NULL does nothing. The
        // operation is a node of `root`. The context outlives `'c`.
        unsafe {
            ffi::lyd_free_all(self.root);
            ffi::lyd_free_all(self.envelope);
        }
    }
}

impl<'c> Tree<'c> {
    fn empty(context: &'c Context) -> Tree<'c> {
        Tree {
            root: null_mut(),
            operation: null_mut(),
            envelope: null_mut(),
            context: raw(context),
            lifetime: PhantomData,
        }
    }

    fn outcome(&self, code: ffi::LY_ERR::Type) -> Result<(), Rejection> {
        if code == ffi::LY_ERR::LY_SUCCESS {
            return Ok(());
        }
        Err(Rejection::Library(errors(self.context, code)))
    }

    /// Parses data, validating what is there. `parse` and `validate` are
    /// libyang's `LYD_PARSE_…` and `LYD_VALIDATE_…`.
    pub(crate) fn data(
        context: &'c Context,
        xml: &str,
        parse: u32,
        validate: u32,
    ) -> Result<Tree<'c>, Rejection> {
        let text = CString::new(xml).map_err(|_| Rejection::Nul)?;
        let mut tree = Tree::empty(context);
        clear_errors(tree.context);
        // SAFETY: the context is alive, `text` lives during the call, the tree
        // is written to our own pointer (NULL on failure).
        let code = unsafe {
            ffi::lyd_parse_data_mem(
                tree.context,
                text.as_ptr(),
                ffi::LYD_FORMAT::LYD_XML,
                parse,
                validate,
                &raw mut tree.root,
            )
        };
        tree.outcome(code).map(|()| tree)
    }

    /// Parses an operation or an event; unknown nodes are errors. Mandatory
    /// nodes are checked by [`Tree::validate_operation`] only.
    pub(crate) fn operation(
        context: &'c Context,
        xml: &str,
        shape: Shape,
    ) -> Result<Tree<'c>, Rejection> {
        let mut tree = Tree::empty(context);
        let kind = match shape {
            Shape::Operation => ffi::lyd_type::LYD_TYPE_RPC_YANG,
            Shape::Event => ffi::lyd_type::LYD_TYPE_NOTIF_YANG,
            Shape::Notification => ffi::lyd_type::LYD_TYPE_NOTIF_NETCONF,
        };
        let (mut first, mut operation) = (null_mut(), null_mut());
        let code = tree.parse_operation(xml, null_mut(), kind, &mut first, Some(&mut operation));
        tree.operation = operation;
        if shape == Shape::Notification {
            // The envelope comes as a tree of its own, even on failure.
            tree.envelope = first;
            tree.root = operation;
        } else {
            tree.root = first;
        }
        code.and_then(|code| tree.outcome(code)).map(|()| tree)
    }

    /// Parses a whole `<rpc-reply>` to this operation, whose input is dropped
    /// first. True if the reply carries output, false for `<ok/>` and errors.
    pub(crate) fn attach_reply(&mut self, xml: &str) -> Result<bool, Rejection> {
        for child in self.children_of_operation() {
            // SAFETY: a child of our own tree, visited once: the list was made
            // before anything was freed, and siblings do not own each other.
            unsafe { ffi::lyd_free_tree(child) };
        }
        let mut envelope = null_mut();
        let kind = ffi::lyd_type::LYD_TYPE_REPLY_NETCONF;
        let code = self.parse_operation(xml, self.operation, kind, &mut envelope, None);
        self.envelope = envelope;
        self.outcome(code?)?;
        Ok(!self.children_of_operation().is_empty())
    }

    fn children_of_operation(&self) -> Vec<*mut ffi::lyd_node> {
        // SAFETY: the operation is NULL or a living node of our tree.
        unsafe { children(self.operation) }
    }

    fn parse_operation(
        &self,
        xml: &str,
        parent: *mut ffi::lyd_node,
        kind: ffi::lyd_type::Type,
        tree: &mut *mut ffi::lyd_node,
        operation: Option<&mut *mut ffi::lyd_node>,
    ) -> Result<ffi::LY_ERR::Type, Rejection> {
        let text = CString::new(xml).map_err(|_| Rejection::Nul)?;
        clear_errors(self.context);
        // SAFETY: `text` outlives the input handle, which is freed here without
        // its text. `parent` is NULL or the operation of a living tree. The
        // out pointers are ours (NULL where libyang wants none).
        unsafe {
            let mut input = null_mut();
            let code = ffi::ly_in_new_memory(text.as_ptr(), &raw mut input);
            if code != ffi::LY_ERR::LY_SUCCESS {
                return Ok(code);
            }
            let code = ffi::lyd_parse_op(
                self.context,
                parent,
                input,
                ffi::LYD_FORMAT::LYD_XML,
                kind,
                ffi::LYD_PARSE_STRICT,
                tree,
                operation.map_or(null_mut(), std::ptr::from_mut),
            );
            ffi::ly_in_free(input, 0);
            Ok(code)
        }
    }

    /// Checks the constraints that parsing does not: mandatory nodes, `must`, `when`, counts.
    pub(crate) fn validate_operation(&self, shape: Shape) -> Result<(), Rejection> {
        self.validate(match shape {
            Shape::Operation => ffi::lyd_type::LYD_TYPE_RPC_YANG,
            Shape::Event | Shape::Notification => ffi::lyd_type::LYD_TYPE_NOTIF_YANG,
        })
    }

    /// The same for the output that [`Tree::attach_reply`] attached.
    pub(crate) fn validate_reply(&self) -> Result<(), Rejection> {
        self.validate(ffi::lyd_type::LYD_TYPE_REPLY_YANG)
    }

    fn validate(&self, kind: ffi::lyd_type::Type) -> Result<(), Rejection> {
        clear_errors(self.context);
        // SAFETY: the operation is a living node of our tree; NULL for the
        // tree of references and for the diff is allowed.
        let code = unsafe { ffi::lyd_validate_op(self.operation, null(), kind, null_mut()) };
        self.outcome(code)
    }

    /// True if there is no node at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_null()
    }

    /// The tree and its siblings as XML without white space between elements.
    /// Nothing to print is the empty string (libyang answers NULL then).
    pub(crate) fn print(&self) -> Option<String> {
        let options = ffi::LYD_PRINT_SIBLINGS | ffi::LYD_PRINT_SHRINK | ffi::LYD_PRINT_EMPTY_CONT;
        let mut text = null_mut();
        // SAFETY: `root` is NULL or alive; the text is NULL or ours to free.
        unsafe {
            let code =
                ffi::lyd_print_mem(&raw mut text, self.root, ffi::LYD_FORMAT::LYD_XML, options);
            let text = taken(text).unwrap_or_default();
            (code == ffi::LY_ERR::LY_SUCCESS).then_some(text)
        }
    }
}
