//! The walk that turns a document into a program.

use std::collections::HashMap;
use std::sync::Arc;

use toolmesh_json::pointer::Pointer;
use toolmesh_json::{ObjectView, View};

use crate::dialect::{Dialect, Draft, Language};
use crate::error::{CompileError, CompileErrorKind};
use crate::keywords::{self, RuleSet, Standing};
use crate::limits::{CompileLimit, CompileLimits};
use crate::options::{CompileOptions, Formats};
use crate::order::{by_utf16, utf16_length};
use crate::pattern::PatternPool;
use crate::profile::Profile;
use crate::program::{self, Body, Keyword, Member, NamedNode, Node, NodeId, Origin, Program};
use crate::reference::{self, PendingReference};
use crate::resource::{Resource, ResourceId, Resources};
use crate::schema::UnknownKeyword;
use crate::tool_input::{self, HeaderDraft, MirroredHeader};

/// What a document is compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    /// The input of a tool.
    ToolInput,
    /// Anything else.
    General,
}

/// What compiling yields.
pub(crate) struct Compiled {
    pub(crate) program: Program,
    pub(crate) draft: Draft,
    pub(crate) headers: Vec<MirroredHeader>,
    pub(crate) unknown: Vec<UnknownKeyword>,
}

/// Compiles a whole document: the walk, then references (which may bring in other documents), then the rules of its
/// use.
pub(crate) fn compile(
    document: View<'_>,
    profile: Profile,
    usage: Usage,
    options: &CompileOptions,
) -> Result<Compiled, CompileError> {
    let mut compiler = Compiler::new(profile, usage, options);
    compiler.document(document, None)?;
    reference::resolve(&mut compiler)?;
    let draft = compiler.dialect_of(ResourceId::MAIN).draft();
    let program = Program::new(compiler.nodes, compiler.resources.link());
    let headers = tool_input::check(&program, document, profile, usage, compiler.headers)?;
    Ok(Compiled {
        program,
        draft,
        headers,
        unknown: compiler.unknown,
    })
}

/// The schema object that a rule is looking at.
pub(crate) struct Site<'d> {
    pub(crate) node: NodeId,
    pub(crate) object: ObjectView<'d>,
    /// The resource that it belongs to, its own if it has an `$id`.
    pub(crate) resource: ResourceId,
    pub(crate) dialect: Dialect,
    depth: usize,
}

impl<'d> Site<'d> {
    /// The value of one of its keywords.
    pub(crate) fn value(&self, keyword: &str) -> Option<View<'d>> {
        self.object.get(keyword)
    }
}

/// Where a schema is met: how deep, and in which resource.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    resource: ResourceId,
    dialect: Dialect,
}

/// The state of one compilation. Keyword rules use it to refuse, to count, and to compile what stands inside them.
pub(crate) struct Compiler<'c> {
    pub(crate) profile: Profile,
    pub(crate) usage: Usage,
    pub(crate) nodes: Vec<Node>,
    pub(crate) resources: Resources,
    pub(crate) references: Vec<PendingReference>,
    pub(crate) headers: Vec<HeaderDraft>,
    options: &'c CompileOptions,
    /// The documents by the node of their root: the one that is compiled, and those that references led to.
    documents: HashMap<NodeId, View<'c>>,
    keyword_count: usize,
    unknown: Vec<UnknownKeyword>,
    patterns: PatternPool,
}

impl<'c> Compiler<'c> {
    fn new(profile: Profile, usage: Usage, options: &'c CompileOptions) -> Self {
        Self {
            profile,
            usage,
            nodes: Vec::new(),
            resources: Resources::default(),
            references: Vec::new(),
            headers: Vec::new(),
            options,
            documents: HashMap::new(),
            keyword_count: 0,
            unknown: Vec::new(),
            patterns: PatternPool::default(),
        }
    }

    /// Compiles a document; all but the first are known by a URI.
    fn document(&mut self, document: View<'c>, uri: Option<&str>) -> Result<(), CompileError> {
        let boolean_allowed = self.profile != Profile::Profile1;
        if document.as_object().is_none() && !(boolean_allowed && document.as_bool().is_some()) {
            let remedy = "the root of a schema document must be a JSON object";
            let error = CompileError::new(CompileErrorKind::InvalidSchema, remedy);
            return Err(error.at(Pointer::default()).within(uri));
        }
        let root = self.next_node();
        let dialect = self.default_dialect();
        let uri: Option<Arc<str>> = uri.map(Arc::from);
        let resource = self.resources.add(Resource {
            root,
            base: uri.clone().unwrap_or_default(),
            dialect,
            document: uri.clone(),
            anchors: HashMap::new(),
        });
        self.resources.name(uri.unwrap_or_default(), resource);
        self.documents.insert(root, document);
        let origin = Origin {
            parent: None,
            keyword: "",
            member: Member::Whole,
        };
        let place = Place {
            depth: 1,
            resource,
            dialect,
        };
        self.schema(document, origin, place).map(drop)
    }

