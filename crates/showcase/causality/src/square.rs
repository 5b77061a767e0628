//! A square of numbers, one for each ordered pair of alarm types.

use std::ops::{Index, IndexMut};

/// Numbers by row and column.
#[derive(Clone, Debug)]
pub(crate) struct Square {
    side: usize,
    cells: Vec<f64>,
}

impl Square {
    /// Zeros.
    pub(crate) fn new(side: usize) -> Self {
        Self {
            side,
            cells: vec![0.0; side * side],
        }
    }

    /// The number of rows.
    pub(crate) fn side(&self) -> usize {
        self.side
    }

    /// The greater of the numbers of a pair, in either order.
    pub(crate) fn either(&self, a: usize, b: usize) -> f64 {
        self[(a, b)].max(self[(b, a)])
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.cells[row * self.side + column]
    }
}

impl IndexMut<(usize, usize)> for Square {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.cells[row * self.side + column]
    }
}
