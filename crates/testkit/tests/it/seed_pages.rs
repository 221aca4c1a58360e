//! The pages that say which test proves which statement: every test that they name is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use toolmesh_testkit::paths::repo_root;

/// How many words a name has at least that is taken for a test's without its module: tests are called like sentences.
const WORDS_OF_A_SENTENCE: usize = 4;

/// Test functions by name with the parts of the paths of their files, and all files and modules.
#[derive(Default)]
struct Tree {
    tests: BTreeMap<String, BTreeSet<String>>,
    modules: BTreeSet<String>,
    files: Vec<String>,
}

impl Tree {
    fn of(root: &Path) -> Self {
        let mut tree = Self::default();
        for folder in ["crates", "bindings", "xtask"] {
            tree.add_folder(root, &root.join(folder));
        }
        tree
    }

    fn add_folder(&mut self, root: &Path, folder: &Path) {
        for path in entries(folder) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !["target", "node_modules"].contains(&name.as_str()) {
                self.add_folder(root, &path);
                continue;
            }
            let add = match path.extension().and_then(|ending| ending.to_str()) {
                Some("rs") => Self::add_file,
                Some("py") => Self::add_python,
                Some("go") => Self::add_go,
                _ => continue,
            };
            let text = fs::read_to_string(&path).unwrap();
            add(self, path.strip_prefix(root).unwrap(), &text);
        }
    }

    fn add_python(&mut self, path: &Path, text: &str) {
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        let declared = text.lines().filter_map(|line| declared(line, "def "));
        for test in declared.filter(|name| name.starts_with("test_")) {
            let found = self.tests.entry(test.to_owned()).or_default();
            found.insert(module.clone());
        }
        self.modules.insert(module);
    }

    fn add_go(&mut self, path: &Path, text: &str) {
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        let declared = text.lines().filter_map(|line| declared(line, "func "));
        for test in declared.filter(|name| is_go_test(name)) {
            let found = self.tests.entry(test.to_owned()).or_default();
            found.insert(module.clone());
        }
        self.modules.insert(module);
    }

    fn add_file(&mut self, path: &Path, text: &str) {
        let path = path.with_extension("").display().to_string().replace('\\', "/");
        let parts: BTreeSet<String> = path.split('/').map(str::to_owned).collect();
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with("#[") {
                is_test |= line.contains("test");
            } else if let Some(name) = declared(line, "fn ") {
                // Those that run over each engine of the mesh are made tests by a macro that lists them.
                if is_test || line.contains("(net: Net)") {
                    let found = self.tests.entry(name.to_owned()).or_default();
                    found.extend(parts.iter().cloned());
                }
                is_test = false;
            } else if let Some(name) = declared(line, "mod ") {
                self.modules.insert(name.to_owned());
                is_test = false;
            }
        }
        self.modules.extend(parts);
        self.files.push(format!("/{path}.rs"));
    }

    /// What is wrong with a name in backticks; `None` also for what names no test.
    fn fault(&self, name: &str) -> Option<String> {
        if name.starts_with("src/") && name.ends_with(".rs") {
            let ending = format!("/{name}");
            let is_there = self.files.iter().any(|file| file.ends_with(&ending));
            return (!is_there).then(|| format!("there is no file `{name}`"));
        }
        if is_go_test(name) {
            return (!self.tests.contains_key(name)).then(|| format!("there is no test `{name}`"));
        }
        let is_path = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | ':' | '…'));
        let parts: Vec<&str> = name.split("::").collect();
        let (last, before) = parts.split_last()?;
        if !is_path || (before.is_empty() && last.split('_').count() < WORDS_OF_A_SENTENCE) || *last == "…"
        {
            return None;
        }
        if self.modules.contains(*last) {
            return None;
        }
        let places: Vec<&BTreeSet<String>> = self
            .tests
            .iter()
            .filter(|(test, _)| fits(last, test))
            .map(|(_, places)| places)
            .collect();
        if places.is_empty() {
            return Some(format!("there is no test `{name}`"));
        }
        let module = before.last().filter(|module| **module != "tests")?;
        let is_there = places.iter().any(|parts| parts.contains(*module));
        (!is_there).then(|| format!("the test of `{name}` stands in another module"))
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The name behind the keyword, with whatever may stand before it.
fn declared<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let (before, behind) = line.split_once(keyword)?;
    let modifiers = ["pub", "pub(crate)", "pub(super)", "async", "const", "unsafe"];
    if !before.split_whitespace().all(|word| modifiers.contains(&word)) {
        return None;
    }
    let end = behind
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(behind.len());
    behind.get(..end).filter(|name| !name.is_empty())
}

