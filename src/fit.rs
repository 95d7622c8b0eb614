//! What goes of a history so that the rest fits, in numbers: where it is cut, and what stays of what stands before.
//!
//! A cut is made where a turn begins, so that no call is parted from its results. What stands before it goes, but for
//! system messages and their like, and for the last human message there: what comes after is done for that. The cut
//! depends on nothing after it but on how much has to go, and that is rounded up to a share of the budget: so it stays
//! where it is, and with it the prefix that a provider caches, until the thread has grown by as much.

use crate::cost::{self, provider::Factor};
use crate::transcript::Seat;
use crate::value::Told;

/// Of the window this part is kept free where the host says nothing: for the answer, for the system prompt, and for what
/// the estimate may be off, which grows with the window as well.
pub const RESERVE: f64 = 0.1;

/// What goes is rounded up to this part of the budget: a quarter is worth a few turns to a provider's cache, and leaves
/// three quarters of the history.
const STEP: u64 = 4;
/// Where so much can't go, as what stays takes most of the budget, the half of it will do, up to so many times.
const HALVINGS: u32 = 3;

/// What stands around a message on the way to the model, in tokens: OpenAI's cookbook counts three.
const AROUND: u32 = 3;
/// An image, a file or a recording, in tokens, whatever its size: what Anthropic gives for the largest image that it does
/// not scale down (width x height / 750, at 1.15 megapixels). OpenAI's and Gemini's cost less, a page of a PDF about as much.
const MEDIUM: u32 = 1600;
/// Characters of encrypted reasoning for a token: base64 makes four of three bytes, and four bytes make a token.
const SEALED: f64 = 4.0 * 4.0 / 3.0;

/// What a message costs, in the provider's tokens.
pub fn message(told: &Told, factor: Factor) -> u32 {
    let sealed = (f64::from(told.sealed) / SEALED).ceil() as u32;
    let text = cost::estimate(&told.text).saturating_add(sealed);
    factor
        .apply(text)
        .saturating_add(AROUND)
        .saturating_add(told.media.saturating_mul(MEDIUM))
}

/// A history as far as its numbers go.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    /// What each message costs.
    pub tokens: &'a [u32],
    /// What each message is.
    pub seats: &'a [Seat],
    /// The first message has to be the user's.
    pub opens_with_user: bool,
    /// Messages that stay with all that they belong to.
    pub bound: &'a [usize],
}

/// A cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// All from here on stays.
    pub from: usize,
    /// The positions before that stay.
    pub kept: Vec<usize>,
    /// What all others cost.
    pub saved: u64,
}

/// Where a cut may be.
struct Point {
    from: usize,
    asked: Option<Asked>,
    saved: u64,
}

/// The last human message before a cut, which stays.
#[derive(Clone, Copy)]
struct Asked {
    /// What stays with it, from and to: calls, where it holds their results.
    span: (usize, usize),
    /// What of that stays for nothing else costs this, and whatever this message does.
    cost: u64,
    message: Option<usize>,
    /// The human message before that, where the first one holds results.
    opener: Option<usize>,
}

/// The first cut by which `need` goes, in whole steps of the budget where it can be; else the one by which most goes.
pub fn cut(history: &History<'_>, need: u64, budget: u64) -> Cut {
    let kept = kept(history);
    let points = points(history, &kept);
    let first = |least: u64| points.iter().find(|point| point.saved >= least);
    let steps = (0..=HALVINGS).map(|halving| ((budget / STEP) >> halving).max(1));
    let in_steps = steps.map(|step| need.div_ceil(step) * step);
    let most = || {
        let mut most: Option<&Point> = None;
        for point in points.iter().filter(|point| point.saved > 0) {
            if most.is_none_or(|most| most.saved < point.saved) {
                most = Some(point);
            }
        }
        most
    };
    let found = in_steps.chain([need]).find_map(first).or_else(most);
    let Some(point) = found else {
        return Cut::default();
    };
    let is_kept = |at: &usize| {
        let is_asked = |Asked { span, opener, .. }: Asked| {
            opener == Some(*at) || (span.0..span.1).contains(at)
        };
        kept[*at] < point.from || point.asked.is_some_and(is_asked)
    };
    Cut {
        from: point.from,
        kept: (0..point.from).filter(is_kept).collect(),
        saved: point.saved,
    }
}

