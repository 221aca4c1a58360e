//! The walk that turns a document into a program.

use std::collections::HashMap;
use std::sync::Arc;

use toolmesh_json::pointer::Pointer;
use toolmesh_json::{ObjectView, View};

use crate::error::{CompileError, CompileErrorKind};
use crate::keywords::{self, Standing};
use crate::limits::{CompileLimit, CompileLimits};
use crate::order::{by_utf16, utf16_length};
use crate::pattern::PatternPool;
use crate::profile::Profile;
use crate::program::{self, Body, Keyword, Member, NamedNode, Node, NodeId, Origin, Program};
use crate::reference::{self, PendingReference};
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
    pub(crate) headers: Vec<MirroredHeader>,
    pub(crate) unknown: Vec<UnknownKeyword>,
}

/// Compiles a whole document: the walk, then references, then the rules of its use.
pub(crate) fn compile(
    document: View<'_>,
    profile: Profile,
    usage: Usage,
    limits: &CompileLimits,
) -> Result<Compiled, CompileError> {
    let mut compiler = Compiler::new(profile, usage, limits);
    compiler.root(document)?;
    reference::resolve(&mut compiler.nodes, &compiler.references, &compiler.anchors)?;
    let program = Program::new(compiler.nodes);
    let headers = tool_input::check(&program, document, profile, usage, compiler.headers)?;
    let unknown = compiler.unknown;
    Ok(Compiled {
        program,
        headers,
        unknown,
    })
}

/// The schema object that a rule is looking at.
pub(crate) struct Site<'d> {
    pub(crate) node: NodeId,
    pub(crate) object: ObjectView<'d>,
    depth: usize,
}

impl<'d> Site<'d> {
    /// The value of one of its keywords.
    pub(crate) fn value(&self, keyword: &str) -> Option<View<'d>> {
        self.object.get(keyword)
    }

    pub(crate) fn is_root(&self) -> bool {
        self.node == Program::ROOT
    }
}

/// The state of one walk. Keyword rules use it to refuse, to count, and to compile what stands inside them.
pub(crate) struct Compiler {
    pub(crate) profile: Profile,
    pub(crate) usage: Usage,
    pub(crate) anchors: HashMap<Box<str>, NodeId>,
    pub(crate) references: Vec<PendingReference>,
    pub(crate) headers: Vec<HeaderDraft>,
    /// The root's `$id`, if any: a reference may spell it out before its fragment.
    pub(crate) base: Option<Box<str>>,
    limits: CompileLimits,
    nodes: Vec<Node>,
    keyword_count: usize,
    unknown: Vec<UnknownKeyword>,
    patterns: PatternPool,
}

impl Compiler {
    fn new(profile: Profile, usage: Usage, limits: &CompileLimits) -> Self {
        Self {
            profile,
            usage,
            anchors: HashMap::new(),
            references: Vec::new(),
            headers: Vec::new(),
            base: None,
            limits: *limits,
            nodes: Vec::new(),
            keyword_count: 0,
            unknown: Vec::new(),
            patterns: PatternPool::default(),
        }
    }

    fn root(&mut self, document: View<'_>) -> Result<(), CompileError> {
        let boolean_allowed = self.profile != Profile::Profile1;
        if document.as_object().is_none() && !(boolean_allowed && document.as_bool().is_some()) {
            let remedy = "the root of a schema document must be a JSON object";
            return Err(CompileError::new(CompileErrorKind::InvalidSchema, remedy).at(Pointer::default()));
        }
        let origin = Origin {
            parent: None,
            keyword: "",
            member: Member::Whole,
        };
        self.schema(document, origin, 1).map(drop)
    }