/// Whether a name is that of a test in Go: `Test` and a sentence in camel case.
fn is_go_test(name: &str) -> bool {
    let sentence = name.strip_prefix("Test").unwrap_or_default();
    let words = sentence.chars().filter(char::is_ascii_uppercase).count();
    words >= WORDS_OF_A_SENTENCE && sentence.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Whether a name fits one in which `…` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('…') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

/// The names in backticks in the cells of a table's row behind its first.
fn names(row: &str) -> impl Iterator<Item = &str> {
    let cells = row.strip_prefix('|').and_then(|row| row.split_once(" |"));
    let behind = cells.map(|(_, behind)| behind).unwrap_or_default();
    behind.split('`').skip(1).step_by(2)
}

#[test]
fn every_test_that_a_page_about_a_seed_names_is_there() {
    let root = repo_root();
    let tree = Tree::of(&root);
    assert!(
        tree.tests.len() > 1_000,
        "only {} tests were found",
        tree.tests.len()
    );
    let mut faults = Vec::new();
    let mut pages = 0;
    for page in entries(&root.join("docs/seeds")) {
        pages += 1;
        let text = fs::read_to_string(&page).unwrap();
        let page = page.file_name().unwrap().to_string_lossy().into_owned();
        for (number, row) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
            let found = names(row).filter_map(|name| tree.fault(name));
            faults.extend(found.map(|fault| format!("{page}:{}: {fault}", number + 1)));
        }
    }
    assert!(pages > 0);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_row_of_a_page_about_a_seed_names_a_test_or_says_why_there_is_none() {
    for page in entries(&repo_root().join("docs/seeds")) {
        let text = fs::read_to_string(&page).unwrap();
        for row in text.lines().filter(|line| line.starts_with("| ")) {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            assert!(cells.len() > 1, "{}: {row}", page.display());
            let says = cells
                .iter()
                .skip(1)
                .any(|cell| !matches!(*cell, "" | "-" | "done"));
            assert!(says, "{}: {row}", page.display());
        }
    }
}

#[test]
fn a_name_that_is_nowhere_or_somewhere_else_is_told() {
    let mut tree = Tree::default();
    let text = "#[tokio::test]\n#[ignore]\nasync fn a_call_is_made_once() {}\nfn a_helper_that_is_no_test() {}\nmod inner;\n";
    tree.add_file(Path::new("crates/a/tests/it/calls.rs"), text);
    tree.add_go(
        Path::new("bindings/go/a_test.go"),
        "func TestACallIsMadeOnce(t *testing.T) {",
    );
    for right in [
        "calls::a_call_is_made_once",
        "a_call_is_made_once",
        "TestACallIsMadeOnce",
        "TestKit",
        "calls::a_call_…_once",
        "a::inner",
        "calls",
        "Schema",
        "simulate",
        "src/none",
    ] {
        assert_eq!(tree.fault(right), None, "{right}");
    }
    for wrong in [
        "calls::a_helper_that_is_no_test",
        "calls::a_call_is_made_twice",
        "others::a_call_is_made_once",
        "calls::no_…",
        "TestACallIsMadeTwice",
        "src/calls.rs",
    ] {
        assert!(tree.fault(wrong).is_some(), "{wrong}");
    }
}