/// Stays however far the cut goes behind it.
const NEVER: usize = usize::MAX;

/// By message: once the cut is behind this position the message stays.
fn kept(history: &History<'_>) -> Vec<usize> {
    let seats = history.seats;
    let mut kept = vec![NEVER; seats.len()];
    let leading = seats.iter().take_while(|seat| seat.stays).count();
    let mut human = None;
    let mut is_opened = false;
    for (from, to) in units(seats) {
        let binds = seats[from..to].iter().any(|seat| seat.binds)
            || history.bound.iter().any(|at| (from..to).contains(at));
        for at in from..to {
            if !binds && !seats[at].stays {
                continue;
            }
            kept[at] = kept[at].min(at);
            // What stays before all human messages that stay would be the first message.
            let opens = history.opens_with_user && at >= leading && !is_opened;
            is_opened |= opens;
            if let Some(human) = human
                && (opens || binds && at == from)
            {
                kept[human] = at.min(kept[human]);
            }
        }
        human = (from..to).rev().find(|at| is_plain(&seats[*at])).or(human);
    }
    kept
}

/// A person speaks there, and nothing else stands in it.
fn is_plain(seat: &Seat) -> bool {
    seat.human && !seat.results
}

/// What can't be parted, from and to.
fn units(seats: &[Seat]) -> Vec<(usize, usize)> {
    let starts = (0..seats.len()).filter(|at| *at == 0 || !seats[*at].joined);
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([seats.len()]);
    starts.iter().copied().zip(ends).collect()
}

fn points(history: &History<'_>, kept: &[usize]) -> Vec<Point> {
    let History { tokens, seats, .. } = *history;
    // What stays from each position on.
    let mut stays = vec![0_u64; seats.len() + 1];
    for (at, since) in kept
        .iter()
        .enumerate()
        .filter(|(_, since)| **since != NEVER)
    {
        stays[*since] += u64::from(tokens[at]);
    }
    let cost = |at: usize, from: usize| match kept[at] < from {
        true => 0,
        false => u64::from(tokens[at]),
    };
    let units = units(seats);
    let mut points: Vec<Point> = Vec::new();
    let (mut asked, mut plain): (Option<Asked>, Option<usize>) = (None, None);
    let (mut gone, mut staying) = (0_u64, 0_u64);
    let mut point = |from: usize, asked: Option<Asked>, saved: u64| {
        let one = |at: Option<usize>| at.map_or(0, |at| cost(at, from));
        let price = asked.map_or(0, |its| its.cost + one(its.message) + one(its.opener));
        points.push(Point {
            from,
            asked,
            saved: saved.saturating_sub(price),
        });
    };
    for (start, end) in &units {
        let (start, end) = (*start, *end);
        if start > 0 {
            let asks = is_plain(&seats[start]);
            point(start, asked.filter(|_| !asks), gone - staying);
        }
        for at in start..end {
            gone += u64::from(tokens[at]);
            staying += stays[at];
        }
        let its = (start..end).rev().find(|at| is_plain(&seats[*at]));
        if let Some(last) = (start..end).rev().find(|at| seats[*at].human) {
            let is_alone = its == Some(last);
            let span = if is_alone {
                (last, last + 1)
            } else {
                (start, end)
            };
            let others = (span.0..span.1).filter(|at| Some(*at) != its);
            asked = Some(Asked {
                span,
                cost: others.map(|at| cost(at, end)).sum(),
                message: its,
                opener: plain.filter(|_| !is_alone),
            });
        }
        plain = its.or(plain);
    }
    // All goes where the model has said its last word. What it has not seen yet stays: it would ask for it again.
    if let Some((start, end)) = units.last()
        && !(seats[*start..*end].iter()).any(|seat| seat.calls || seat.results)
    {
        point(*end, asked, gone - staying);
    }
    points
}
