//! Vectors in documents: little-endian f32 as base64, a quarter of the decimal form and exact.

use base64ct::{Base64, Encoding};
use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub(super) fn serialize<S: Serializer>(vector: &[f32], to: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
    to.serialize_str(&Base64::encode_string(&bytes))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f32>, D::Error> {
    let text = String::deserialize(from)?;
    let bytes = Base64::decode_vec(&text).map_err(D::Error::custom)?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(D::Error::custom("a vector of broken numbers"));
    }
    Ok(numbers
        .iter()
        .map(|four| f32::from_le_bytes(*four))
        .collect())
}
