//! The facts of the compiled schema that yang5 does not expose: features, deviations, submodules,
//! extension instances, structures, YANG version.

use super::*;
use crate::set::as_written;
use crate::value_type::{BaseType, ValueType};
use yang_rs::schema::SchemaLeafType;
use yang_rs::utils::Binding;

/// True if the module is written in YANG 1.1 (RFC 7950), false for YANG 1.
pub(crate) fn is_yang_1_1(module: &SchemaModule<'_>) -> bool {
    // SAFETY: the module is alive as long as the context it borrows.
    u32::from(unsafe { (*module.as_raw()).version() }) == ffi::LYS_VERSION::LYS_VERSION_1_1
}

/// The features of the module that are on, in the order of the text.
pub(crate) fn enabled_features(module: &SchemaModule<'_>) -> Vec<String> {
    let mut names = Vec::new();
    // SAFETY: `parsed` belongs to the living module and is kept because nobody
    // calls `ly_ctx_free_parsed`; `lysp_feature_next` walks it by `index`.
    unsafe {
        let parsed = (*module.as_raw()).parsed;
        let (mut feature, mut index) = (null_mut(), 0_u32);
        while !parsed.is_null() {
            feature = ffi::lysp_feature_next(feature, parsed, &raw mut index);
            if feature.is_null() {
                break;
            }
            names.extend(copied((*feature).name));
        }
    }
    names.retain(|name| module.feature_value(name).unwrap_or(false));
    names
}

/// Names and revisions of the modules that deviate this one.
pub(crate) fn deviated_by(module: &SchemaModule<'_>) -> Vec<(String, String)> {
    // SAFETY: a sized array of pointers to modules of the same living context.
    unsafe {
        let array = (*module.as_raw()).deviated_by;
        (0..sized(array))
            .map(|index| {
                let deviating = *array.add(index);
                (
                    copied((*deviating).name).unwrap_or_default(),
                    copied((*deviating).revision).unwrap_or_default(),
                )
            })
            .collect()
    }
}

/// Names and revisions of the submodules.
pub(crate) fn submodules(module: &SchemaModule<'_>) -> Vec<(String, String)> {
    // SAFETY: a sized array of records of the living module.
    unsafe {
        let array = (*module.as_raw()).submodules;
        (0..sized(array))
            .map(|index| {
                let submodule = &*array.add(index);
                (
                    copied(submodule.name).unwrap_or_default(),
                    copied(submodule.revision).unwrap_or_default(),
                )
            })
            .collect()
    }
}

/// The module printed as YANG by libyang; the crate's own `print_string` would
/// do, but crashes on NULL.
pub(crate) fn printed(module: &SchemaModule<'_>) -> Option<String> {
    let mut text = null_mut();
    // SAFETY: the module is alive; `text` is written by the call and is then a
    // malloc'ed string of ours, or NULL.
    unsafe {
        let code = ffi::lys_print_mem(
            &raw mut text,
            module.as_raw(),
            ffi::LYS_OUTFORMAT::LYS_OUT_YANG,
            0,
        );
        let text = taken(text);
        text.filter(|_| code == ffi::LY_ERR::LY_SUCCESS)
    }
}

/// The extension instances at a node as (module, extension) names.
pub(crate) fn extensions(node: &SchemaNode<'_>) -> Vec<(String, String)> {
    // SAFETY: a sized array of the living node; each instance points to its
    // definition, which points to its module, all in the same context.
    unsafe {
        let array = (*node.as_raw()).exts;
        (0..sized(array))
            .map(|index| {
                let definition = &*(*array.add(index)).def;
                (
                    copied((*definition.module).name).unwrap_or_default(),
                    copied(definition.name).unwrap_or_default(),
                )
            })
            .collect()
    }
}

