//! The settings of `#[tool(..)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Ident, LitBool, LitInt, LitStr, Path, Token, meta::ParseNestedMeta, parse::ParseStream, parse::Parser,
    punctuated::Punctuated,
};

use crate::property::once;

/// What the attribute says of the tool; all of it optional.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) krate: Option<Path>,
    version: Option<LitStr>,
    tags: Vec<LitStr>,
    requires: Vec<LitStr>,
    estimated_time_ms: Option<u32>,
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
    open_world: Option<bool>,
    stateless: Option<bool>,
    streaming: Option<bool>,
}

const KNOWN: &str = "`#[tool]` knows name, title, description, version, tag, tags, requires, estimated_time_ms, read_only, \
     destructive, idempotent, open_world, stateless, streaming and crate";

impl Settings {
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut settings = Self::default();
        let tokens: TokenStream = input.parse()?;
        syn::meta::parser(|setting| settings.setting(&setting)).parse2(tokens)?;
        Ok(settings)
    }

    fn setting(&mut self, setting: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let named = setting.path.get_ident().map(Ident::to_string).unwrap_or_default();
        match named.as_str() {
            "name" => once(&mut self.name, setting, setting.value()?.parse()?),
            "title" => once(&mut self.title, setting, setting.value()?.parse()?),
            "description" => once(&mut self.description, setting, setting.value()?.parse()?),
            "version" => once(&mut self.version, setting, setting.value()?.parse()?),
            "crate" => once(&mut self.krate, setting, setting.value()?.parse()?),
            "tag" => more(&mut self.tags, setting),
            "tags" => list(&mut self.tags, setting),
            "requires" => more(&mut self.requires, setting),
            "estimated_time_ms" => once(
                &mut self.estimated_time_ms,
                setting,
                setting.value()?.parse::<LitInt>()?.base10_parse()?,
            ),
            "read_only" => flag(&mut self.read_only, setting),
            "destructive" => flag(&mut self.destructive, setting),
            "idempotent" => flag(&mut self.idempotent, setting),
            "open_world" => flag(&mut self.open_world, setting),
            "stateless" => flag(&mut self.stateless, setting),
            "streaming" => flag(&mut self.streaming, setting),
            _ => Err(setting.error(KNOWN)),
        }
    }

    /// The calls on the tool builder, in the order of its methods.
    pub(crate) fn calls(&self, krate: &TokenStream) -> syn::Result<TokenStream> {
        let version = self
            .version
            .as_ref()
            .map(|text| version(krate, text))
            .transpose()?;
        let title = self.title.as_ref().map(|text| quote!(.title(#text)));
        let annotations = self.annotations(krate);
        let tags = &self.tags;
        let requires = &self.requires;
        let estimate = self
            .estimated_time_ms
            .map(|time| quote!(.estimated_time_ms(#time)));
        let stateless = self.stateless.map(|flag| quote!(.stateless(#flag)));
        let streaming = self.streaming.map(|flag| quote!(.streaming(#flag)));
        Ok(quote! {
            #version #title #annotations #(.tag(#tags))* #(.requires(#requires))* #estimate #stateless #streaming
        })
    }

    fn annotations(&self, krate: &TokenStream) -> Option<TokenStream> {
        let hints = [
            ("read_only", self.read_only),
            ("destructive", self.destructive),
            ("idempotent", self.idempotent),
            ("open_world", self.open_world),
        ];
        let given = hints.iter().filter_map(|(name, hint)| {
            let name = Ident::new(name, proc_macro2::Span::call_site());
            hint.map(|hint| quote!(#name: ::core::option::Option::Some(#hint),))
        });
        let given: Vec<TokenStream> = given.collect();
        (!given.is_empty()).then(|| {
            quote!(.annotations(#krate::ToolAnnotations { #(#given)* ..::core::default::Default::default() }))
        })
    }
}

/// A version, checked now: the generated code cannot fail over it.
fn version(krate: &TokenStream, text: &LitStr) -> syn::Result<TokenStream> {
    let checked = semver::Version::parse(&text.value());
    let semver::Version {
        major,
        minor,
        patch,
        pre,
        build,
    } = checked.map_err(|error| {
        let message = format!("this is no semantic version such as 1.2.3: {error}");
        syn::Error::new(text.span(), message)
    })?;
    let (pre, build) = (pre.as_str(), build.as_str());
    Ok(quote! {
        .version(#krate::semver::Version {
            pre: #krate::semver::Prerelease::new(#pre).unwrap_or(#krate::semver::Prerelease::EMPTY),
            build: #krate::semver::BuildMetadata::new(#build).unwrap_or(#krate::semver::BuildMetadata::EMPTY),
            ..#krate::semver::Version::new(#major, #minor, #patch)
        })
    })
}

/// `flag`, `flag = true` or `flag = false`.
fn flag(place: &mut Option<bool>, setting: &ParseNestedMeta<'_>) -> syn::Result<()> {
    let value = if setting.input.peek(Token![=]) {
        setting.value()?.parse::<LitBool>()?.value
    } else {
        true
    };
    once(place, setting, value)
}

/// `tag = "a"`, as often as one likes.
fn more(all: &mut Vec<LitStr>, setting: &ParseNestedMeta<'_>) -> syn::Result<()> {
    all.push(setting.value()?.parse()?);
    Ok(())
}

/// `tags("a", "b")`.
fn list(all: &mut Vec<LitStr>, setting: &ParseNestedMeta<'_>) -> syn::Result<()> {
    let inside;
    syn::parenthesized!(inside in setting.input);
    all.extend(Punctuated::<LitStr, Token![,]>::parse_terminated_with(
        &inside,
        |one| one.parse(),
    )?);
    Ok(())
}
