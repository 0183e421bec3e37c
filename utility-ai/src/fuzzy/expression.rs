//! The text of a rule: `if a is good and not b is bad then z is good with 0.5`.

use super::definition::{Definition, Variable};
use super::error::RuleProblem;

/// How deeply parentheses and `not` may be nested.
const MOST_LEVELS: usize = 64;

const KEYWORDS: [&str; 7] = ["if", "is", "not", "and", "or", "then", "with"];

/// A condition on memberships.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// The membership with this number.
    Is(usize),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

impl Condition {
    pub(crate) fn strength(&self, memberships: &[f64]) -> f64 {
        match self {
            Self::Is(which) => memberships[*which],
            Self::Not(inner) => 1.0 - inner.strength(memberships),
            Self::And(parts) => parts.iter().map(|p| p.strength(memberships)).fold(1.0, f64::min),
            Self::Or(parts) => parts.iter().map(|p| p.strength(memberships)).fold(0.0, f64::max),
        }
    }
}

/// A rule with its names looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) condition: Condition,
    /// The number of the output's term.
    pub(crate) term: usize,
    pub(crate) weight: f64,
}

/// Whether rules can tell it from their own words.
pub(crate) fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_alphabetic() || c == '_';
    name.starts_with(letter)
        && name.chars().all(|c| letter(c) || c.is_numeric())
        && !KEYWORDS.contains(&name)
}

/// Reads a rule. Memberships are numbered through, input by input, label by label.
pub(crate) fn parse(text: &str, definition: &Definition) -> Result<Rule, RuleProblem> {
    let mut parser = Parser { text, rest: text, definition, depth: 0 };
    parser.word("if")?;
    if parser.peek() == "then" {
        return Err(RuleProblem::NoAntecedent);
    }
    let condition = parser.any_of()?;
    parser.word("then")?;
    let output = &definition.output;
    let name = parser.name("the output's name")?;
    if name != output.name {
        let (name, output) = (name.to_owned(), output.name.clone());
        return Err(RuleProblem::NotTheOutput { name, output });
    }
    parser.word("is")?;
    let term = parser.label(output)?;
    let mut weight = 1.0;
    if parser.peek() == "with" {
        parser.take();
        let found = parser.peek();
        weight = match found.parse::<f64>() {
            Ok(weight) if weight > 0.0 && weight <= 1.0 => weight,
            Ok(weight) => return Err(RuleProblem::Weight { weight }),
            Err(_) => return Err(parser.expected("a weight")),
        };
        parser.take();
    }
    if !parser.peek().is_empty() {
        return Err(parser.expected("the end of the rule or with"));
    }
    Ok(Rule { condition, term, weight })
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    definition: &'a Definition,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// The next token; empty at the end.
    fn peek(&self) -> &'a str {
        let rest = self.rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return "";
        };
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
        if !word(first) {
            return &rest[..first.len_utf8()];
        }
        let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    fn take(&mut self) -> &'a str {
        let token = self.peek();
        self.rest = &self.rest.trim_start()[token.len()..];
        token
    }

    fn expected(&self, expected: &'static str) -> RuleProblem {
        let token = self.peek();
        let consumed = self.text.len() - self.rest.trim_start().len();
        let found = match token {
            "" => "the end".to_owned(),
            token => format!("{:?}", token.chars().take(40).collect::<String>()),
        };
        let column = self.text[..consumed].chars().count() + 1;
        RuleProblem::Syntax { column, expected, found }
    }

    fn word(&mut self, word: &'static str) -> Result<(), RuleProblem> {
        if self.peek() != word {
            return Err(self.expected(word));
        }
        self.take();
        Ok(())
    }

    fn name(&mut self, what: &'static str) -> Result<&'a str, RuleProblem> {
        if !is_name(self.peek()) {
            return Err(self.expected(what));
        }
        Ok(self.take())
    }

    fn label(&mut self, variable: &Variable) -> Result<usize, RuleProblem> {
        let label = self.name("a label")?;
        let found = variable.terms.keys().position(|key| key == label);
        found.ok_or_else(|| RuleProblem::UnknownLabel {
            variable: variable.name.clone(),
            label: label.to_owned(),
            known: list(variable.terms.keys()),
        })
    }

    fn any_of(&mut self) -> Result<Condition, RuleProblem> {
        self.joined("or", Self::all_of, Condition::Or)
    }

    fn all_of(&mut self) -> Result<Condition, RuleProblem> {
        self.joined("and", Self::one, Condition::And)
    }

    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Result<Condition, RuleProblem>,
        join: fn(Vec<Condition>) -> Condition,
    ) -> Result<Condition, RuleProblem> {
        let first = part(self)?;
        if self.peek() != word {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.peek() == word {
            self.take();
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn one(&mut self) -> Result<Condition, RuleProblem> {
        self.depth += 1;
        if self.depth > MOST_LEVELS {
            return Err(RuleProblem::TooDeep { most: MOST_LEVELS });
        }
        let condition = match self.peek() {
            "not" => {
                self.take();
                Condition::Not(Box::new(self.one()?))
            }
            "(" => {
                self.take();
                let inner = self.any_of()?;
                self.word(")")?;
                inner
            }
            _ => self.is()?,
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn is(&mut self) -> Result<Condition, RuleProblem> {
        let name = self.name("an input's name, not or (")?;
        let mut first = 0;
        for variable in &self.definition.inputs {
            if variable.name == name {
                self.word("is")?;
                return Ok(Condition::Is(first + self.label(variable)?));
            }
            first += variable.terms.len();
        }
        Err(RuleProblem::UnknownVariable {
            name: name.to_owned(),
            known: list(self.definition.inputs.iter().map(|v| &v.name)),
        })
    }
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}
