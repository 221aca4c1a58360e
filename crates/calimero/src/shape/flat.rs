//! What stands in one object with the tag of an internally tagged variant: serde writes the members of the payload beside
//! the tag, and so a payload that is a variant type itself brings its own tag, or its own name, into the same object.

use super::{Alternative, Definitions, Member, Shape, ShapeKind};
use crate::model::Tagging;

/// The most forms that one variant is told apart into. Variant types in variant types multiply; beyond this only the
/// variant's own tag is checked, and the application checks the rest.
pub const MAX_FLAT_FORMS: usize = 64;

/// How deep variant types are followed in variant types; beyond this, too, only the variant's own tag is checked.
const MAX_FLAT_DEPTH: usize = 8;

/// One form of an internally tagged variant: an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlatForm<'a> {
    /// The tags from the outermost to the innermost, each with the name that it has.
    pub(crate) tags: Vec<(&'a str, &'a str)>,
    /// What stands beside them.
    pub(crate) members: Vec<FlatMember<'a>>,
    /// What else may stand there.
    pub(crate) others: Others<'a>,
    /// Which payload is meant does not stand in the value, so its parts are not rewritten.
    pub(crate) untagged: bool,
}

/// A member beside the tags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FlatMember<'a> {
    /// A field of the payload.
    Field(&'a Member),
    /// What a variant within carries, under its name or its content's.
    Payload(&'a str, &'a Shape),
    /// The name of a variant within that carries nothing: it is null.
    Unit(&'a str),
}

/// What may stand beside tags and members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Others<'a> {
    /// Anything; it does not go out.
    Dropped,
    /// Values of this shape.
    Of(&'a Shape),
    /// Nothing: the one member is the name of a variant.
    Nothing,
    /// Anything; it goes out as it is, because nothing is known of the payload.
    Unknown,
}

impl FlatMember<'_> {
    /// The member's name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Field(field) => &field.name,
            Self::Payload(name, _) | Self::Unit(name) => name,
        }
    }
}

impl<'a> FlatForm<'a> {
    /// The forms of a variant whose tag stands among its payload.
    pub(crate) fn all(alternative: &'a Alternative, tag: &'a str, definitions: &'a Definitions) -> Vec<Self> {
        let tags = vec![(tag, alternative.name.as_str())];
        let mut flattener = Flattener {
            definitions,
            forms: Vec::new(),
            is_too_much: false,
        };
        let start = Self::of_tags(tags.clone(), Others::Dropped);
        flattener.payload(alternative.payload.as_ref(), start, &[]);
        if flattener.is_too_much {
            return vec![Self::of_tags(tags, Others::Unknown)];
        }
        flattener.forms
    }

    fn of_tags(tags: Vec<(&'a str, &'a str)>, others: Others<'a>) -> Self {
        Self {
            tags,
            members: Vec::new(),
            others,
            untagged: false,
        }
    }

    /// Whether a member of this name is a tag.
    pub(crate) fn has_tag(&self, name: &str) -> bool {
        self.tags.iter().any(|(tag, _)| *tag == name)
    }

    fn with_tag(mut self, tag: &'a str, name: &'a str) -> Self {
        self.tags.push((tag, name));
        self
    }

    fn with(mut self, members: Vec<FlatMember<'a>>, others: Others<'a>) -> Self {
        self.members = members;
        self.others = others;
        self
    }
}

struct Flattener<'a> {
    definitions: &'a Definitions,
    forms: Vec<FlatForm<'a>>,
    is_too_much: bool,
}

impl<'a> Flattener<'a> {
    /// Adds the forms of a payload to the tags that are there already; `path` is the variant types around it.
    fn payload(&mut self, payload: Option<&'a Shape>, form: FlatForm<'a>, path: &[&'a Shape]) {
        let Some(payload) = payload else {
            return self.add(form);
        };
        let payload = payload.resolve(self.definitions);
        match &payload.kind {
            ShapeKind::Unit => self.add(form),
            ShapeKind::Record { fields, .. } => {
                // The tag wins over a field of its name.
                let own = fields.iter().filter(|field| !form.has_tag(&field.name));
                let members = own.map(FlatMember::Field).collect();
                self.add(form.with(members, Others::Dropped));
            }
            ShapeKind::Map(value) => self.add(form.with(Vec::new(), Others::Of(value))),
            // An untagged type that contains itself adds nothing.
            ShapeKind::Variant {
                tagging: Tagging::Untagged,
                ..
            } if path.iter().any(|around| std::ptr::eq(*around, payload)) => {}
            ShapeKind::Variant { .. } if path.len() >= MAX_FLAT_DEPTH => self.is_too_much = true,
            ShapeKind::Variant { members, tagging } => {
                let path = [path, &[payload]].concat();
                self.variant(members, tagging, form, &path);
            }
            // serde writes nothing else beside a tag, or it is not known what it is.
            _ => self.add(form.with(Vec::new(), Others::Unknown)),
        }
    }

    fn variant(
        &mut self,
        members: &'a [Alternative],
        tagging: &'a Tagging,
        form: FlatForm<'a>,
        path: &[&'a Shape],
    ) {
        for member in members {
            let (form, name) = (form.clone(), member.name.as_str());
            match tagging {
                // Two tags of one name: such a type cannot be written, so nothing is known of it.
                Tagging::Internal { tag } | Tagging::Adjacent { tag, .. } if form.has_tag(tag) => {
                    self.add(form.with(Vec::new(), Others::Unknown));
                }
                Tagging::Internal { tag } => {
                    self.payload(member.payload.as_ref(), form.with_tag(tag, name), path);
                }
                Tagging::Adjacent { tag, content } => {
                    let payload = member.payload.iter();
                    let members = payload.map(|shape| FlatMember::Payload(content, shape)).collect();
                    self.add(form.with_tag(tag, name).with(members, Others::Dropped));
                }
                Tagging::External => {
                    let named = match &member.payload {
                        Some(shape) => FlatMember::Payload(name, shape),
                        None => FlatMember::Unit(name),
                    };
                    self.add(form.with(vec![named], Others::Nothing));
                }
                Tagging::Untagged => {
                    let form = FlatForm {
                        untagged: true,
                        ..form
                    };
                    self.payload(member.payload.as_ref(), form, path);
                }
            }
        }
    }

    fn add(&mut self, form: FlatForm<'a>) {
        if self.forms.len() >= MAX_FLAT_FORMS {
            self.is_too_much = true;
        } else if !self.forms.contains(&form) {
            self.forms.push(form);
        }
    }
}
