//! Making a libyang context out of texts.
//!
//! yang5's own embedded-module map is not used: it must outlive the context
//! without the compiler knowing, and its callback leaks a copy of each text it
//! hands out. Ours lends pointers that live until loading is over.

use std::collections::BTreeMap;

use super::*;

/// The texts during one load, as C strings by module or submodule name.
struct Texts(BTreeMap<String, CString>);

/// Loads and compiles the set.
pub(crate) fn load(set: &ModuleSet) -> Result<Context, LoadError> {
    let mut texts = BTreeMap::new();
    for (name, text) in set.texts() {
        let nul = || LoadError::Nul {
            module: name.to_owned(),
        };
        CString::new(name).map_err(|_| nul())?;
        texts.insert(
            name.to_owned(),
            CString::new(text.as_ref()).map_err(|_| nul())?,
        );
    }
    for module in set.implemented() {
        let mut names = module.features.iter().chain([&module.name]);
        if names.any(|name| name.contains('\0')) {
            return Err(LoadError::Nul {
                module: module.name.clone(),
            });
        }
    }
    let texts = Texts(texts);

    let mut context =
        Context::new(ContextFlags::DISABLE_SEARCHDIRS | ContextFlags::DISABLE_SEARCHDIR_CWD)
            .map_err(|_| LoadError::Context)?;
    // SAFETY: a call that sets one atomic word. It comes after the first
    // `Context::new`, which sets "last error only" once per process.
    unsafe { ffi::ly_log_options(ffi::LY_LOSTORE) };
    // SAFETY: `texts` outlives every use: the callback is only called by
    // `load_modules` below and is removed before `texts` is dropped.
    unsafe { context.set_module_import_callback(lend, (&raw const texts).cast_mut().cast()) };

    let features: Vec<Vec<&str>> = set
        .implemented()
        .iter()
        .map(|module| module.features.iter().map(String::as_str).collect())
        .collect();
    let wanted: Vec<(&str, Option<&str>, &[&str])> = set
        .implemented()
        .iter()
        .zip(&features)
        .map(|(module, features)| (module.name.as_str(), None, features.as_slice()))
        .collect();
    clear_errors(super::raw(&context));
    let loaded = context.load_modules(&wanted);
    context.unset_embedded_modules();
    match loaded {
        Ok(()) => Ok(context),
        Err(_) => {
            let error = errors(super::raw(&context), ffi::LY_ERR::LY_EOTHER).swap_remove(0);
            Err(LoadError::Refused {
                message: error.message,
                path: error.schema_path.or(error.data_path),
                line: error.line,
            })
        }
    }
}

/// libyang asks for a module (or for a submodule of one); lends its text.
///
/// # Safety
/// Called by libyang only, with the `user_data` given in [`load`] and out
/// pointers that can be written.
unsafe extern "C" fn lend(
    module: *const c_char,
    _revision: *const c_char,
    submodule: *const c_char,
    _submodule_revision: *const c_char,
    user_data: *mut c_void,
    format: *mut ffi::LYS_INFORMAT::Type,
    data: *mut *const c_char,
    free: *mut ffi::ly_module_imp_data_free_clb,
) -> ffi::LY_ERR::Type {
    // SAFETY: `user_data` is the `Texts` of the `load` that is running; the
    // names are NUL-terminated; the out pointers are libyang's own variables.
    // The text stays valid until `load` is over and is freed by nobody else.
    unsafe {
        let texts = &*user_data.cast::<Texts>();
        let name = if submodule.is_null() {
            module
        } else {
            submodule
        };
        let Some(text) = copied(name).and_then(|name| texts.0.get(&name)) else {
            return ffi::LY_ERR::LY_ENOTFOUND;
        };
        *format = ffi::LYS_INFORMAT::LYS_IN_YANG;
        *data = text.as_ptr();
        *free = None;
    }
    ffi::LY_ERR::LY_SUCCESS
}
