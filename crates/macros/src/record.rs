//! Structs with named fields, and the arguments of a function: closed objects.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, DataStruct, DeriveInput, Fields, GenericParam, Generics, Ident, LitStr, Type, parse_quote,
    spanned::Spanned,
};

use crate::{
    crate_path,
    property::{Position, PropertyAttributes, refuse_duplicates},
};

/// A member of a closed object.
pub(crate) struct Field {
    ident: Ident,
    ty: Type,
    name: LitStr,
    attributes: PropertyAttributes,
}

impl Field {
    pub(crate) fn new(ident: Ident, ty: Type, attributes: &[Attribute]) -> syn::Result<Self> {
        let attributes = PropertyAttributes::read(attributes, Position::Field)?;
        Ok(Self {
            name: attributes.name(&ident)?,
            ident,
            ty,
            attributes,
        })
    }

    pub(crate) fn ident(&self) -> &Ident {
        &self.ident
    }

    pub(crate) fn ty(&self) -> &Type {
        &self.ty
    }
}

pub(crate) fn derive(input: &DeriveInput, data: &DataStruct) -> syn::Result<TokenStream> {
    let on_type = PropertyAttributes::read(&input.attrs, Position::Type)?;
    let krate = crate_path::resolve(on_type.krate.as_ref());
    let Fields::Named(named) = &data.fields else {
        return Err(syn::Error::new_spanned(
            &input.ident,
            "UNSUPPORTED_TYPE: a type of the closed family is a struct with named fields, such as `struct S { .. }`",
        ));
    };
    let fields = named.named.iter().map(|field| {
        let ident = field
            .ident
            .clone()
            .ok_or_else(|| syn::Error::new(field.span(), "a field needs a name"))?;
        Field::new(ident, field.ty.clone(), &field.attrs)
    });
    let fields = fields.collect::<syn::Result<Vec<_>>>()?;
    implement(&krate, &input.ident, &input.generics, &fields)
}

/// The implementations of a closed object.
pub(crate) fn implement(
    krate: &TokenStream,
    ident: &Ident,
    generics: &Generics,
    fields: &[Field],
) -> syn::Result<TokenStream> {
    refuse_duplicates(fields.iter().map(|field| &field.name))?;
    let generics = bounded(krate, generics)?;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let weight = weight(krate, &generics);
    let schema = schema(krate, fields);
    let conversions = conversions(krate, fields);
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics #krate::ToolType for #ident #type_generics #where_clause {
            #weight
            #schema
            #conversions
        }

        #[automatically_derived]
        impl #impl_generics #krate::ToolArguments for #ident #type_generics #where_clause {}

        #[automatically_derived]
        impl #impl_generics #krate::ToolOutput for #ident #type_generics #where_clause {}
    })
}

/// Every type parameter must be of the family, whether a field shows it or not.
fn bounded(krate: &TokenStream, generics: &Generics) -> syn::Result<Generics> {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => parameter.bounds.push(parse_quote!(#krate::ToolType)),
            GenericParam::Const(_) => {}
            GenericParam::Lifetime(lifetime) => {
                return Err(syn::Error::new_spanned(
                    lifetime,
                    "UNSUPPORTED_TYPE: a type of the closed family owns its values: use String instead of &str, Vec instead of a slice",
                ));
            }
        }
    }
    Ok(generics)
}

/// Only generic arguments weigh; a type without them weighs what it does by default.
fn weight(krate: &TokenStream, generics: &Generics) -> TokenStream {
    let arguments: Vec<&Ident> = generics.type_params().map(|parameter| &parameter.ident).collect();
    if arguments.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn weight() -> usize {
            let mut weight: usize = 1;
            #(weight = weight.saturating_add(<#arguments as #krate::ToolType>::weight());)*
            weight
        }
    }
}

/// `__Declaration` is one type whatever the generic arguments are, since an item inside a function does not see them: it stands
/// for the struct's declaration.
fn schema(krate: &TokenStream, fields: &[Field]) -> TokenStream {
    let types = fields.iter().map(Field::ty);
    let properties = fields
        .iter()
        .map(|field| field.attributes.to_expression(krate, &field.name));
    quote! {
        fn schema(
            derivation: &mut #krate::typed::Derivation,
        ) -> ::core::result::Result<#krate::json::Value, #krate::typed::TypeRefusal> {
            struct __Declaration;
            let weight = <Self as #krate::ToolType>::weight();
            derivation.record::<__Declaration>(weight, |_properties| {
                #(_properties.add::<#types>(&#properties)?;)*
                ::core::result::Result::Ok(())
            })
        }
    }
}

