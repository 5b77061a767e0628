//! Square matrices of zeros and ones, as NumPy writes them.
//!
//! Knows version 1.0 of NumPy's format (`numpy.lib.format`), and of its types booleans, whole
//! numbers and floating-point numbers, little-endian, in either order of storage; refuses the rest
//! by name. Whoever wants numbers other than 0 and 1 wants another reader. Read next:
//! [`crate::links`], [`crate::score`].

/// The most rows of a matrix.
pub const SIDE_MAX: usize = 10_000;
const MAGIC: &[u8] = b"\x93NUMPY";

/// The reason why bytes are no such matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    /// The bytes begin otherwise.
    #[error("it does not begin as a file of NumPy's format")]
    Foreign,
    /// The version of the format is another one.
    #[error("its format is version {0}.{1}, not 1.0")]
    Version(u8, u8),
    /// The header is damaged, or ends early.
    #[error("its header has no legible '{0}'")]
    Header(&'static str),
    /// The type of the cells is another one.
    #[error("its cells are '{0}', not little-endian booleans, integers or floats")]
    CellType(String),
    /// The matrix is not square.
    #[error("its shape is ({0}), not that of a square matrix")]
    Shape(String),
    /// The matrix is too large.
    #[error("it has {0} rows, more than {SIDE_MAX}")]
    Side(usize),
    /// There are more or fewer cells than the header says.
    #[error("its cells take {found} bytes, not {expected}")]
    Length {
        /// The bytes that the header promises.
        expected: usize,
        /// The bytes that are there.
        found: usize,
    },
    /// A cell is neither 0 nor 1.
    #[error("the cell in row {row}, column {column}, from 0, is neither 0 nor 1")]
    Cell {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
    },
}

/// A square matrix of zeros and ones: which numbered things are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjacencyMatrix {
    side: usize,
    /// Row by row.
    ones: Vec<bool>,
}

impl AdjacencyMatrix {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`NpyError`] with what it is instead.
    pub fn read(bytes: &[u8]) -> Result<Self, NpyError> {
        let (header, cells) = opened(bytes)?;
        let cell = CellType::named(quoted(header, "descr")?)?;
        let by_column = by_column(header)?;
        let side = side(header)?;
        let expected = side * side * cell.width;
        if cells.len() != expected {
            let found = cells.len();
            return Err(NpyError::Length { expected, found });
        }
        let mut ones = vec![false; side * side];
        for (place, bytes) in cells.chunks_exact(cell.width).enumerate() {
            let (row, column) = match by_column {
                true => (place % side, place / side),
                false => (place / side, place % side),
            };
            let one = cell.is_one(bytes).ok_or(NpyError::Cell { row, column })?;
            ones[row * side + column] = one;
        }
        Ok(Self { side, ones })
    }

    /// True if the bytes begin as a file of NumPy's format.
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// The number of rows.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The row and the column of every one, row by row.
    pub fn ones(&self) -> impl Iterator<Item = (usize, usize)> {
        let ones = self.ones.iter().enumerate().filter(|(_, one)| **one);
        ones.map(|(place, _)| (place / self.side, place % self.side))
    }
}

/// The header and the cells.
fn opened(bytes: &[u8]) -> Result<(&str, &[u8]), NpyError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::Foreign)?;
    let (version, rest) = rest.split_at_checked(2).ok_or(NpyError::Foreign)?;
    if version != [1, 0] {
        return Err(NpyError::Version(version[0], version[1]));
    }
    let damaged = NpyError::Header("length");
    let (length, rest) = rest.split_first_chunk().ok_or(damaged.clone())?;
    let length = u16::from_le_bytes(*length);
    let (header, cells) = rest.split_at_checked(length.into()).ok_or(damaged)?;
    let header = std::str::from_utf8(header).map_err(|_| NpyError::Header("descr"))?;
    Ok((header, cells))
}

/// What stands behind a key of the header, which is a literal of Python.
fn behind<'h>(header: &'h str, key: &'static str) -> Result<&'h str, NpyError> {
    let (_, rest) = header
        .split_once(&format!("'{key}':"))
        .ok_or(NpyError::Header(key))?;
    Ok(rest.trim_start())
}

fn quoted<'h>(header: &'h str, key: &'static str) -> Result<&'h str, NpyError> {
    let text = behind(header, key)?.strip_prefix('\'');
    let text = text.and_then(|text| text.split_once('\''));
    text.map(|(text, _)| text).ok_or(NpyError::Header(key))
}

fn by_column(header: &str) -> Result<bool, NpyError> {
    let text = behind(header, "fortran_order")?;
    match (text.starts_with("True"), text.starts_with("False")) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(NpyError::Header("fortran_order")),
    }
}

fn side(header: &str) -> Result<usize, NpyError> {
    let shape = behind(header, "shape")?.strip_prefix('(');
    let shape = shape.and_then(|shape| shape.split_once(')'));
    let (shape, _) = shape.ok_or(NpyError::Header("shape"))?;
    let lengths = shape.split(',').map(str::trim).filter(|it| !it.is_empty());
    let lengths: Result<Vec<usize>, _> = lengths.map(str::parse).collect();
    match lengths.map_err(|_| NpyError::Header("shape"))?[..] {
        [rows, columns] if rows == columns && rows > SIDE_MAX => Err(NpyError::Side(rows)),
        [rows, columns] if rows == columns => Ok(rows),
        _ => Err(NpyError::Shape(shape.chars().take(40).collect())),
    }
}