    fn schema(&mut self, view: View<'_>, origin: Origin, depth: usize) -> Result<NodeId, CompileError> {
        self.admit_node(&origin, depth)?;
        let node = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node {
            origin,
            body: Body::Boolean(false),
        });
        let body = match (view.as_bool(), view.as_object()) {
            (Some(boolean), _) => Body::Boolean(boolean),
            (_, Some(object)) => Body::Keywords(self.object(&Site { node, object, depth })?),
            _ => {
                let remedy = "a schema must be an object, or true or false";
                let error = CompileError::new(CompileErrorKind::InvalidSchema, remedy);
                return Err(error.at(program::location(&self.nodes, node)));
            }
        };
        if let Some(slot) = self.nodes.get_mut(node.0 as usize) {
            slot.body = body;
        }
        Ok(node)
    }

    fn admit_node(&self, origin: &Origin, depth: usize) -> Result<(), CompileError> {
        let counts = [
            (CompileLimit::SchemaNodeCount, self.nodes.len() + 1),
            (CompileLimit::SchemaDepth, depth),
        ];
        for (limit, count) in counts {
            let bound = self.limits.get(limit);
            if count > bound {
                let location = program::origin_location(&self.nodes, origin);
                return Err(CompileError::over(limit, bound).at(location));
            }
        }
        Ok(())
    }

    fn object(&mut self, site: &Site<'_>) -> Result<Box<[Keyword]>, CompileError> {
        self.count_keywords(site)?;
        self.screen(site)?;
        let mut compiled = Vec::new();
        for rule in keywords::RULES {
            if rule.concerns(self.profile, site) {
                compiled.extend((rule.compile)(self, site)?);
            }
        }
        compiled.sort_by_key(Keyword::rank);
        Ok(compiled.into_boxed_slice())
    }

    fn count_keywords(&mut self, site: &Site<'_>) -> Result<(), CompileError> {
        let count = self.keyword_count.saturating_add(site.object.len());
        let bound = self.limits.get(CompileLimit::KeywordCount);
        if count > bound {
            return Err(CompileError::over(CompileLimit::KeywordCount, bound).at(self.location(site)));
        }
        self.keyword_count = count;
        Ok(())
    }

    /// Refuses or notes the names that the profile does not evaluate; of several the first in order is reported.
    fn screen(&mut self, site: &Site<'_>) -> Result<(), CompileError> {
        let mut outside: Vec<(&str, Standing)> = site
            .object
            .keys()
            .map(|name| (name, keywords::standing(name, self.profile)))
            .filter(|(_, standing)| *standing != Standing::Known)
            .collect();
        outside.sort_by(|left, right| by_utf16(left.0, right.0));
        for (name, standing) in outside {
            match standing {
                Standing::Known => {}
                Standing::Refused(remedy) => {
                    return Err(self.fault(CompileErrorKind::UnsupportedKeyword, site, name, remedy));
                }
                Standing::Annotation => {
                    let location = self.keyword_location(site, name);
                    self.unknown.push(UnknownKeyword {
                        location,
                        keyword: name.to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The pointer of a schema.
    fn location(&self, site: &Site<'_>) -> Pointer {
        program::location(&self.nodes, site.node)
    }

    /// The pointer of a keyword of a schema.
    pub(crate) fn keyword_location(&self, site: &Site<'_>, keyword: &str) -> Pointer {
        let mut location = self.location(site);
        location.push(keyword);
        location
    }

    /// An error on a keyword of a schema.
    pub(crate) fn fault(
        &self,
        kind: CompileErrorKind,
        site: &Site<'_>,
        keyword: &str,
        remedy: impl Into<String>,
    ) -> CompileError {
        CompileError::new(kind, remedy)
            .at(self.keyword_location(site, keyword))
            .on(keyword)
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
        let bound = self.limits.get(limit);
        if count <= bound {
            return Ok(());
        }
        Err(CompileError::over(limit, bound)
            .at(self.keyword_location(site, keyword))
            .on(keyword))
    }

    /// The bounds in force.
    pub(crate) fn limits(&self) -> &CompileLimits {
        &self.limits
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

    fn child(
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
        self.schema(view, origin, site.depth + 1)
    }
}
