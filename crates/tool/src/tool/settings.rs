//! What a tool tells of itself beside its name and schemas, and the checks of it.

use std::{fmt, sync::Arc};

use semver::Version;
use toolmesh_json::Value;

use super::ToolBuildError;
use crate::{
    Accept, ClientCapability, Icon, InputDeclaration, RequestStateMode, ResumeHandler, Revisions,
    TASKS_EXTENSION, TaskMode, ToolAnnotations, icon::check_icons, meta::check_published_meta,
};

/// Longest description, and title, in bytes: lists of hundreds of tools must still fit a model's context.
pub const MAX_TEXT_BYTES: usize = 65_536;

/// Most tags, requirements, and aliases of one tool, each.
pub const MAX_LABELS: usize = 64;

/// Longest tag, requirement, alias, and limiter's name, in bytes: a Solidity signature fits.
pub const MAX_LABEL_BYTES: usize = 16_384;

/// How a tool tells an agent that its arguments do not fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentErrors {
    /// By one fixed sentence, nothing more.
    #[default]
    Fixed,
    /// By the place, the rule and what is expected; never by the submitted value.
    Explained,
}

/// Who checks the arguments of a tool by its input schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentCheck {
    /// The dispatcher, before the handler runs.
    #[default]
    Dispatcher,
    /// Whoever the handler hands the call on to, by the same schema and what it accepts beside it: a host of the mesh, for
    /// instance. The dispatcher hands arguments on as they came.
    Elsewhere,
}

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) version: Version,
    pub(super) revisions: Revisions,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) icons: Vec<Icon>,
    pub(super) annotations: ToolAnnotations,
    pub(super) tags: Vec<String>,
    pub(super) requires: Vec<String>,
    pub(super) estimated_time_ms: u32,
    pub(super) stateless: bool,
    pub(super) streaming: bool,
    pub(super) meta: Option<Value>,
    pub(super) aliases: Vec<String>,
    pub(super) limiter: Option<String>,
    pub(super) argument_errors: ArgumentErrors,
    pub(super) argument_check: ArgumentCheck,
    pub(super) mirror_structured_content: bool,
    pub(super) text_suffices: bool,
    pub(super) needed_capabilities: Vec<ClientCapability>,
    pub(super) accept: Option<AcceptBox>,
    pub(super) input_declarations: Vec<InputDeclaration>,
    pub(super) request_state: RequestStateMode,
    pub(super) task_mode: TaskMode,
    pub(super) resume: Option<ResumeBox>,
}

pub(super) struct ResumeBox(pub(super) Arc<dyn ResumeHandler>);

impl fmt::Debug for ResumeBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResumeHandler")
    }
}

pub(super) struct AcceptBox(pub(super) Arc<dyn Accept>);

impl fmt::Debug for AcceptBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Accept")
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: Version::new(1, 0, 0),
            revisions: Revisions::all(),
            title: None,
            description: None,
            icons: Vec::new(),
            annotations: ToolAnnotations::default(),
            tags: Vec::new(),
            requires: Vec::new(),
            estimated_time_ms: 0,
            stateless: true,
            streaming: false,
            meta: None,
            aliases: Vec::new(),
            limiter: None,
            argument_errors: ArgumentErrors::Fixed,
            argument_check: ArgumentCheck::Dispatcher,
            mirror_structured_content: true,
            text_suffices: false,
            needed_capabilities: Vec::new(),
            accept: None,
            input_declarations: Vec::new(),
            request_state: RequestStateMode::None,
            task_mode: TaskMode::Never,
            resume: None,
        }
    }
}

pub(super) fn check_interaction(name: &str, settings: &Settings) -> Result<(), ToolBuildError> {
    let declared = &settings.input_declarations;
    for (at, declaration) in declared.iter().enumerate() {
        if declared
            .iter()
            .skip(at + 1)
            .any(|other| other.kind == declaration.kind)
        {
            return Err(ToolBuildError::InputDeclaredTwice {
                name: name.to_owned(),
                kind: declaration.kind,
            });
        }
    }
    if settings.task_mode == TaskMode::Allowed && settings.resume.is_none() {
        return Err(ToolBuildError::NoResumeHandler {
            name: name.to_owned(),
        });
    }
    Ok(())
}

/// What a client must be able to do follows from what the tool declares.
pub(super) fn need_capabilities(settings: &mut Settings) {
    let required = settings
        .input_declarations
        .iter()
        .filter(|declared| declared.required);
    let mut needed: Vec<_> = required.map(|declared| declared.kind.capability()).collect();
    if settings.task_mode == TaskMode::Required {
        needed.push(ClientCapability::Extension(TASKS_EXTENSION.to_owned()));
    }
    for capability in needed {
        if !settings.needed_capabilities.contains(&capability) {
            settings.needed_capabilities.push(capability);
        }
    }
}

/// Checks everything that is published beside the name and the schemas.
pub(super) fn check_texts(name: &str, settings: &Settings) -> Result<(), ToolBuildError> {
    let name = || name.to_owned();
    let hinted = &settings.annotations.title;
    for (what, text) in [
        ("title", &settings.title),
        ("description", &settings.description),
        ("title in the annotations", hinted),
    ] {
        if text.as_ref().is_some_and(|text| text.len() > MAX_TEXT_BYTES) {
            return Err(ToolBuildError::TextTooLong { name: name(), what });
        }
    }
    check_labels(name, settings)?;
    check_icons(&settings.icons).map_err(|source| ToolBuildError::Icon { name: name(), source })?;
    if !settings.revisions.are_usable() {
        return Err(ToolBuildError::Revisions { name: name() });
    }
    match settings.meta.as_ref().map(check_published_meta) {
        Some(Err(source)) => Err(ToolBuildError::Meta { name: name(), source }),
        _ => Ok(()),
    }
}

fn check_labels(name: impl Fn() -> String, settings: &Settings) -> Result<(), ToolBuildError> {
    let limiter: Vec<String> = settings.limiter.iter().cloned().collect();
    for (what, labels) in [
        ("tag", &settings.tags),
        ("requirement", &settings.requires),
        ("alias", &settings.aliases),
        ("limiter", &limiter),
    ] {
        if labels.len() > MAX_LABELS {
            return Err(ToolBuildError::TooManyLabels { name: name(), what });
        }
        let is_wrong = |label: &String| label.is_empty() || label.len() > MAX_LABEL_BYTES;
        if labels.iter().any(is_wrong) {
            return Err(ToolBuildError::Label { name: name(), what });
        }
    }
    Ok(())
}
