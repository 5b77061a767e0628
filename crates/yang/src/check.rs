//! Checks documents against the schema: one method per kind of document.
//!
//! Each kind needs other parsers and validators of libyang. Errors are mapped to NETCONF in
//! `violation.rs`.
#![allow(
    clippy::result_large_err,
    reason = "a refusal is rare and leaves at once; boxing it would burden every caller"
)]

use crate::error::LibraryError;
use crate::ffi::{Rejection, Shape, Tree};
use crate::generation::Generation;
use crate::violation::{Tag, Violation, without_predicates};

use yang_rs::ffi as raw;

impl Generation {
    /// Checks the operation element of an `<rpc>`, given as a document of its
    /// own: names, namespaces, types, patterns, mandatory nodes, counts.
    ///
    /// Costs some 10 µs and little more for long values that match their
    /// patterns; one that does not match costs up to 0.2 s a megabyte, and above
    /// some 9 MB is refused with a message of the pattern library: cap messages.
    ///
    /// # Errors
    /// The first [`Violation`].
    pub fn check_rpc(&self, xml: &str) -> Result<(), Violation> {
        let tree = self.operation(xml)?;
        self.judged(xml, tree.validate_operation(Shape::Operation))
    }

    /// Checks a whole `<notification>` (RFC 5277 §4), or the bare event
    /// element if the root is not `notification`.
    ///
    /// # Errors
    /// The first [`Violation`].
    pub fn check_notification(&self, xml: &str) -> Result<(), Violation> {
        let shape = match root_name(xml) {
            Some("notification") => Shape::Notification,
            _ => Shape::Event,
        };
        let tree = self.judged(xml, Tree::operation(&self.context, xml, shape))?;
        self.judged(xml, tree.validate_operation(shape))
    }

    /// Checks a whole `<rpc-reply>` to the operation whose element is `rpc`
    /// (only its name matters). The content of an anyxml, such as `data`, is
    /// not looked into: use [`Generation::check_data`] for it.
    ///
    /// # Errors
    /// The first [`Violation`], of the operation or of the reply.
    pub fn check_reply(&self, rpc: &str, reply: &str) -> Result<(), Violation> {
        let mut tree = self.operation(rpc)?;
        let has_output = self.judged(reply, tree.attach_reply(reply))?;
        if has_output {
            self.judged(reply, tree.validate_reply())
        } else {
            Ok(())
        }
    }

    /// Checks a sequence of top-level data elements, state included.
    ///
    /// With `operational` true, nodes must fit their types and places, but references, mandatory
    /// nodes, counts and `must` may fail, as RFC 8342 §5.3 allows for operational state and as a
    /// filter makes them: use it for replies. With false everything must hold: use it for a whole
    /// datastore. Top-level lists cost quadratic time (10,000 entries 0.6 s).
    ///
    /// # Errors
    /// The first [`Violation`].
    pub fn check_data(&self, xml: &str, operational: bool) -> Result<(), Violation> {
        if !operational {
            return self.check_elements(xml, 0);
        }
        // libyang forgives what RFC 8342 §5.3 forgives, except references: so
        // all errors are collected, and those that say no more are passed over.
        let validate = raw::LYD_VALIDATE_OPERATIONAL
            | raw::LYD_VALIDATE_PRESENT
            | raw::LYD_VALIDATE_MULTI_ERROR;
        match Tree::data(&self.context, xml, raw::LYD_PARSE_STRICT, validate) {
            Err(Rejection::Library(errors)) => errors
                .iter()
                .find(|error| error.app_tag.as_deref() != Some("instance-required"))
                .map_or(Ok(()), |error| Err(self.violation(xml, error))),
            other => self.judged(xml, other).map(drop),
        }
    }

    /// As [`Generation::check_data`] with `operational` false, and no state allowed: for replies to
    /// `get-config`.
    ///
    /// # Errors
    /// The first [`Violation`]; `unknown-element` for state data.
    pub fn check_config(&self, xml: &str) -> Result<(), Violation> {
        self.check_elements(xml, raw::LYD_VALIDATE_NO_STATE)
    }

    /// Checks one instance of `sx:structure NAME` of a module (RFC 8791), e.g.
    /// the `reply` of `convoke-negotiation`.
    ///
    /// # Errors
    /// The first [`Violation`]; `unknown-element` if the root is not that
    /// structure of that module.
    pub fn check_structure(&self, module: &str, name: &str, xml: &str) -> Result<(), Violation> {
        let tree = self.elements(xml, 0)?;
        if !tree.only_root_is(module, name) {
            return Err(Violation {
                element: root_name(xml).map(str::to_owned),
                ..Violation::whole(
                    Tag::UnknownElement,
                    &format!("not one structure {name} of {module}"),
                )
            });
        }
        let Some((path, missing)) = tree.missing_mandatory() else {
            return Ok(());
        };
        let namespace = self.namespace_of(module).unwrap_or_default();
        Err(Violation {
            path: Some(path),
            prefixes: vec![(module.to_owned(), namespace.to_owned())],
            element: Some(missing.clone()),
            ..Violation::whole(
                Tag::MissingElement,
                &format!("Mandatory node \"{missing}\" is missing."),
            )
        })
    }

