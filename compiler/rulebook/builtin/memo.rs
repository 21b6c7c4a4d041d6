//! `Memo`: answers that were worked out before. The plugins of one marketplace write the same matchers and lists of
//! tools again and again, and reading one costs more than remembering it.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// No more answers are kept than this, as plugins are foreign.
const MOST: usize = 512;

/// The answer to a longer text is not kept, in bytes.
const LONGEST: usize = 256;

/// What a function of nothing but a text has answered. What is dear to clone is kept in an `Rc`.
pub(super) struct Memo<T>(RefCell<BTreeMap<String, T>>);

impl<T: Clone> Memo<T> {
    pub(super) const fn new() -> Self {
        Memo(RefCell::new(BTreeMap::new()))
    }

    /// The answer to a text, worked out now or before.
    pub(super) fn ask(&self, text: &str, work: impl FnOnce() -> T) -> T {
        if let Some(known) = self.0.borrow().get(text) {
            return known.clone();
        }
        let answer = work();
        let mut known = self.0.borrow_mut();
        if text.len() <= LONGEST && known.len() < MOST {
            known.insert(text.to_owned(), answer.clone());
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_and_never_are_too_many_kept() {
        let memo = Memo::new();
        assert_eq!(memo.ask("a", || 1), 1);
        assert_eq!(memo.ask("a", || 2), 1);
        let long = "x".repeat(LONGEST + 1);
        assert_eq!((memo.ask(&long, || 1), memo.ask(&long, || 2)), (1, 2));
        for at in 0..2 * MOST {
            memo.ask(&at.to_string(), || 0);
        }
        assert_eq!(memo.0.borrow().len(), MOST);
    }
}
