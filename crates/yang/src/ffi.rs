//! The only place with `unsafe`: libyang behind functions that cannot be
//! misused from safe code.
//!
//! Knows pointers, lifetimes, ownership, and libyang's error list. NETCONF is not known here: tags
//! are given in `violation.rs`.
//!
//! Every call that can fail clears libyang's error list of this thread first
//! and reads the *first* error of the list afterwards: later ones are
//! consequences, older ones are stale.

use std::collections::HashSet;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

use yang_rs::context::{Context, ContextFlags};
use yang_rs::ffi;
use yang_rs::schema::{DataValueType, SchemaModule, SchemaNode};

use crate::error::{LibraryError, LoadError};
use crate::set::ModuleSet;

mod load;
mod schema;
mod tree;
mod walk;

pub(crate) use load::load;
pub(crate) use schema::*;
pub(crate) use tree::*;
use walk::children;

/// The context behind the safe handle.
fn raw(context: &Context) -> *mut ffi::ly_ctx {
    let module = context
        .modules(false)
        .next()
        .expect("a context has libyang's internal modules");
    // SAFETY: the module lives as long as `context`, which is borrowed; its
    // `ctx` is set when it is made and never changes.
    unsafe { (*module.as_raw()).ctx }
}

/// Copies a C string; NULL gives `None`.
///
/// # Safety
/// `text` is NULL or a NUL-terminated string that lives during the call.
unsafe fn copied(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// Takes over a string that libyang allocated; NULL gives `None`.
///
/// # Safety
/// `text` is NULL or a NUL-terminated string from `malloc` that nobody else owns.
unsafe fn taken(text: *mut c_char) -> Option<String> {
    // SAFETY: the caller's promise; after the copy the memory is ours to free,
    // with the `free` of the C library that libyang used.
    unsafe {
        let copy = copied(text);
        ffi::free(text.cast());
        copy
    }
}

/// The length of a libyang "sized array", whose count stands before its first
/// element (tree.h, `LY_ARRAY_COUNT`); NULL is empty.
///
/// # Safety
/// `array` is NULL or a sized array of libyang that lives during the call.
unsafe fn sized<T>(array: *const T) -> usize {
    if array.is_null() {
        return 0;
    }
    // SAFETY: the caller's promise: a u64 stands right before the elements,
    // which are at least as strictly aligned.
    usize::try_from(unsafe { *array.cast::<u64>().sub(1) })
        .expect("an array in memory has a usize count")
}

/// Clears the error list of this thread, which earlier calls may have filled.
fn clear_errors(context: *const ffi::ly_ctx) {
    // SAFETY: `context` comes from `raw`, hence is alive; NULL means "all",
    // and the list is this thread's own.
    unsafe { ffi::ly_err_clean(context, null_mut()) }
}

/// The errors since `clear_errors`, the first one first; warnings are passed
/// over. `code` is what the call returned, for the case that libyang left no
/// record: then it is the only element.
fn errors(context: *const ffi::ly_ctx, code: u32) -> Vec<LibraryError> {
    let mut errors = Vec::new();
    // SAFETY: `context` is alive; the list belongs to this thread and does not
    // change while we walk it; its strings are NULL or NUL-terminated.
    unsafe {
        let mut item = ffi::ly_err_first(context);
        while !item.is_null() {
            if (*item).level == ffi::LY_LOG_LEVEL::LY_LLERR {
                errors.push(LibraryError {
                    kind: (*item).vecode,
                    message: copied((*item).msg).unwrap_or_default(),
                    data_path: copied((*item).data_path),
                    schema_path: copied((*item).schema_path),
                    app_tag: copied((*item).apptag),
                    line: (*item).line,
                });
            }
            item = (*item).next;
        }
        if errors.is_empty() {
            errors.push(LibraryError {
                message: copied(ffi::ly_strerr(code)).unwrap_or_default(),
                ..LibraryError::default()
            });
        }
    }
    errors
}
