//! From a function to its tool.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Ident, ItemFn, LitStr, ext::IdentExt};

use crate::{
    crate_path, description,
    function::{Arguments, take_arguments},
    record::{Field, synthetic},
    settings::Settings,
};

pub(crate) fn expand(settings: &Settings, mut function: ItemFn) -> syn::Result<TokenStream> {
    let krate = crate_path::resolve(settings.krate.as_ref());
    let arguments = take_arguments(&mut function)?;
    let body = tool_body(&krate, settings, &function, &arguments)?;
    let companions = companions(&krate, &function, &body);
    Ok(quote! {
        #function
        #companions
    })
}

/// The body of `<fn>_tool`. Its struct has a name that no argument's type will have, since it hides what is outside.
fn tool_body(
    krate: &TokenStream,
    settings: &Settings,
    function: &ItemFn,
    arguments: &Arguments,
) -> syn::Result<TokenStream> {
    let record = Ident::new("__ToolArguments", Span::call_site());
    let definition = synthetic(krate, &record, &arguments.fields)?;
    let called = &function.sig.ident;
    let values = arguments.fields.iter().map(Field::ident);
    let (context_pattern, context) = match arguments.context {
        true => (quote!(context), Some(quote!(context,))),
        false => (quote!(_), None),
    };
    let arguments_pattern = if arguments.fields.is_empty() {
        quote!(_)
    } else {
        quote!(arguments)
    };
    let name = settings
        .name
        .clone()
        .unwrap_or_else(|| LitStr::new(&called.unraw().to_string(), called.span()));
    let description = describe(settings, &function.attrs);
    let calls = settings.calls(krate)?;
    Ok(quote! {
        #definition
        #krate::Tool::with_name(#name)
            .arguments::<#record>()
            .handler(|#context_pattern: #krate::CallContext, #arguments_pattern: #record| {
                #called(#context #(arguments.#values),*)
            })
            #calls
            #description
            .build()
    })
}

fn describe(settings: &Settings, attributes: &[Attribute]) -> Option<TokenStream> {
    let given = settings.description.as_ref().map(LitStr::value);
    let text = given.or_else(|| description::of(attributes))?;
    Some(quote!(.description(#text)))
}

/// The functions beside the function, seen and compiled where it is. Not all of them are used in every program.
fn companions(krate: &TokenStream, function: &ItemFn, body: &TokenStream) -> TokenStream {
    let visibility = &function.vis;
    let conditions: Vec<&Attribute> = function
        .attrs
        .iter()
        .filter(|found| found.path().is_ident("cfg"))
        .collect();
    let called = function.sig.ident.unraw();
    let [tool, descriptor, register] =
        ["tool", "descriptor", "register"].map(|what| format_ident!("{called}_{what}"));
    let tool_doc = format!("The tool that runs `{called}`, checked.");
    let descriptor_doc = format!("The form in which the tool that runs `{called}` is told of.");
    let register_doc =
        format!("Offers the tool that runs `{called}`: in a toolbox by its mount, or on a mesh by its node.");
    quote! {
        #(#conditions)*
        #[doc = #tool_doc]
        #[allow(dead_code)]
        #visibility fn #tool() -> ::core::result::Result<#krate::Tool, #krate::ToolBuildError> {
            #body
        }

        #(#conditions)*
        #[doc = #descriptor_doc]
        #[allow(dead_code)]
        #visibility fn #descriptor() -> ::core::result::Result<#krate::ToolDescriptor, #krate::ToolBuildError> {
            #tool().map(|tool| tool.descriptor())
        }

        #(#conditions)*
        #[doc = #register_doc]
        #[allow(dead_code)]
        #visibility fn #register<R: #krate::typed::Registry + ?Sized>(
            registry: &R,
        ) -> ::core::result::Result<R::Registered, R::Error> {
            #krate::typed::register(registry, #tool())
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::{parse::Parser, parse_quote};

    use super::*;

    fn expanded(settings: TokenStream, function: ItemFn) -> syn::Result<String> {
        let settings = Settings::parse.parse2(settings)?;
        expand(&settings, function).map(|code| code.to_string())
    }

    fn refused(function: ItemFn) -> String {
        expanded(quote!(), function).unwrap_err().to_string()
    }

    #[test]
    fn a_tool_is_a_free_async_function_without_generics() {
        assert!(
            refused(parse_quote!(
                fn f() {}
            ))
            .starts_with("`#[tool]` stands on an `async fn`")
        );
        assert!(
            refused(parse_quote!(
                async fn f<T>(a: T) {}
            ))
            .starts_with("a tool function has no generic parameters")
        );
        assert!(
            refused(parse_quote!(
                async fn f(&self) {}
            ))
            .starts_with("`#[tool]` stands on a free function")
        );
    }

    #[test]
    fn every_argument_has_a_plain_name_and_the_context_comes_first() {
        assert!(
            refused(parse_quote!(
                async fn f((a, b): Pair) {}
            ))
            .starts_with("an argument of a tool needs a plain name")
        );
        assert_eq!(
            refused(parse_quote!(
                async fn f(a: i32, c: CallContext) {}
            )),
            "the context comes first: `context: CallContext`"
        );
        assert_eq!(
            refused(parse_quote!(
                async fn f(a: i32, #[property(name = "a")] b: i32) {}
            )),
            "DUPLICATE_PROPERTY: the name `a` is taken already"
        );
    }

    #[test]
    fn settings_are_known_stand_once_and_a_version_is_one() {
        let refused = |settings| {
            expanded(
                settings,
                parse_quote!(
                    async fn f() {}
                ),
            )
            .unwrap_err()
            .to_string()
        };
        assert!(refused(quote!(nmae = "a")).starts_with("`#[tool]` knows name, title"));
        assert_eq!(
            refused(quote!(read_only, read_only = false)),
            "this is given twice"
        );
        assert!(refused(quote!(version = "1.2")).starts_with("this is no semantic version such as 1.2.3"));
        assert!(refused(quote!(estimated_time_ms = 4_294_967_296)).contains("too large"));
    }

    #[test]
    fn the_function_keeps_everything_but_our_attributes_on_its_arguments() {
        let function = parse_quote! {
            #[cfg(all())]
            #[inline]
            pub(crate) async fn f(
                /// An argument.
                #[property(title = "A")]
                #[allow(unused)]
                a: i32,
            ) -> i32 { a }
        };
        let code = expanded(quote!(crate = ::library), function).unwrap();
        let kept =
            "# [cfg (all ())] # [inline] pub (crate) async fn f (# [allow (unused)] a : i32 ,) -> i32 { a }";
        assert!(code.starts_with(kept), "{code}");
        for companion in ["f_tool", "f_descriptor", "f_register"] {
            assert!(
                code.contains(&format!("pub (crate) fn {companion}")),
                "{companion}"
            );
        }
        assert_eq!(code.matches("# [cfg (all ())]").count(), 4);
        assert!(
            !code.contains("toolmesh_tool"),
            "the given path is used throughout"
        );
    }
}
