//! One stable sort for everything: the standard library's is instantiated anew, at 10 to 20 kB of
//! wasm, for every type it sorts (65 kB in all, measured). What is sorted here is short.

/// The numbers from 0 to `count` in the order that `precedes` gives; equal ones stay as they are.
/// A merge sort: n log n whatever the input.
pub fn order(count: usize, precedes: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    let mut merged: Vec<usize> = Vec::with_capacity(count);
    let mut width = 1;
    while width < count {
        merged.clear();
        for run in sorted.chunks(width * 2) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            loop {
                match (left, right) {
                    ([l, left_rest @ ..], [r, right_rest @ ..]) => {
                        if precedes(*r, *l) {
                            merged.push(*r);
                            right = right_rest;
                        } else {
                            merged.push(*l);
                            left = left_rest;
                        }
                    }
                    (rest, []) | ([], rest) => {
                        merged.extend_from_slice(rest);
                        break;
                    }
                }
            }
        }
        std::mem::swap(&mut sorted, &mut merged);
        width *= 2;
    }
    sorted
}

/// Keeps the best few of many: `items` stays in order and at most `limit` long.
pub fn keep_best<T>(items: &mut Vec<T>, item: T, limit: usize, precedes: &dyn Fn(&T, &T) -> bool) {
    if items.len() >= limit && items.last().is_none_or(|last| !precedes(&item, last)) {
        return;
    }
    let at = items.partition_point(|other| !precedes(&item, other));
    items.insert(at, item);
    items.truncate(limit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_stably() {
        let mut state = 7_u32;
        for count in 0..200 {
            let keys: Vec<u32> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> 28
                })
                .collect();
            let mut expected: Vec<usize> = (0..count).collect();
            expected.sort_by_key(|at| keys[*at]);
            assert_eq!(order(count, &|a, b| keys[a] < keys[b]), expected);
            let mut best = Vec::new();
            for (at, key) in keys.iter().enumerate() {
                keep_best(&mut best, (*key, at), 5, &|a, b| a < b);
            }
            let mut all: Vec<(u32, usize)> = keys.iter().copied().zip(0..).collect();
            all.sort_unstable();
            all.truncate(5);
            assert_eq!(best, all);
        }
    }
}
