//! `--shard I/N`: one of N equal shares of what there is to do, the same on every machine.

use std::fmt;
use std::str::FromStr;

/// The I-th of N shares. Shares are whole runs of the list, so that their lines one after another are those of one
/// process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    /// Counted from one.
    number: usize,
    count: usize,
}

impl Shard {
    /// Is there no other?
    pub(super) fn is_whole(self) -> bool {
        self.count == 1
    }

    /// What of a list is this share's.
    pub(super) fn of<T>(self, mut all: Vec<T>) -> Vec<T> {
        // The product of two numbers always fits into twice their bits; what comes of it is at most the length.
        let until = |shares: usize| {
            let end = all.len() as u128 * shares as u128 / self.count as u128;
            usize::try_from(end).unwrap_or(all.len())
        };
        let (start, end) = (until(self.number - 1), until(self.number));
        all.truncate(end);
        all.split_off(start)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "two whole numbers are wanted, as in `1/8`".to_owned();
        let (number, count) = text.split_once('/').ok_or_else(wanted)?;
        let number: usize = number.parse().map_err(|_| wanted())?;
        let count: usize = count.parse().map_err(|_| wanted())?;
        if number == 0 || number > count {
            return Err(format!("shares are counted from 1 to {count}"));
        }
        Ok(Shard { number, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_one_after_another_are_the_whole() {
        for length in [0, 1, 2, 7, 100] {
            let whole: Vec<usize> = (0..length).collect();
            for count in 1..12 {
                let shares = (1..=count).map(|number| Shard { number, count }.of(whole.clone()));
                let shares: Vec<Vec<usize>> = shares.collect();
                assert!(shares.iter().all(|share| share.len().abs_diff(length / count) < 2));
                assert_eq!(shares.concat(), whole, "{length} in {count}");
            }
        }
    }

    #[test]
    fn of_more_shares_than_items_one_gets_each() {
        let count = usize::MAX;
        let share = |number| Shard { number, count }.of(vec!["a", "b"]);
        assert_eq!([share(1), share(count / 2 + 1), share(count)].concat(), ["a", "b"]);
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["", "1", "0/3", "4/3", "1/0", "x/2", "1/x", "-1/2", "1/2/3", "1 / 2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert_eq!("2/3".parse(), Ok(Shard { number: 2, count: 3 }));
    }
}