/// The structures of the module (RFC 8791): a container each, with what augments it. One in which nothing
/// may stand is left out.
pub(crate) fn structures<'c>(
    context: &'c Context,
    module: &SchemaModule<'_>,
) -> Vec<SchemaNode<'c>> {
    // SAFETY: `compiled` is NULL or lives with the context, as do its sized array of extension instances
    // and their definitions. For a structure libyang stores the first node in it, or NULL; the parent of
    // that is the container, which lives as long.
    unsafe {
        let compiled = (*module.as_raw()).compiled;
        if compiled.is_null() {
            return Vec::new();
        }
        let array = (*compiled).exts;
        let instances = (0..sized(array)).map(|index| array.add(index));
        let first = instances.filter_map(|instance| {
            let definition = &*(*instance).def;
            let is_structure = copied(definition.name).as_deref() == Some("structure")
                && copied((*definition.module).name).as_deref() == Some("ietf-yang-structure-ext");
            let mut first = null();
            if is_structure {
                ffi::lyplg_ext_get_storage(
                    instance,
                    ffi::ly_stmt::LY_STMT_CONTAINER as c_int,
                    size_of::<*const c_void>() as u32,
                    &raw mut first,
                );
            }
            let first = first.cast::<ffi::lysc_node>();
            (!first.is_null()).then_some(first)
        });
        first
            .map(|first| SchemaNode::from_raw(context, (*first).parent))
            .collect()
    }
}

/// The identities of the module, each with those derived from it directly, as (module, name).
pub(crate) fn identities(module: &SchemaModule<'_>) -> Vec<(String, Vec<(String, String)>)> {
    // SAFETY: a sized array of records of the living module, each with a sized array of pointers
    // to records of the same living context.
    unsafe {
        let array = (*module.as_raw()).identities;
        (0..sized(array))
            .map(|index| {
                let identity = &*array.add(index);
                let derived = (0..sized(identity.derived)).map(|index| {
                    let derived = *identity.derived.add(index);
                    (
                        copied((*(*derived).module).name).unwrap_or_default(),
                        copied((*derived).name).unwrap_or_default(),
                    )
                });
                (copied(identity.name).unwrap_or_default(), derived.collect())
            })
            .collect()
    }
}

/// The values of a leaf of type enumeration with their numbers; none for any other node.
pub(crate) fn enumeration(node: &SchemaNode<'_>) -> Vec<(String, i64)> {
    let Some(leaf_type) = node.leaf_type() else {
        return Vec::new();
    };
    let real_type = leaf_type.leafref_real_type();
    let leaf_type = real_type.as_ref().unwrap_or(&leaf_type);
    if leaf_type.base_type() != DataValueType::Enum {
        return Vec::new();
    }
    // SAFETY: the base type says that the record is a `lysc_type_enum`, which begins as every type
    // does; its sized array lives with the context. `value` is the member of an enumeration.
    unsafe {
        let array = (*leaf_type.as_raw().cast::<ffi::lysc_type_enum>()).enums;
        (0..sized(array))
            .map(|index| {
                let item = &*array.add(index);
                let name = copied(item.name).unwrap_or_default();
                (name, i64::from(item.__bindgen_anon_1.value))
            })
            .collect()
    }
}

/// The type of a leaf or leaf-list with its restrictions; none for any other node.
pub(crate) fn value_type(node: &SchemaNode<'_>) -> Option<ValueType> {
    let own = node.leaf_type()?;
    let referred = own.leafref_real_type();
    let real = referred.as_ref().unwrap_or(&own);
    // A chain of leafrefs ends at another type.
    let base = base_type(real.base_type())?;
    Some(ValueType {
        base,
        typedef: real.typedef_name(),
        is_reference: referred.is_some(),
        intervals: intervals(real, base),
        fraction_digits: fraction_digits(real, base),
        patterns: patterns(real, base),
        members: members(real, base),
    })
}

/// The built-in type; none for a leafref, which is none of its own.
fn base_type(base: DataValueType) -> Option<BaseType> {
    Some(match base {
        DataValueType::Binary => BaseType::Binary,
        DataValueType::Bits => BaseType::Bits,
        DataValueType::Bool => BaseType::Boolean,
        DataValueType::Dec64 => BaseType::Decimal64,
        DataValueType::Empty => BaseType::Empty,
        DataValueType::Enum => BaseType::Enumeration,
        DataValueType::IdentityRef => BaseType::IdentityRef,
        DataValueType::InstanceId => BaseType::InstanceIdentifier,
        DataValueType::Int8 => BaseType::Signed(8),
        DataValueType::Int16 => BaseType::Signed(16),
        DataValueType::Int32 => BaseType::Signed(32),
        DataValueType::Int64 => BaseType::Signed(64),
        DataValueType::Uint8 => BaseType::Unsigned(8),
        DataValueType::Uint16 => BaseType::Unsigned(16),
        DataValueType::Uint32 => BaseType::Unsigned(32),
        DataValueType::Uint64 => BaseType::Unsigned(64),
        DataValueType::String => BaseType::String,
        DataValueType::Union => BaseType::Union,
        DataValueType::LeafRef | DataValueType::Unknown => return None,
    })
}

