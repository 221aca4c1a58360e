//! Text to statements.

/// Words that begin a declaration with a name behind them.
const BEGINNINGS: [&str; 4] = ["function", "event", "error", "struct"];

/// Words that continue the declaration of the line before.
const CONTINUATIONS: [&str; 11] = [
    "external",
    "public",
    "internal",
    "private",
    "pure",
    "view",
    "payable",
    "nonpayable",
    "virtual",
    "override",
    "returns",
];

/// The declarations of a text: one a line, or ended by `;`. Brackets hold a declaration together over several
/// lines; comments, `pragma` and `import`, and the lines of an `interface` around them are left out.
pub(in crate::read) fn statements(text: &str) -> Vec<String> {
    let mut splitter = Splitter::default();
    let text = without_comments(text);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        splitter.line(line);
        let continues = lines
            .peek()
            .is_some_and(|next| CONTINUATIONS.contains(&first_word(next)));
        if splitter.depth == 0 && !continues || lines.peek().is_some_and(|next| begins(next)) {
            splitter.end();
        }
    }
    splitter.end();
    splitter.done
}

/// The name of the first `interface` that stands around declarations.
pub(in crate::read) fn interface_name(text: &str) -> Option<String> {
    without_comments(text).lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("interface ")?;
        let name = rest.split(|character: char| character.is_whitespace() || character == '{');
        name.map(str::to_owned).find(|word| !word.is_empty())
    })
}

#[derive(Default)]
struct Splitter {
    done: Vec<String>,
    current: String,
    depth: usize,
}

impl Splitter {
    fn line(&mut self, line: &str) {
        self.current.push(' ');
        for character in line.chars() {
            match character {
                '{' if self.depth == 0 && self.current.trim_start().starts_with("interface ") => {
                    self.current.clear();
                }
                '}' if self.depth == 0 => self.end(),
                ';' if self.depth == 0 => self.end(),
                '(' | '{' | '[' => {
                    self.depth += 1;
                    self.current.push(character);
                }
                ')' | '}' | ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.current.push(character);
                    if character == '}' && self.depth == 0 {
                        self.end();
                    }
                }
                _ => self.current.push(character),
            }
        }
    }

    fn end(&mut self) {
        // An `interface` whose brace stands on the next line is not a declaration yet.
        let statement = self.current.trim();
        if self.depth == 0 && statement.starts_with("interface ") {
            return;
        }
        self.depth = 0;
        let is_declaration =
            !statement.is_empty() && !matches!(first_word(statement), "pragma" | "import" | "using");
        if is_declaration {
            self.done.push(statement.to_owned());
        }
        self.current.clear();
    }
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|character: char| !character.is_alphanumeric());
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// Whether a new declaration begins here, even when brackets are still open before it.
fn begins(line: &str) -> bool {
    let word = first_word(line);
    let named = || {
        let rest = line.trim_start().get(word.len()..).unwrap_or_default();
        rest.starts_with(char::is_whitespace)
            && rest
                .trim_start()
                .starts_with(|character: char| character.is_alphabetic() || matches!(character, '_' | '$'))
    };
    BEGINNINGS.contains(&word) && named()
}

/// Comments become blanks; the ends of lines stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('/') {
        let (before, comment) = rest.split_at(place);
        out.push_str(before);
        if comment.starts_with("//") {
            rest = comment
                .get(comment.find('\n').unwrap_or(comment.len())..)
                .unwrap_or_default();
        } else if comment.starts_with("/*") {
            let end = comment.find("*/").map_or(comment.len(), |end| end + 2);
            out.push(' ');
            rest = comment.get(end..).unwrap_or_default();
        } else {
            out.push('/');
            rest = comment.get(1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}