    /// What a document is in that does not say so: what the caller chose, or what the compiled document is in.
    fn default_dialect(&self) -> Dialect {
        let draft = match self.resources.get(ResourceId::MAIN) {
            Some(main) => main.dialect.draft(),
            None => self.options.default_draft(),
        };
        Dialect::default_of(self.profile, draft, self.asserts_formats())
    }

    fn asserts_formats(&self) -> bool {
        self.options.formats() == Formats::Assert
    }

    /// The dialect that a `$schema` names.
    pub(crate) fn dialect_named(&self, uri: &str) -> Result<Dialect, String> {
        Dialect::named(uri, self.options.registry(), self.asserts_formats())
    }

    pub(crate) fn dialect_of(&self, resource: ResourceId) -> Dialect {
        self.resources
            .get(resource)
            .map_or(Dialect::PROFILE_1, |resource| resource.dialect)
    }

    /// The resource of a URI; its document is compiled when the registry holds it.
    pub(crate) fn resource(&mut self, uri: &str) -> Result<Option<ResourceId>, CompileError> {
        if let Some(known) = self.resources.find(uri) {
            return Ok(Some(known));
        }
        let Some(document) = self.options.registry().get(uri) else {
            return Ok(None);
        };
        self.document(document.view(), Some(uri))?;
        Ok(self.resources.find(uri))
    }

    /// Compiles what stands below a schema where no keyword expects one, because a reference leads there.
    pub(crate) fn adopt(
        &mut self,
        parent: NodeId,
        path: Arc<[String]>,
    ) -> Result<Option<NodeId>, CompileError> {
        if self.profile == Profile::Profile1 {
            return Ok(None);
        }
        let Some(view) = self.view_below(parent, &path) else {
            return Ok(None);
        };
        let resource = program::node(&self.nodes, parent).resource;
        let place = Place {
            depth: program::depth(&self.nodes, parent) + 1,
            resource,
            dialect: self.dialect_of(resource),
        };
        let origin = Origin {
            parent: Some(parent),
            keyword: "",
            member: Member::Below(path),
        };
        self.schema(view, origin, place).map(Some)
    }

