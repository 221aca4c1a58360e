//! A declaration as words and marks.

/// The most characters of a declaration: a struct of 256 members fits.
const MAX_CHARS: usize = 32_768;

/// A word or a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Letters, digits, `_`, `$` and `.`.
    Word(&'a str),
    /// Anything else that is no blank.
    Mark(char),
}

/// Where a parser stands in a declaration.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    tokens: Vec<Token<'a>>,
    place: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, String> {
        if text.len() > MAX_CHARS {
            return Err(format!(
                "a declaration longer than {MAX_CHARS} characters is not taken"
            ));
        }
        Ok(Self {
            tokens: tokens(text),
            place: 0,
        })
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.place).copied()
    }

    pub(super) fn peek_second(&self) -> Option<Token<'a>> {
        self.tokens.get(self.place + 1).copied()
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.place += 1;
        token
    }

    pub(super) fn word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Steps over `mark` when it stands here.
    pub(super) fn take(&mut self, mark: char) -> bool {
        let stands = self.peek() == Some(Token::Mark(mark));
        if stands {
            self.place += 1;
        }
        stands
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.take(mark) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn expect_word(&mut self) -> Result<&'a str, String> {
        let word = self.word().ok_or_else(|| self.unexpected())?;
        self.place += 1;
        Ok(word)
    }

    /// Why what stands here cannot stand here.
    pub(super) fn unexpected(&self) -> String {
        match self.peek() {
            None => "the declaration ends too early".to_owned(),
            Some(Token::Word(word)) => {
                format!(
                    "`{}` is not expected there",
                    crate::text::clean(word, crate::text::NAME_CHARS)
                )
            }
            Some(Token::Mark(mark)) => {
                format!(
                    "`{}` is not expected there",
                    crate::text::clean(&mark.to_string(), 1)
                )
            }
        }
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = rest
            .find(|character: char| !is_word_character(character))
            .unwrap_or(rest.len());
        let taken = if length == 0 {
            tokens.push(Token::Mark(first));
            first.len_utf8()
        } else {
            tokens.push(Token::Word(rest.get(..length).unwrap_or_default()));
            length
        };
        rest = rest.get(taken..).unwrap_or_default().trim_start();
    }
    tokens
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '.')
}