fn conversions(krate: &TokenStream, fields: &[Field]) -> TokenStream {
    let idents: Vec<_> = fields.iter().map(Field::ident).collect();
    let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
    // Said out loud, so that a type outside the family is shown where it stands in the struct.
    let types: Vec<_> = fields.iter().map(Field::ty).collect();
    quote! {
        fn bind(
            value: #krate::json::View<'_>,
            binding: &mut #krate::typed::Binding,
        ) -> ::core::result::Result<Self, #krate::typed::BindRefusal> {
            binding.record(value, &[#(#names),*], |_members| {
                ::core::result::Result::Ok(Self { #(#idents: _members.take::<#types>(#names)?,)* })
            })
        }

        fn publish(
            &self,
            publication: &mut #krate::typed::Publication,
        ) -> ::core::result::Result<#krate::json::Value, #krate::typed::PublishRefusal> {
            publication.record(|_members| {
                #(_members.put::<#types>(#names, &self.#idents)?;)*
                ::core::result::Result::Ok(())
            })
        }
    }
}

/// A struct that exists only to be the arguments of a function.
pub(crate) fn synthetic(krate: &TokenStream, ident: &Ident, fields: &[Field]) -> syn::Result<TokenStream> {
    let idents = fields.iter().map(Field::ident);
    let types = fields.iter().map(Field::ty);
    let implementations = implement(krate, ident, &Generics::default(), fields)?;
    Ok(quote! {
        struct #ident { #(#idents: #types,)* }
        #implementations
    })
}

#[cfg(test)]
mod tests {
    use syn::{Data, parse_quote};

    use super::*;

    fn refused(input: &DeriveInput) -> String {
        let derived = match &input.data {
            Data::Struct(data) => derive(input, data),
            Data::Enum(data) => crate::enumeration::derive(input, data),
            Data::Union(_) => unreachable!("no test derives for a union"),
        };
        derived.unwrap_err().to_string()
    }

    #[test]
    fn only_structs_with_named_fields_and_enums_without_data_are_types_of_the_family() {
        for input in [
            parse_quote!(
                struct Tuple(i32);
            ),
            parse_quote!(
                struct Unit;
            ),
            parse_quote!(
                enum Data {
                    A(i32),
                }
            ),
            parse_quote!(
                enum Named {
                    A { a: i32 },
                }
            ),
            parse_quote!(
                enum Generic<const N: usize> {
                    A,
                }
            ),
            parse_quote!(
                struct Borrowed<'a> {
                    a: &'a str,
                }
            ),
        ] {
            let message = refused(&input);
            assert!(message.starts_with("UNSUPPORTED_TYPE: "), "{message}");
        }
    }

    #[test]
    fn names_differ_and_have_one_to_1024_units() {
        let longest = "x".repeat(1_024);
        let too_long = "x".repeat(1_025);
        let fits: DeriveInput = parse_quote!(
            struct S {
                #[property(name = #longest)]
                a: i32,
            }
        );
        let Data::Struct(data) = &fits.data else {
            unreachable!("a struct was written")
        };
        assert!(derive(&fits, data).is_ok());
        for input in [
            parse_quote!(
                struct S {
                    #[property(name = #too_long)]
                    a: i32,
                }
            ),
            parse_quote!(
                struct S {
                    #[property(name = "")]
                    a: i32,
                }
            ),
            parse_quote!(
                enum E {
                    #[property(name = "")]
                    A,
                }
            ),
        ] {
            let message = refused(&input);
            assert!(
                message.starts_with("INVALID_DESCRIPTOR: a name has 1 to 1024 UTF-16 units"),
                "{message}"
            );
        }
        for input in [
            parse_quote!(
                struct S {
                    r#type: i32,
                    #[property(name = "type")]
                    kind: i32,
                }
            ),
            parse_quote!(
                enum E {
                    A,
                    #[property(name = "A")]
                    B,
                }
            ),
        ] {
            let message = refused(&input);
            assert!(message.starts_with("DUPLICATE_PROPERTY: the name `"), "{message}");
        }
    }

    #[test]
    fn a_setting_stands_once_and_where_it_makes_sense() {
        let other = "only `name`, `title`, `description` and `header`, each with a text can stand here";
        for (input, message) in [
            (
                parse_quote!(
                    struct S {
                        #[property(nmae = "a")]
                        a: i32,
                    }
                ),
                other,
            ),
            (
                parse_quote!(
                    struct S {
                        #[property(crate = a)]
                        a: i32,
                    }
                ),
                other,
            ),
            (
                parse_quote!(
                    struct S {
                        #[property(title = "a", title = "b")]
                        a: i32,
                    }
                ),
                "this is given twice",
            ),
            (
                parse_quote!(
                    enum E {
                        #[property(title = "a")]
                        A,
                    }
                ),
                "only `name` with a text can stand here",
            ),
            (
                parse_quote!(
                    #[property(name = "a")]
                    struct S {}
                ),
                "only `crate = path` can stand here",
            ),
        ] {
            assert_eq!(refused(&input), message);
        }
    }
}