    fn view_below(&self, parent: NodeId, path: &[String]) -> Option<View<'c>> {
        let root = program::root(&self.nodes, parent);
        let schema = program::location(&self.nodes, parent).resolve(*self.documents.get(&root)?)?;
        reference::look_below(schema, path)
    }

    fn next_node(&self) -> NodeId {
        NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX))
    }

    fn schema(&mut self, view: View<'_>, origin: Origin, place: Place) -> Result<NodeId, CompileError> {
        self.admit_node(&origin, place.depth)?;
        let node = self.next_node();
        self.nodes.push(Node {
            origin,
            resource: place.resource,
            tracks: false,
            body: Body::Boolean(false),
        });
        let body = match (view.as_bool(), view.as_object()) {
            (Some(boolean), _) => Body::Boolean(boolean),
            (_, Some(object)) => {
                let site = self.site(node, object, place)?;
                Body::Keywords(self.object(&site)?)
            }
            _ => {
                let remedy = "a schema must be an object, or true or false";
                let error = CompileError::new(CompileErrorKind::InvalidSchema, remedy);
                return Err(self.placed(error, node, None));
            }
        };
        if let Some(slot) = self.nodes.get_mut(node.0 as usize) {
            slot.tracks = matches!(&body, Body::Keywords(list) if list.iter().any(Keyword::is_unevaluated));
            slot.body = body;
        }
        Ok(node)
    }

    /// Finds out which resource and dialect a schema object is in: its own, if it says so.
    fn site<'d>(
        &mut self,
        node: NodeId,
        object: ObjectView<'d>,
        place: Place,
    ) -> Result<Site<'d>, CompileError> {
        let mut site = Site {
            node,
            object,
            resource: place.resource,
            dialect: place.dialect,
            depth: place.depth,
        };
        if site.dialect.language != Language::Profile1 {
            keywords::identify(self, &mut site)?;
            if let Some(slot) = self.nodes.get_mut(node.0 as usize) {
                slot.resource = site.resource;
            }
        }
        Ok(site)
    }

    fn admit_node(&self, origin: &Origin, depth: usize) -> Result<(), CompileError> {
        let counts = [
            (CompileLimit::SchemaNodeCount, self.nodes.len() + 1),
            (CompileLimit::SchemaDepth, depth),
        ];
        for (limit, count) in counts {
            let bound = self.limits().get(limit);
            if count > bound {
                let location = program::origin_location(&self.nodes, origin);
                return Err(CompileError::over(limit, bound).at(location));
            }
        }
        Ok(())
    }

    fn object(&mut self, site: &Site<'_>) -> Result<Box<[Keyword]>, CompileError> {
        self.count_keywords(site)?;
        let rules = self.screen(site)?;
        let mut compiled = Vec::with_capacity(rules.len());
        for rule in rules {
            compiled.extend((rule.compile)(self, site)?);
        }
        compiled.sort_by_key(Keyword::rank);
        program::acquaint(&mut compiled);
        Ok(compiled.into_boxed_slice())
    }

    fn count_keywords(&mut self, site: &Site<'_>) -> Result<(), CompileError> {
        let count = self.keyword_count.saturating_add(site.object.len());
        let bound = self.limits().get(CompileLimit::KeywordCount);
        if count > bound {
            let error = CompileError::over(CompileLimit::KeywordCount, bound);
            return Err(self.placed(error, site.node, None));
        }
        self.keyword_count = count;
        Ok(())
    }

    /// The rules of an object's names. Refuses or notes the names that the dialect does not evaluate; of several the
    /// first in order is reported.
    fn screen(&mut self, site: &Site<'_>) -> Result<RuleSet, CompileError> {
        let mut rules = RuleSet::default();
        let mut outside: Vec<(&str, Standing)> = Vec::new();
        for name in site.object.keys() {
            match keywords::standing(name, site.dialect) {
                Standing::Known(rule) => rules.insert(rule),
                other => outside.push((name, other)),
            }
        }
        outside.sort_by(|left, right| by_utf16(left.0, right.0));
        for (name, standing) in outside {
            match standing {
                Standing::Known(_) => {}
                Standing::Refused(remedy) => {
                    return Err(self.fault(CompileErrorKind::UnsupportedKeyword, site, name, remedy));
                }
                Standing::Annotation => self.note_unknown(site, name),
            }
        }
        Ok(rules.as_read_by(site.dialect))
    }

    /// Authors are told about their own document, not about those that it refers to.
    fn note_unknown(&mut self, site: &Site<'_>, name: &str) {
        let resource = self.resources.get(site.resource);
        if resource.is_some_and(|resource| resource.document.is_none()) {
            let location = self.keyword_location(site, name);
            self.unknown.push(UnknownKeyword {
                location,
                keyword: name.to_owned(),
            });
        }
    }

    /// The pointer of a keyword of a schema.
    pub(crate) fn keyword_location(&self, site: &Site<'_>, keyword: &str) -> Pointer {
        let mut location = program::location(&self.nodes, site.node);
        location.push(keyword);
        location
    }

    /// An error with its place: the document, the pointer, the keyword.
    fn placed(&self, error: CompileError, node: NodeId, keyword: Option<&str>) -> CompileError {
        let resource = self.resources.get(program::node(&self.nodes, node).resource);
        let document = resource.and_then(|resource| resource.document.as_deref());
        let mut location = program::location(&self.nodes, node);
        let error = error.within(document);
        match keyword {
            None => error.at(location),
            Some(keyword) => {
                location.push(keyword);
                error.at(location).on(keyword)
            }
        }
    }

    /// An error on a keyword of a node.
    pub(crate) fn fault_at(
        &self,
        kind: CompileErrorKind,
        node: NodeId,
        keyword: &str,
        remedy: impl Into<String>,
    ) -> CompileError {
        self.placed(CompileError::new(kind, remedy), node, Some(keyword))
    }

    /// An error on a keyword of a schema.
    pub(crate) fn fault(
        &self,
        kind: CompileErrorKind,
        site: &Site<'_>,
        keyword: &str,
        remedy: impl Into<String>,
    ) -> CompileError {
        self.fault_at(kind, site.node, keyword, remedy)
    }

    /// An error for a bound that a keyword of a schema passes.
    pub(crate) fn over(&self, limit: CompileLimit, site: &Site<'_>, keyword: &str) -> CompileError {
        self.placed(
            CompileError::over(limit, self.limits().get(limit)),
            site.node,
            Some(keyword),
        )
    }

    /// The error for a keyword's value of the wrong shape.
    pub(crate) fn invalid(&self, site: &Site<'_>, keyword: &str, remedy: &str) -> CompileError {
        self.fault(CompileErrorKind::InvalidKeywordValue, site, keyword, remedy)
    }

    /// Refuses a count or length above a bound.
    pub(crate) fn within(
        &self,
        limit: CompileLimit,
        count: usize,
        site: &Site<'_>,
        keyword: &str,
    ) -> Result<(), CompileError> {
        if count <= self.limits().get(limit) {
            return Ok(());
        }
        Err(self.over(limit, site, keyword))
    }

    /// The bounds in force.
    pub(crate) fn limits(&self) -> &'c CompileLimits {
        self.options.limits()
    }

    /// The patterns compiled so far.
    pub(crate) fn patterns(&mut self) -> &mut PatternPool {
        &mut self.patterns
    }

    /// A keyword's text.
    pub(crate) fn text<'d>(&self, site: &Site<'d>, keyword: &str) -> Result<Option<&'d str>, CompileError> {
        let Some(value) = site.value(keyword) else {
            return Ok(None);
        };
        match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(self.invalid(site, keyword, "it must be a string")),
        }
    }

    /// Unique names, bounded in number and length, in UTF-16 order.
    pub(crate) fn names(
        &self,
        site: &Site<'_>,
        keyword: &str,
        list: View<'_>,
    ) -> Result<Box<[Arc<str>]>, CompileError> {
        let remedy = "it must be an array of strings that all differ";
        let array = list
            .as_array()
            .ok_or_else(|| self.invalid(site, keyword, remedy))?;
        self.within(CompileLimit::CollectionEntryCount, array.len(), site, keyword)?;
        let mut names = Vec::with_capacity(array.len());
        for entry in array.iter() {
            let name = entry
                .as_str()
                .ok_or_else(|| self.invalid(site, keyword, remedy))?;
            self.within(CompileLimit::NameLength, utf16_length(name), site, keyword)?;
            names.push(name);
        }
        names.sort_by(|left, right| by_utf16(left, right));
        if names
            .iter()
            .zip(names.iter().skip(1))
            .any(|(left, right)| left == right)
        {
            return Err(self.invalid(site, keyword, remedy));
        }
        Ok(names.into_iter().map(Arc::from).collect())
    }

    /// A keyword whose value is one schema.
    pub(crate) fn one(
        &mut self,
        site: &Site<'_>,
        keyword: &'static str,
    ) -> Result<Option<NodeId>, CompileError> {
        let Some(view) = site.value(keyword) else {
            return Ok(None);
        };
        self.child(site, keyword, Member::Whole, view).map(Some)
    }

    /// A keyword whose value is a non-empty array of schemas.
    pub(crate) fn list(
        &mut self,
        site: &Site<'_>,
        keyword: &'static str,
    ) -> Result<Option<Box<[NodeId]>>, CompileError> {
        let Some(view) = site.value(keyword) else {
            return Ok(None);
        };
        let array = view.as_array().filter(|array| !array.is_empty());
        let remedy = "it must be an array of at least one schema";
        let array = array.ok_or_else(|| self.invalid(site, keyword, remedy))?;
        self.within(CompileLimit::CollectionEntryCount, array.len(), site, keyword)?;
        let children = array.iter().enumerate();
        let children: Result<Box<[NodeId]>, CompileError> = children
            .map(|(index, view)| self.child(site, keyword, Member::Index(index), view))
            .collect();
        children.map(Some)
    }

    /// A keyword whose value is an object of schemas, visited in UTF-16 order of the names.
    pub(crate) fn map(
        &mut self,
        site: &Site<'_>,
        keyword: &'static str,
    ) -> Result<Option<Box<[NamedNode]>>, CompileError> {
        let Some(view) = site.value(keyword) else {
            return Ok(None);
        };
        let object = view
            .as_object()
            .ok_or_else(|| self.invalid(site, keyword, "it must be an object of schemas"))?;
        self.within(CompileLimit::CollectionEntryCount, object.len(), site, keyword)?;
        let mut members: Vec<(&str, View<'_>)> = object.iter().collect();
        members.sort_by(|left, right| by_utf16(left.0, right.0));
        let mut children = Vec::with_capacity(members.len());
        for (name, view) in members {
            self.within(CompileLimit::NameLength, utf16_length(name), site, keyword)?;
            let name: Arc<str> = Arc::from(name);
            let node = self.child(site, keyword, Member::Name(Arc::clone(&name)), view)?;
            children.push((name, node));
        }
        Ok(Some(children.into_boxed_slice()))
    }

    /// A schema in a keyword's value.
    pub(crate) fn child(
        &mut self,
        site: &Site<'_>,
        keyword: &'static str,
        member: Member,
        view: View<'_>,
    ) -> Result<NodeId, CompileError> {
        let origin = Origin {
            parent: Some(site.node),
            keyword,
            member,
        };
        let place = Place {
            depth: site.depth + 1,
            resource: site.resource,
            dialect: site.dialect,
        };
        self.schema(view, origin, place)
    }
}