/// The types that a member of a union may have; libyang's numbers are those of the variants.
const MEMBERS: [DataValueType; 17] = [
    DataValueType::Binary,
    DataValueType::Bits,
    DataValueType::Bool,
    DataValueType::Dec64,
    DataValueType::Empty,
    DataValueType::Enum,
    DataValueType::IdentityRef,
    DataValueType::InstanceId,
    DataValueType::Int8,
    DataValueType::Int16,
    DataValueType::Int32,
    DataValueType::Int64,
    DataValueType::Uint8,
    DataValueType::Uint16,
    DataValueType::Uint32,
    DataValueType::Uint64,
    DataValueType::String,
];

/// The members of a union: libyang has put those of unions in it in their place.
fn members(real: &SchemaLeafType<'_>, base: BaseType) -> Vec<BaseType> {
    if base != BaseType::Union {
        return Vec::new();
    }
    // SAFETY: the base type says that it is a `lysc_type_union`; a sized array of pointers to types of the
    // same living context, of which a leafref knows the type that it refers to.
    unsafe {
        let array = (*real.as_raw().cast::<ffi::lysc_type_union>()).types;
        (0..sized(array))
            .filter_map(|index| {
                let mut member = *array.add(index);
                if (*member).basetype == ffi::LY_DATA_TYPE::LY_TYPE_LEAFREF {
                    member = (*member.cast::<ffi::lysc_type_leafref>()).realtype;
                }
                let own = (*member).basetype;
                let known = MEMBERS.into_iter().find(|known| *known as u32 == own);
                known.and_then(base_type)
            })
            .collect()
    }
}

/// The intervals of a `length` or `range`.
fn intervals(real: &SchemaLeafType<'_>, base: BaseType) -> Vec<(i128, i128)> {
    let raw = real.as_raw();
    // SAFETY: the base type says which record it is (tree_schema.h); all begin as every type does.
    let range = unsafe {
        match base {
            BaseType::String => (*raw.cast::<ffi::lysc_type_str>()).length,
            BaseType::Binary => (*raw.cast::<ffi::lysc_type_bin>()).length,
            BaseType::Decimal64 => (*raw.cast::<ffi::lysc_type_dec>()).range,
            BaseType::Signed(_) | BaseType::Unsigned(_) => {
                (*raw.cast::<ffi::lysc_type_num>()).range
            }
            _ => return Vec::new(),
        }
    };
    if range.is_null() {
        return Vec::new();
    }
    let is_signed = matches!(base, BaseType::Signed(_) | BaseType::Decimal64);
    // SAFETY: a sized array of the living type; the members of its unions that count are the signed
    // ones from decimal64 on, the unsigned ones before it (tree_schema.h).
    unsafe {
        let parts = (*range).parts;
        (0..sized(parts))
            .map(|index| {
                let part = &*parts.add(index);
                let (least, most) = (&part.__bindgen_anon_1, &part.__bindgen_anon_2);
                match is_signed {
                    true => (i128::from(least.min_64), i128::from(most.max_64)),
                    false => (i128::from(least.min_u64), i128::from(most.max_u64)),
                }
            })
            .collect()
    }
}

fn fraction_digits(real: &SchemaLeafType<'_>, base: BaseType) -> u8 {
    match base {
        // SAFETY: the base type says which record it is.
        BaseType::Decimal64 => unsafe {
            (*real.as_raw().cast::<ffi::lysc_type_dec>()).fraction_digits
        },
        _ => 0,
    }
}

/// The patterns of a string, those that its typedefs have as well.
fn patterns(real: &SchemaLeafType<'_>, base: BaseType) -> Vec<String> {
    if base != BaseType::String {
        return Vec::new();
    }
    // SAFETY: the base type says that it is a `lysc_type_str`; a sized array of pointers to records
    // of the same living context.
    unsafe {
        let array = (*real.as_raw().cast::<ffi::lysc_type_str>()).patterns;
        (0..sized(array))
            .map(|index| {
                let pattern = &**array.add(index);
                let inverted = if pattern.inverted() == 0 { "" } else { "!" };
                let text = copied(pattern.expr).unwrap_or_default();
                // Only what was made quick has a flag: YANG knows none.
                match text.starts_with("(?s)") {
                    true => format!("{inverted}{}", as_written(&text)),
                    false => format!("{inverted}{text}"),
                }
            })
            .collect()
    }
}