/// How a cell is written.
struct CellType {
    width: usize,
    /// The bytes of a one; the first `width` count.
    one: [u8; 8],
    /// True if a zero may have a sign, in the highest bit.
    signed_zero: bool,
}

impl CellType {
    fn named(name: &str) -> Result<Self, NpyError> {
        let (width, one, signed_zero) = match name {
            "|b1" | "|i1" | "|u1" => (1, 1_u64.to_le_bytes(), false),
            "<i2" | "<u2" => (2, 1_u64.to_le_bytes(), false),
            "<i4" | "<u4" => (4, 1_u64.to_le_bytes(), false),
            "<i8" | "<u8" => (8, 1_u64.to_le_bytes(), false),
            "<f4" => (4, u64::from(1_f32.to_bits()).to_le_bytes(), true),
            "<f8" => (8, 1_f64.to_le_bytes(), true),
            _ => return Err(NpyError::CellType(name.chars().take(40).collect())),
        };
        Ok(Self {
            width,
            one,
            signed_zero,
        })
    }

    /// True for a one, false for a zero, none for anything else.
    fn is_one(&self, bytes: &[u8]) -> Option<bool> {
        if bytes == &self.one[..self.width] {
            return Some(true);
        }
        let (last, rest) = bytes.split_last()?;
        let zero = *last == 0 || (self.signed_zero && *last == 0x80);
        (zero && rest.iter().all(|byte| *byte == 0)).then_some(false)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bytes of a file with this header and these cells.
    pub(crate) fn file(header: &str, cells: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), cells].concat()
    }

    fn header(descr: &str, by_column: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': {by_column}, 'shape': {shape}, }}   \n")
    }

    fn read(header: &str, cells: &[u8]) -> Result<Vec<(usize, usize)>, String> {
        let matrix = AdjacencyMatrix::read(&file(header, cells));
        let matrix = matrix.map_err(|e| e.to_string())?;
        Ok(matrix.ones().collect())
    }

    /// The bytes of a cell with this number.
    type Cell<'c> = &'c dyn Fn(f64) -> Vec<u8>;

    #[test]
    fn every_type_of_cell_is_read_in_both_orders() {
        let values = [0.0, 1.0, 0.0, -0.0];
        let types: [(&str, Cell<'_>); 6] = [
            ("|b1", &|v| vec![v as u8]),
            ("|i1", &|v| vec![v as u8]),
            ("<i2", &|v| (v as i16).to_le_bytes().to_vec()),
            ("<i8", &|v| (v as i64).to_le_bytes().to_vec()),
            ("<f4", &|v| (v as f32).to_le_bytes().to_vec()),
            ("<f8", &|v| v.to_le_bytes().to_vec()),
        ];
        for (name, cell) in types {
            let cells: Vec<u8> = values.into_iter().flat_map(cell).collect();
            let by_row = read(&header(name, "False", "(2, 2)"), &cells).unwrap();
            assert_eq!(by_row, [(0, 1)], "{name}");
            let by_column = read(&header(name, "True", "(2, 2)"), &cells).unwrap();
            assert_eq!(by_column, [(1, 0)], "{name}");
        }
    }

    #[test]
    fn refusals_say_what_it_is_instead() {
        let refusal = |descr, order, shape, cells: &[u8]| {
            read(&header(descr, order, shape), cells).unwrap_err()
        };
        insta::assert_snapshot!(refusal(">i8", "False", "(1, 1)", &[0; 8]), @"its cells are '>i8', not little-endian booleans, integers or floats");
        insta::assert_snapshot!(refusal("|b1", "False", "(2, 3)", &[0; 6]), @"its shape is (2, 3), not that of a square matrix");
        insta::assert_snapshot!(refusal("|b1", "False", "(4,)", &[0; 4]), @"its shape is (4,), not that of a square matrix");
        insta::assert_snapshot!(refusal("|b1", "False", "(99999, 99999)", &[]), @"it has 99999 rows, more than 10000");
        insta::assert_snapshot!(refusal("|b1", "Maybe", "(2, 2)", &[0; 4]), @"its header has no legible 'fortran_order'");
        insta::assert_snapshot!(refusal("<i4", "False", "(2, 2)", &[0; 15]), @"its cells take 15 bytes, not 16");
        insta::assert_snapshot!(refusal("|u1", "False", "(2, 2)", &[0, 1, 2, 0]), @"the cell in row 1, column 0, from 0, is neither 0 nor 1");
        let other = |bytes: &[u8]| AdjacencyMatrix::read(bytes).unwrap_err().to_string();
        insta::assert_snapshot!(other(b"a,b\n"), @"it does not begin as a file of NumPy's format");
        insta::assert_snapshot!(other(b"\x93NUMPY\x02\x00"), @"its format is version 2.0, not 1.0");
        insta::assert_snapshot!(other(b"\x93NUMPY\x01\x00\xff\xff{"), @"its header has no legible 'length'");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = AdjacencyMatrix::read(&bytes);
            let _ = AdjacencyMatrix::read(&[MAGIC, &[1, 0], &bytes].concat());
        }
    }
}
