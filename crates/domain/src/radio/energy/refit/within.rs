//! Least squares within stations: a level of each station, and slopes that all share.
//!
//! Levels are taken out by subtracting each station's means, so that what differs between stations
//! (band, antennas, power, surroundings) does not lean the slopes. Errors are robust to what hours of
//! one station share (the sandwich of Liang and Zeger, 1986, with clusters of stations). Knows no
//! energy and no radio. Read next: [`super`].

use std::collections::BTreeMap;

/// The covariates: load while awake, share asleep, share in symbol shutdown.
pub const COVARIATES: usize = 3;
/// A covariate that varies less than this within stations, as a mean square, is left out.
const VARIES_LEAST: f64 = 1e-9;

/// An hour of a station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelHour {
    /// The station's number.
    pub station: usize,
    /// The energy measured.
    pub energy: f64,
    /// The covariates; 0 for one that is not used.
    pub covariates: [f64; COVARIATES],
}

/// What was found within stations.
#[derive(Clone, Debug, PartialEq)]
pub struct WithinFit {
    /// The slope over each covariate; 0 for one that does not vary.
    pub slopes: [f64; COVARIATES],
    /// Their standard errors.
    pub errors: [f64; COVARIATES],
    /// The level of each station: its mean without what covariates explain.
    pub levels: BTreeMap<usize, f64>,
    /// The sum of squares that is left.
    pub left: f64,
    /// The sum of squares around each station's mean.
    pub all: f64,
}

impl LevelHour {
    /// The energy that covariates explain.
    pub fn rise(&self, slopes: &[f64; COVARIATES]) -> f64 {
        self.covariates.iter().zip(slopes).map(|(x, b)| x * b).sum()
    }
}

impl WithinFit {
    /// The fit of these hours; none if nothing varies within any station.
    pub fn of(hours: &[LevelHour]) -> Option<Self> {
        let means = means(hours);
        let centred: Vec<LevelHour> = hours
            .iter()
            .map(|hour| hour.minus(&means[&hour.station]))
            .collect();
        let mut square = [[0.0; COVARIATES]; COVARIATES];
        let mut with_energy = [0.0; COVARIATES];
        for hour in &centred {
            for (i, x) in hour.covariates.iter().enumerate() {
                with_energy[i] += x * hour.energy;
                for (j, y) in hour.covariates.iter().enumerate() {
                    square[i][j] += x * y;
                }
            }
        }
        let varies: Vec<usize> = (0..COVARIATES)
            .filter(|i| square[*i][*i] > VARIES_LEAST * hours.len() as f64)
            .collect();
        let inverse = inverse(&square, &varies)?;
        let slopes = times(&inverse, &with_energy);
        let mut scores: BTreeMap<usize, [f64; COVARIATES]> = BTreeMap::new();
        let (mut left, mut all) = (0.0, 0.0);
        for hour in &centred {
            let residual = hour.energy - hour.rise(&slopes);
            left += residual * residual;
            all += hour.energy * hour.energy;
            let score = scores.entry(hour.station).or_default();
            for (sum, x) in score.iter_mut().zip(hour.covariates) {
                *sum += x * residual;
            }
        }
        Some(Self {
            errors: errors(&inverse, &scores),
            levels: levels(hours, &slopes),
            slopes,
            left,
            all,
        })
    }

    /// The mean of the stations' levels, each station counted once.
    pub fn mean_level(&self) -> f64 {
        self.levels.values().sum::<f64>() / self.levels.len() as f64
    }

    /// The standard deviation of the stations' levels.
    pub fn level_spread(&self) -> f64 {
        let mean = self.mean_level();
        let squares: f64 = self
            .levels
            .values()
            .map(|level| (level - mean).powi(2))
            .sum();
        (squares / (self.levels.len() as f64 - 1.0).max(1.0)).sqrt()
    }
}

/// The level of each station with these slopes.
pub fn levels(hours: &[LevelHour], slopes: &[f64; COVARIATES]) -> BTreeMap<usize, f64> {
    let means = means(hours).into_iter();
    means
        .map(|(n, mean)| (n, mean.energy - mean.rise(slopes)))
        .collect()
}

fn means(hours: &[LevelHour]) -> BTreeMap<usize, LevelHour> {
    let mut sums: BTreeMap<usize, (LevelHour, f64)> = BTreeMap::new();
    for hour in hours {
        match sums.get_mut(&hour.station) {
            None => {
                sums.insert(hour.station, (*hour, 1.0));
            }
            Some((sum, n)) => {
                sum.energy += hour.energy;
                for (sum, x) in sum.covariates.iter_mut().zip(hour.covariates) {
                    *sum += x;
                }
                *n += 1.0;
            }
        }
    }
    let mean = |(station, (sum, n)): (usize, (LevelHour, f64))| {
        let mean = LevelHour {
            station,
            energy: sum.energy / n,
            covariates: sum.covariates.map(|x| x / n),
        };
        (station, mean)
    };
    sums.into_iter().map(mean).collect()
}

impl LevelHour {
    fn minus(&self, mean: &Self) -> Self {
        let mut centred = *self;
        centred.energy -= mean.energy;
        for (x, mean) in centred.covariates.iter_mut().zip(mean.covariates) {
            *x -= mean;
        }
        centred
    }
}

/// The standard errors, from the scores of each cluster.
fn errors(
    inverse: &[[f64; COVARIATES]; COVARIATES],
    scores: &BTreeMap<usize, [f64; COVARIATES]>,
) -> [f64; COVARIATES] {
    let clusters = scores.len() as f64;
    let few = clusters / (clusters - 1.0).max(1.0);
    let mut squares = [0.0; COVARIATES];
    for score in scores.values() {
        for (sum, shift) in squares.iter_mut().zip(times(inverse, score)) {
            *sum += shift * shift;
        }
    }
    squares.map(|sum| (few * sum).sqrt())
}

fn times(matrix: &[[f64; COVARIATES]; COVARIATES], by: &[f64; COVARIATES]) -> [f64; COVARIATES] {
    matrix.map(|row| row.iter().zip(by).map(|(a, b)| a * b).sum())
}

/// The inverse in the rows and columns `of`, 0 elsewhere; none if it has none. Gauss and Jordan, with
/// the largest pivot.
fn inverse(
    square: &[[f64; COVARIATES]; COVARIATES],
    of: &[usize],
) -> Option<[[f64; COVARIATES]; COVARIATES]> {
    let n = of.len();
    let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    let row = |i: usize| -> Vec<f64> {
        let left = of.iter().map(|j| square[of[i]][*j]);
        left.chain((0..n).map(|j| unit(i, j))).collect()
    };
    let mut rows: Vec<Vec<f64>> = (0..n).map(row).collect();
    let scale = (0..n).map(|i| rows[i][i]).fold(0.0, f64::max);
    for column in 0..n {
        let pivot =
            (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        let by = rows[column][column];
        if by.abs() <= 1e-12 * scale {
            return None;
        }
        rows[column].iter_mut().for_each(|x| *x /= by);
        let done = rows[column].clone();
        for (number, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if number != column {
                row.iter_mut()
                    .zip(&done)
                    .for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    let mut inverse = [[0.0; COVARIATES]; COVARIATES];
    for (i, row) in rows.iter().enumerate() {
        for (j, x) in row[n..].iter().enumerate() {
            inverse[of[i]][of[j]] = *x;
        }
    }
    (n > 0).then_some(inverse)
}
