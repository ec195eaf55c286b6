//! How many entries there are about a citizen: the classes of the study's test data.

/// A class of citizens by the number of entries about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    /// As data files and reports name it.
    pub(crate) name: &'static str,
    /// Of a hundred citizens so many.
    share: u64,
    /// Least number of entries.
    pub(crate) from: u64,
    /// From here on it is the next class.
    pub(crate) to: u64,
}

/// Of the test guide: 20,000 of 100,000 citizens in each of the first four classes, 19,000 and 1,000 in the last two.
const CLASSES: [Class; 6] = [
    Class { name: "0-50", share: 20, from: 0, to: 50 },
    Class { name: "50-100", share: 20, from: 50, to: 100 },
    Class { name: "100-500", share: 20, from: 100, to: 500 },
    Class { name: "500-1000", share: 20, from: 500, to: 1000 },
    Class { name: "1000-5000", share: 19, from: 1000, to: 5000 },
    Class { name: "5000-10000", share: 1, from: 5000, to: 10_000 },
];

/// Spreads the classes over each hundred; it has no factor in common with it.
const STRIDE: u64 = 37;

/// The class of a citizen by number: of each hundred every class has its share.
pub(crate) fn class_of(number: u64) -> Class {
    let mut place = number % 100 * STRIDE % 100;
    for class in CLASSES {
        if place < class.share {
            return class;
        }
        place -= class.share;
    }
    CLASSES[0]
}
