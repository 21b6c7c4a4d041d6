//! Work on many items at once, whose results come in the order of the items, however long each takes.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};

/// How far work runs ahead of the oldest result that was not taken: enough that one slow item does not keep the cores
/// waiting, few enough to hold.
const AHEAD: usize = 256;

/// How many items a thread takes at once, as handing over each by itself takes longer than compiling it.
const TOGETHER: usize = 16;

/// How many results were taken; nothing if no more are wanted.
struct Taken {
    count: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Taken {
    fn tell(&self, count: Option<usize>) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) = count;
        self.changed.notify_all();
    }

    /// Waits until an item is not too far ahead. Is its result wanted?
    fn is_next(&self, at: usize) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |count: &mut Option<usize>| count.is_some_and(|taken| at >= taken + AHEAD);
        self.changed.wait_while(count, is_early).unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Works on all items and hands over each result as soon as those before it are handed over, until one is an error or
/// no more are wanted.
pub(super) fn ordered<I: Send, T: Send, E>(
    mut items: impl Iterator<Item = I> + Send,
    work: impl Fn(I) -> T + Sync,
    mut take: impl FnMut(T) -> Result<bool, E>,
) -> Result<(), E> {
    // Starting threads takes longer than compiling one plugin.
    if items.size_hint().1 == Some(1) {
        return items.next().map_or(Ok(()), |item| take(work(item)).map(|_| ()));
    }
    let threads = rayon::current_num_threads();
    let few = |most: usize| (most / (4 * threads)).clamp(1, TOGETHER);
    let together = items.size_hint().1.map_or(TOGETHER, few);
    let queue = Mutex::new(Queue { items, next: 0, together });
    let taken = Taken { count: Mutex::new(Some(0)), changed: Condvar::new() };
    let (sender, receiver) = channel();
    rayon::in_place_scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (queue, work, taken) = (&queue, &work, &taken);
            scope.spawn(move |_| worker(queue, work, taken, &sender));
        }
        drop(sender);
        let done = in_turn(&receiver, &taken, &mut take);
        taken.tell(None);
        done
    })
}

struct Queue<I> {
    items: I,
    next: usize,
    together: usize,
}

impl<I: Iterator> Queue<I> {
    /// The next items, and how many there were before them.
    fn take(&mut self) -> (usize, Vec<I::Item>) {
        let some: Vec<I::Item> = self.items.by_ref().take(self.together).collect();
        let at = self.next;
        self.next += some.len();
        (at, some)
    }
}

fn worker<I, T>(
    queue: &Mutex<Queue<impl Iterator<Item = I>>>,
    work: impl Fn(I) -> T,
    taken: &Taken,
    sender: &Sender<(usize, Vec<T>)>,
) {
    loop {
        let (at, items) = queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        if items.is_empty() || !taken.is_next(at) {
            return;
        }
        let done = items.into_iter().map(&work).collect();
        if sender.send((at, done)).is_err() {
            return;
        }
    }
}

fn in_turn<T, E>(
    receiver: &Receiver<(usize, Vec<T>)>,
    taken: &Taken,
    take: &mut impl FnMut(T) -> Result<bool, E>,
) -> Result<(), E> {
    let (mut early, mut count) = (BTreeMap::new(), 0);
    for (at, results) in receiver {
        early.insert(at, results);
        while let Some(results) = early.remove(&count) {
            for result in results {
                count += 1;
                if !take(result)? {
                    return Ok(());
                }
            }
            taken.tell(Some(count));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let slow_first = |item: u64| {
            std::thread::sleep(std::time::Duration::from_millis(if item == 0 { 50 } else { 0 }));
            item
        };
        let mut all = Vec::new();
        let done: Result<(), ()> = ordered(0..1000, slow_first, |item| {
            all.push(item);
            Ok(true)
        });
        assert_eq!(done, Ok(()));
        assert_eq!(all, (0..1000).collect::<Vec<u64>>());
    }

    #[test]
    fn an_endless_list_ends_when_no_more_is_wanted_or_something_fails() {
        let mut count = 0;
        let mut until = |end: Result<bool, &'static str>| {
            count = 0;
            let take = |_| {
                count += 1;
                if count < 1000 { Ok(true) } else { end }
            };
            ordered(0_u64.., |item| item, take)
        };
        assert_eq!(until(Ok(false)), Ok(()));
        assert_eq!(until(Err("full")), Err("full"));
    }
}
