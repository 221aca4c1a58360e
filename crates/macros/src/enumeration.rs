//! Enums without data: one of some names.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Fields, Ident, LitStr, Variant};

use crate::{
    crate_path,
    property::{Position, PropertyAttributes, refuse_duplicates},
};

pub(crate) fn derive(input: &DeriveInput, data: &DataEnum) -> syn::Result<TokenStream> {
    let on_type = PropertyAttributes::read(&input.attrs, Position::Type)?;
    let krate = crate_path::resolve(on_type.krate.as_ref());
    if !input.generics.params.is_empty() {
        return Err(syn::Error::new_spanned(
            &input.generics,
            "UNSUPPORTED_TYPE: an enum of the closed family has no generic parameters",
        ));
    }
    let names = data
        .variants
        .iter()
        .map(published)
        .collect::<syn::Result<Vec<_>>>()?;
    refuse_duplicates(names.iter())?;
    let variants: Vec<&Ident> = data.variants.iter().map(|variant| &variant.ident).collect();
    Ok(implement(&krate, &input.ident, &variants, &names))
}

fn published(variant: &Variant) -> syn::Result<LitStr> {
    if !matches!(variant.fields, Fields::Unit) {
        return Err(syn::Error::new_spanned(
            variant,
            "UNSUPPORTED_TYPE: an enum of the closed family has variants without data only: use a struct with an Option for each case",
        ));
    }
    PropertyAttributes::read(&variant.attrs, Position::Variant)?.name(&variant.ident)
}

fn implement(krate: &TokenStream, ident: &Ident, variants: &[&Ident], names: &[LitStr]) -> TokenStream {
    // An enum without variants has no values, and nothing may come after looking at one.
    let publish = if variants.is_empty() {
        quote!(match *self {})
    } else {
        quote! {
            let name: &str = match *self {
                #(Self::#variants => #names,)*
            };
            ::core::result::Result::Ok(#krate::json::Value::from(name))
        }
    };
    quote! {
        #[automatically_derived]
        impl #krate::ToolType for #ident {
            fn schema(
                _: &mut #krate::typed::Derivation,
            ) -> ::core::result::Result<#krate::json::Value, #krate::typed::TypeRefusal> {
                ::core::result::Result::Ok(#krate::typed::Derivation::choice(&[#(#names),*]))
            }

            fn bind(
                value: #krate::json::View<'_>,
                binding: &mut #krate::typed::Binding,
            ) -> ::core::result::Result<Self, #krate::typed::BindRefusal> {
                match binding.text(value)? {
                    #(#names => ::core::result::Result::Ok(Self::#variants),)*
                    _ => ::core::result::Result::Err(#krate::typed::BindFault::UnknownName.into()),
                }
            }

            fn publish(
                &self,
                _: &mut #krate::typed::Publication,
            ) -> ::core::result::Result<#krate::json::Value, #krate::typed::PublishRefusal> {
                #publish
            }
        }

        #[automatically_derived]
        impl #krate::ToolOutput for #ident {}
    }
}
