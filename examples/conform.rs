//! Runs vectors through the native engine: one JSON object a line in, `{"id", "gives"}` a line out.
//! `tests/vectors/write.mjs` and the differential test (`tests/js/differential.test.mjs`) talk to it.

// A vector that can't be read is a fault of the test that wrote it.
#![allow(clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{self, BufRead, Write};

use support::node::Node;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let vector = Node::parse(&line?).expand();
        let outcome = Node::object([
            ("id", vector.get("id").cloned().unwrap_or(Node::Null)),
            ("gives", support::run(&vector)),
        ]);
        writeln!(out, "{}", outcome.stringify())?;
        out.flush()?;
    }
    Ok(())
}
