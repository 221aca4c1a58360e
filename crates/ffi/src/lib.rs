//! The C interface under the Go binding: one library, versioned, refused on mismatch.
//!
//! Settled is how a caller learns the version of the interface; the functions come with the bindings.

/// The version of the C interface; it grows with every incompatible change.
pub const ABI_VERSION: u32 = 0;

/// The version of the C interface that this library has. A caller built for another one must not go on.
#[unsafe(no_mangle)]
pub extern "C" fn toolmesh_abi_version() -> u32 {
    ABI_VERSION
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_exported_version_is_the_constant() {
        assert_eq!(super::toolmesh_abi_version(), super::ABI_VERSION);
    }
}
