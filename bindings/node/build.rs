//! Links as a native module of Node is linked.

fn main() {
    napi_build::setup();
}
