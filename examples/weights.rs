//! Says which weights of the estimate each text has (`src/cost/estimate.rs`): one JSON text a line in, the numbers
//! of its weights a line out, a `;` after each piece. `tests/estimates/fit.mjs` fits the weights to them.

// A line that can't be read is a fault of the script that wrote it.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use toolcrib::cost::estimate::{Sum, walk};

struct Numbers(String);

impl Sum for Numbers {
    fn weight(&mut self, number: usize) {
        write!(self.0, "{number} ").unwrap();
    }

    fn end(&mut self, _: usize) {
        self.0.push(';');
    }
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?).unwrap();
        let mut numbers = Numbers(String::new());
        walk(&text, &mut numbers);
        writeln!(out, "{}", numbers.0)?;
    }
    Ok(())
}
