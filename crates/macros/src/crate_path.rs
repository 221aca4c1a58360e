//! Where the generated code finds the library.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Ident, Path};

/// The path of `toolmesh_tool`: what the user gave, else the direct dependency, else the facade's module.
pub(crate) fn resolve(given: Option<&Path>) -> TokenStream {
    if let Some(path) = given {
        return quote!(#path);
    }
    match (crate_name("toolmesh-tool"), crate_name("toolmesh")) {
        (Ok(FoundCrate::Name(name)), _) => root(&name),
        (Err(_), Ok(FoundCrate::Name(name))) => {
            let facade = root(&name);
            quote!(#facade::tool)
        }
        (Err(_), Ok(FoundCrate::Itself)) => quote!(::toolmesh::tool),
        // The library names itself by `extern crate self`, so that its own tests and examples find it like anybody's. Where
        // neither crate is found, this path makes the compiler say which one is missing.
        _ => quote!(::toolmesh_tool),
    }
}

fn root(name: &str) -> TokenStream {
    let name = Ident::new(name, Span::call_site());
    quote!(::#name)
}
