//! Rules of the mesh that fit no tool: told at the start, and as tools come and go.

use std::{collections::BTreeSet, time::Duration};

use tokio_util::task::AbortOnDropHandle;
use toolmesh_mesh::AccessRules;
use toolmesh_tool::{Catalogue, Toolbox};

/// How long after a change the tools are looked at: a source that puts its tools in anew has none for a moment.
const CALM: Duration = Duration::from_secs(1);

/// How long a program has to serve its own tools, which come after its node.
const SERVING: Duration = Duration::from_secs(30);

/// Looks after the rules of `access` as the tools change, until it is dropped.
pub(super) struct RulesWatch {
    _task: AbortOnDropHandle<()>,
}

impl RulesWatch {
    /// Tells each rule that fits no tool, now and whenever one stops fitting; of a program that serves tools of its own later, not
    /// before it had the time for it.
    pub(super) fn start(
        rules: AccessRules,
        toolbox: &Toolbox,
        serves_later: bool,
        tell: impl Fn(&str) + Send + 'static,
    ) -> Self {
        let toolbox = toolbox.clone();
        let mut watch = toolbox.watch();
        let mut told = Told::default();
        if !serves_later {
            told.look(&rules, &toolbox.snapshot(), &tell);
        }
        let looking = tokio::spawn(async move {
            if serves_later {
                tokio::time::sleep(SERVING).await;
                told.look(&rules, &toolbox.snapshot(), &tell);
            }
            while let Some(change) = watch.changed().await {
                if change.tools() {
                    tokio::time::sleep(CALM).await;
                    told.look(&rules, &toolbox.snapshot(), &tell);
                }
            }
        });
        Self {
            _task: AbortOnDropHandle::new(looking),
        }
    }
}

/// The rules that fit no tool, of which that was told.
#[derive(Default)]
struct Told(BTreeSet<String>);

impl Told {
    /// Tells those that are new, and forgets those that fit again.
    fn look(&mut self, rules: &AccessRules, catalogue: &Catalogue, tell: &impl Fn(&str)) {
        let unfit = rules.without_a_tool(catalogue).into_iter();
        let unfit: BTreeSet<String> = unfit.map(str::to_owned).collect();
        for rule in unfit.difference(&self.0) {
            tell(rule);
        }
        self.0 = unfit;
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use toolmesh_mesh::AllowList;
    use toolmesh_tool::{Mount, Prefix, Tool, ToolResult};

    use super::*;

    fn put(mount: &Mount, names: &[&str]) {
        let tool = |name: &&str| {
            Tool::with_name(*name)
                .json_object_arguments()
                .handler(|_, _| async { ToolResult::text("") })
                .build()
                .unwrap()
        };
        mount.replace(names.iter().map(tool).collect::<Vec<_>>()).unwrap();
    }

    async fn calm() {
        tokio::time::sleep(2 * CALM).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_rule_is_told_each_time_that_it_stops_fitting_and_none_after_the_end() {
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("own", Prefix::None).unwrap();
        put(&mount, &["read"]);
        let rules = AccessRules::new()
            .tool("read", AllowList::nobody())
            .tool("raed*", AllowList::nobody());
        let (tell, mut told) = mpsc::unbounded_channel();
        let watch = RulesWatch::start(rules, &toolbox, false, move |rule| {
            tell.send(rule.to_owned()).unwrap();
        });
        assert_eq!(told.try_recv().as_deref(), Ok("raed*"));

        for other in [&["write"][..], &[]] {
            put(&mount, other);
            calm().await;
            assert_eq!(told.try_recv().as_deref(), Ok("read"));
            // Once, whatever else comes and goes.
            put(&mount, &["write", "more"]);
            calm().await;
            put(&mount, &["read"]);
            calm().await;
            // A source that puts its tools in anew takes none away.
            put(&mount, &[]);
            put(&mount, &["read"]);
            calm().await;
            assert!(told.try_recv().is_err());
        }

        drop(watch);
        put(&mount, &[]);
        assert_eq!(told.recv().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_program_that_serves_its_tools_later_has_the_time_for_it() {
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("own", Prefix::None).unwrap();
        let rules = AccessRules::new()
            .tool("read", AllowList::nobody())
            .tool("raed", AllowList::nobody());
        let (tell, mut told) = mpsc::unbounded_channel();
        let _watch = RulesWatch::start(rules, &toolbox, true, move |rule| {
            tell.send(rule.to_owned()).unwrap();
        });
        put(&mount, &["read"]);
        tokio::time::sleep(SERVING - CALM).await;
        assert!(told.try_recv().is_err());
        calm().await;
        assert_eq!(told.try_recv().as_deref(), Ok("raed"));
        assert!(told.try_recv().is_err());
    }
}
