//! Types: where they are used ([`TypeRef`]) and where they are named ([`TypeDef`]).

/// A type where it is used.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeRef {
    /// A named type; the name may be in no table.
    Reference(String),
    /// A scalar.
    Scalar(Scalar),
    /// Bytes, of a fixed number or any.
    Bytes {
        /// How many there are.
        size: Option<u64>,
    },
    /// A sequence.
    List(Box<TypeRef>),
    /// A map; its keys are strings whatever the manifest says.
    Map(Box<TypeRef>),
    /// A sequence of fixed length, typed by place.
    Tuple(Vec<TypeRef>),
    /// A record without a name, or a replicated (CRDT) container.
    Record(Record),
    /// Something that is not understood; the kind that the manifest names, if it names one.
    Unknown(String),
}

/// A scalar kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `bool`
    Bool,
    /// `string`
    String,
    /// `unit`: null
    Unit,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl Scalar {
    /// Every scalar.
    pub const ALL: [Self; 9] = [
        Self::Bool,
        Self::String,
        Self::Unit,
        Self::I32,
        Self::I64,
        Self::U32,
        Self::U64,
        Self::F32,
        Self::F64,
    ];

    /// The kind as manifests spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::String => "string",
            Self::Unit => "unit",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The scalar of this kind.
    #[must_use]
    pub fn parse(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.as_str() == kind)
    }
}

/// The members of a record, or a replicated container around a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Which replicated container it is (`crdt_type`).
    pub crdt: Option<String>,
    /// What the container holds; with `crdt` it is transparent: the value on the wire is this one.
    pub inner: Option<Box<TypeRef>>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeRef,
    /// It may be null.
    pub nullable: bool,
    /// Its documentation.
    pub doc: Option<String>,
}

/// A named type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDef {
    /// What it is.
    pub body: TypeBody,
    /// Its documentation.
    pub doc: Option<String>,
}

/// What a named type is.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeBody {
    /// A record.
    Record(Record),
    /// One of several variants.
    Variant {
        /// The variants in order.
        variants: Vec<Variant>,
        /// How a value says which one it is.
        tagging: Tagging,
    },
    /// Another name for a type.
    Alias(TypeRef),
}

/// A variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub payload: Option<TypeRef>,
    /// Its documentation.
    pub doc: Option<String>,
}

/// How a value of a variant type says which variant it is (the representations of serde).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tagging {
    /// `"Name"` or `{"Name": payload}`.
    #[default]
    External,
    /// The tag stands among the payload's own members.
    Internal {
        /// The member that names the variant.
        tag: String,
    },
    /// `{tag: "Name", content: payload}`.
    Adjacent {
        /// The member that names the variant.
        tag: String,
        /// The member that holds the payload.
        content: String,
    },
    /// The payload alone.
    Untagged,
}

impl Record {
    /// What a transparent container holds; `None` for a plain record.
    #[must_use]
    pub fn transparent(&self) -> Option<&TypeRef> {
        self.crdt.as_ref().and(self.inner.as_deref())
    }

    /// Whether it is a replicated container whose contents the manifest does not tell.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.crdt.is_some() && self.inner.is_none() && self.fields.is_empty()
    }

    /// Whether its value on the wire is an array: the fields of a tuple struct, or of a variant with several unnamed
    /// members, have no names of their own, and serde writes those by place.
    #[must_use]
    pub fn is_positional(&self) -> bool {
        let unnamed = self.fields.iter().all(|field| field.name == "unnamed");
        let numbered = || {
            let mut names = self.fields.iter().enumerate();
            names.all(|(place, field)| field.name == format!("field_{place}"))
        };
        self.fields.len() > 1 && (unnamed || numbered())
    }
}
