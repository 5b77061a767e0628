//! The types of leaves, as plain records: what a value may be.
//!
//! Read next: `node`, whose leaves have one; `ffi::schema`, which reads it from libyang.

/// The built-in type that a type comes from (RFC 7950 §4.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// `binary`
    Binary,
    /// `bits`
    Bits,
    /// `boolean`
    Boolean,
    /// `decimal64`
    Decimal64,
    /// `empty`
    Empty,
    /// `enumeration`
    Enumeration,
    /// `identityref`
    IdentityRef,
    /// `instance-identifier`
    InstanceIdentifier,
    /// `int8` to `int64`, by its bits.
    Signed(u8),
    /// `string`
    String,
    /// `uint8` to `uint64`, by its bits.
    Unsigned(u8),
    /// `union`
    Union,
}

/// The type of a leaf or leaf-list with its restrictions; of a leafref, the type that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueType {
    /// The built-in type.
    pub base: BaseType,
    /// The name of the typedef, if it is one.
    pub typedef: Option<String>,
    /// True for a leafref: what it refers to may have to exist.
    pub is_reference: bool,
    /// The intervals of `length` or `range`, both ends included; empty if everything is allowed.
    /// Those of decimal64 count its last digit.
    pub intervals: Vec<(i128, i128)>,
    /// The digits behind the point of a decimal64; 0 for other types.
    pub fraction_digits: u8,
    /// The patterns as written in the module; one with `invert-match` begins with `!`.
    pub patterns: Vec<String>,
    /// The members of a union, in order; of leafrefs among them, the types that they refer to. Empty for
    /// other types.
    pub members: Vec<BaseType>,
}
