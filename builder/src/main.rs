//! `toolcrib-builder IN.wasm OUT_FOLDER`: what the `wasm-bindgen` command does for `--target bundler`, as a
//! crate of this workspace, so that one `Cargo.lock` pins both halves and nothing has to be installed first.
//!
//! Writes `toolcrib_bg.js` (the glue), `toolcrib_bg.wasm`, and `snippets/` when the engine embeds JavaScript of
//! its own. The wasm it writes imports from `./toolcrib_bg.js` and from nothing else.

use std::{env, fmt::Write as _, fs, path::Path, process::ExitCode};
use wasm_bindgen_cli_support::Bindgen;

const GLUE: &str = "./toolcrib_bg.js";

/// Known when this is compiled: a change of the lock compiles it anew.
const LOCK: &str = include_str!("../../Cargo.lock");

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [input, out] => same_versions(LOCK).and_then(|()| run(Path::new(input), Path::new(out))),
        _ => Err("usage: toolcrib-builder IN.wasm OUT_FOLDER".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            let words: Vec<&str> = reason.split_whitespace().collect();
            eprintln!("toolcrib-builder: {}", words.join(" "));
            ExitCode::FAILURE
        }
    }
}

fn run(input: &Path, out: &Path) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    let mut output = bindgen
        .bundler(true)
        .and_then(|bindgen| {
            bindgen
                .input_path(input)
                .out_name("toolcrib")
                .typescript(false)
                // Here and not by `strip = true` in the release profile, which takes the target features with it.
                .remove_name_section(true)
                .remove_producers_section(true)
                .generate_output()
        })
        .map_err(|error| format!("{error:#}"))?;

    // A function whose arguments need no conversion is imported by the wasm straight from its JavaScript file.
    // Exported by the glue instead, it leaves the loaders one object to pass.
    let mut exports = String::new();
    for (at, import) in output.wasm_mut().imports.iter_mut().enumerate() {
        if import.module == GLUE {
            continue;
        }
        if !import.module.starts_with("./") {
            return Err(format!(
                "the engine imports {:?} from {:?}, which is no file of this repository",
                import.name, import.module
            ));
        }
        let name = format!("__import{at}_{}", import.name);
        let _ = writeln!(
            exports,
            "export {{ {} as {name} }} from {:?};",
            import.name, import.module
        );
        GLUE.clone_into(&mut import.module);
        import.name = name;
    }

    // Snippets of an earlier run would otherwise stay.
    let snippets = out.join("snippets");
    if snippets.exists() {
        fs::remove_dir_all(&snippets)
            .map_err(|error| format!("{}: {error}", snippets.display()))?;
    }
    output.emit(out).map_err(|error| format!("{error:#}"))?;
    let glue = out.join("toolcrib_bg.js");
    fs::read_to_string(&glue)
        .and_then(|text| fs::write(&glue, text + &exports))
        .map_err(|error| format!("{}: {error}", glue.display()))
}

/// Cargo refuses most mixtures by itself; this one names the command that mends it.
fn same_versions(lock: &str) -> Result<(), String> {
    let ours = version(lock, "wasm-bindgen-cli-support");
    let engine = version(lock, "wasm-bindgen");
    if ours.is_some() && ours == engine {
        return Ok(());
    }
    let (ours, engine) = (ours.unwrap_or("no version"), engine.unwrap_or("no version"));
    Err(format!(
        "Cargo.lock holds wasm-bindgen {engine} and wasm-bindgen-cli-support {ours}, which must be the same; \
         run `cargo update wasm-bindgen --precise {ours}` or change builder/Cargo.toml"
    ))
}

fn version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = lock
        .lines()
        .skip_while(|line| *line != format!("name = {name:?}"));
    lines
        .nth(1)?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_versions_are_named() {
        let lock = "name = \"wasm-bindgen\"\nversion = \"0.2.131\"\n\nname = \"wasm-bindgen-cli-support\"\nversion = \"0.2.130\"\n";
        let reason = same_versions(lock).unwrap_err();
        assert!(
            reason.contains("wasm-bindgen 0.2.131 and wasm-bindgen-cli-support 0.2.130"),
            "{reason}"
        );
        assert_eq!(same_versions(LOCK), Ok(()));
    }
}
