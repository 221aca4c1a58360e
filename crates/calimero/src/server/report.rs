//! What is installed on a node, as a report, and what it breaks of its format's rules.

use toolmesh_tool::{InspectedEntry, Inspection};

use super::{NodeSource, Shared, fixed};
use crate::inspect::{events_of, inspected};
use crate::model::Application;
use crate::node::NodeError;
use crate::tool::tools;
use crate::validate::problems;

impl NodeSource {
    /// Asks the node what is installed and tells what becomes of it: every method and event of every application once.
    /// Nothing is called.
    ///
    /// # Errors
    /// [`NodeError`] when the node cannot be asked. An application whose interface cannot be read is in the report with
    /// its reason.
    pub async fn inspect(&self, source: impl Into<String>) -> Result<Inspection, NodeError> {
        let read = self.shared().read_applications().await?;
        let applications = &read.applications;
        let mapped = tools(applications, &fixed::NAMES, &self.shared().mapping, None);
        let mut functions: Vec<InspectedEntry> = mapped.iter().map(inspected).collect();
        let unreadable = read.unreadable.iter();
        functions.extend(unreadable.map(|(application, reason)| InspectedEntry {
            signature: application.clone(),
            kind: "application".to_owned(),
            tool: None,
            reason: Some(reason.clone()),
            skipped: true,
        }));
        let services = applications.iter().flat_map(|application| &application.services);
        Ok(Inspection {
            source: source.into(),
            kind: "calimero",
            functions,
            events: services
                .flat_map(|service| events_of(&service.manifest))
                .collect(),
            errors: Vec::new(),
            notes: self.shared().notes(applications).await,
        })
    }

    /// Everything that the interfaces of the installed applications break of their format's rules, each with its
    /// application in front; an interface that cannot be read is one of them.
    ///
    /// # Errors
    /// [`NodeError`] when the node cannot be asked.
    pub async fn problems(&self) -> Result<Vec<String>, NodeError> {
        let read = self.shared().read_applications().await?;
        let mut told: Vec<String> = Vec::new();
        for (application, reason) in &read.unreadable {
            told.push(format!("{application}: {reason}"));
        }
        for application in &read.applications {
            let id = application.id.as_deref().unwrap_or_default();
            for service in &application.services {
                let document = self.node().abi(id, service.name.as_deref()).await?;
                let place = match &service.name {
                    Some(name) => format!("{}/{name}", application.key()),
                    None => application.key().to_owned(),
                };
                let found = problems(document.view()).into_iter();
                told.extend(found.map(|problem| format!("{place}: {problem}")));
            }
        }
        Ok(told)
    }
}

impl Shared {
    /// Where the node is, and which applications it has.
    async fn notes(&self, applications: &[Application]) -> Vec<String> {
        let node = self.node.found().await.map(|found| {
            let source = found.source.as_str();
            format!("node at {}, found by {source}", found.url)
        });
        let apps = applications.iter().map(|application| {
            let version = application.version.as_deref().unwrap_or("unknown version");
            format!("{} {version}: {}", application.key(), application.label())
        });
        node.into_iter().chain(apps).collect()
    }
}
