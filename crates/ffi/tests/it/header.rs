//! The header that C and Go programs are built with.

use std::{env, fs, path::Path};

#[test]
fn the_header_is_what_the_crate_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new()
        .with_crate(root)
        .with_config(config)
        .generate()
        .unwrap();
    let mut written = Vec::new();
    bindings.write(&mut written);
    let written = String::from_utf8(written).unwrap();
    let path = root.join("include/toolmesh.h");
    if env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::write(&path, &written).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == written,
        "{} is out of date: run the test with INSTA_UPDATE=always",
        path.display()
    );
}