    /// Parses an operation element; an element that is no operation is unknown.
    fn operation(&self, xml: &str) -> Result<Tree<'_>, Violation> {
        let parsed = Tree::operation(&self.context, xml, Shape::Operation);
        self.judged(xml, parsed).map_err(|violation| {
            let is_no_operation = violation.message.starts_with("Missing the operation node")
                || violation
                    .message
                    .starts_with("Unexpected notification element");
            match root_name(xml) {
                Some(root) if is_no_operation => Violation {
                    element: Some(root.to_owned()),
                    ..Violation::whole(
                        Tag::UnknownElement,
                        &format!("\"{root}\" is not an operation."),
                    )
                },
                _ => violation,
            }
        })
    }

    /// The error with the whole path of its node. An entry of a list has no parent in libyang before its
    /// key is there, so that its path begins with itself. None if that is not the case, or if such entries
    /// stand in more places than one below the document's root.
    fn adopted(&self, xml: &str, error: &LibraryError) -> Option<LibraryError> {
        let root = root_name(xml);
        let orphan = without_predicates(error.data_path.as_deref()?);
        if self.has_instance_path(&orphan) || starts_at(&orphan, root) {
            return None;
        }
        let mut places = self
            .instance_paths()
            .filter(|path| starts_at(path, root) && ends_with(path, &orphan));
        let (place, other) = (places.next()?, places.next());
        other.is_none().then(|| LibraryError {
            data_path: Some(place.to_owned()),
            ..error.clone()
        })
    }

    fn check_elements(&self, xml: &str, validate: u32) -> Result<(), Violation> {
        self.elements(xml, validate).map(drop)
    }

    fn elements(&self, xml: &str, validate: u32) -> Result<Tree<'_>, Violation> {
        let state = validate & raw::LYD_VALIDATE_NO_STATE == 0;
        let parse = raw::LYD_PARSE_STRICT | if state { 0 } else { raw::LYD_PARSE_NO_STATE };
        let validate = validate | raw::LYD_VALIDATE_PRESENT;
        self.judged(xml, Tree::data(&self.context, xml, parse, validate))
    }

    fn judged<T>(&self, xml: &str, outcome: Result<T, Rejection>) -> Result<T, Violation> {
        outcome.map_err(|rejection| match rejection {
            Rejection::Nul => Violation::whole(
                Tag::MalformedMessage,
                "a NUL byte, which XML does not allow",
            ),
            Rejection::Library(errors) => self.violation(xml, &errors[0]),
        })
    }

    fn violation(&self, xml: &str, error: &LibraryError) -> Violation {
        let adopted = self.adopted(xml, error);
        let mut violation = Violation::from_library(
            adopted.as_ref().unwrap_or(error),
            |module| self.namespace_of(module),
            |path| self.has_instance_path(path) || starts_at(path, root_name(xml)),
        );
        if violation.tag == Tag::UnknownNamespace {
            // RFC 6241 Appendix A wants the element; libyang tells its parent.
            violation.element = match violation.namespace.as_deref() {
                Some(namespace) => element_in_namespace(xml, namespace),
                None => root_name(xml),
            }
            .map(str::to_owned);
        }
        violation
    }
}

/// True if a path of libyang, without predicates, ends with that of a node which has no parent yet:
/// there the first name has a prefix, which in the path it may have from the names above it.
fn ends_with(path: &str, orphan: &str) -> bool {
    let names = orphan.strip_prefix('/').and_then(|it| it.split_once(':'));
    let Some((module, names)) = names else {
        return false;
    };
    let Some(above) = path.strip_suffix(names) else {
        return false;
    };
    match above.strip_suffix('/') {
        Some(above) => {
            let mut prefixes = above.rsplit('/').filter_map(|step| step.split_once(':'));
            prefixes.next().is_some_and(|(prefix, _)| prefix == module)
        }
        None => above.ends_with(&format!("/{module}:")),
    }
}

/// True if the path's first node has that local name.
fn starts_at(path: &str, root: Option<&str>) -> bool {
    let first = path
        .split('/')
        .nth(1)
        .and_then(|first| first.split(':').nth(1));
    first.is_some() && first == root
}

/// The local name of the first element of that namespace, found by the
/// declaration that binds it: good enough to tell a person.
fn element_in_namespace<'x>(xml: &'x str, namespace: &str) -> Option<&'x str> {
    let declared = ["=\"", "='"]
        .iter()
        .find_map(|open| xml.find(&format!("{open}{namespace}")))?;
    let attribute = xml[..declared].rsplit(char::is_whitespace).next()?;
    match attribute.split_once(':') {
        Some((_, prefix)) => {
            let open = format!("<{prefix}:");
            root_name(&xml[xml.find(&open)?..])
        }
        None => root_name(&xml[xml[..declared].rfind('<')?..]),
    }
}

/// The local name of the document's root element; `None` if there is none.
fn root_name(xml: &str) -> Option<&str> {
    let mut rest = xml;
    loop {
        rest = rest.get(rest.find('<')? + 1..)?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.get(comment.find("-->")? + 3..)?;
        } else if !rest.starts_with(['?', '!']) {
            break;
        }
    }
    let end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/')?;
    rest[..end].rsplit(':').next()
}

#[cfg(test)]
mod tests;
