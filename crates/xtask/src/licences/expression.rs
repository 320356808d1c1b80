//! Evaluates SPDX licence expressions such as `(MIT OR Apache-2.0) AND ISC`.

/// Whether the licences `allowed` accepts are enough to satisfy the expression.
pub fn holds(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    // Old manifests write `MIT/Apache-2.0` and mean a choice.
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = Words { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let holds = words.any()?;
    match words.peek() {
        None => Ok(holds),
        Some(word) => Err(format!("`{word}` is left over")),
    }
}

struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl<'a> Words<'a> {
    fn any(&mut self) -> Result<bool, String> {
        let mut holds = self.all()?;
        while self.take("OR") {
            // Not `||` on the call: the rest must be read either way.
            holds |= self.all()?;
        }
        Ok(holds)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut holds = self.one()?;
        while self.take("AND") {
            holds &= self.one()?;
        }
        Ok(holds)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let holds = self.any()?;
            return match self.take(")") {
                true => Ok(holds),
                false => Err("a parenthesis is not closed".to_owned()),
            };
        }
        let name = self.name()?;
        if self.take("WITH") {
            let exception = self.name()?;
            return Ok((self.allowed)(&format!("{name} WITH {exception}")));
        }
        Ok((self.allowed)(name))
    }

    fn name(&mut self) -> Result<&'a str, String> {
        match self.peek() {
            Some(word) if !["OR", "AND", "WITH", "(", ")"].contains(&word) => {
                self.at += 1;
                Ok(word)
            }
            other => Err(format!("a licence is missing before `{}`", other.unwrap_or("the end"))),
        }
    }

    fn take(&mut self, wanted: &str) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(expression: &str) -> Result<bool, String> {
        let allowed = ["MIT", "ISC", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"];
        holds(expression, &|name| allowed.contains(&name))
    }

    #[test]
    fn a_choice_needs_one_and_a_sum_needs_all() {
        assert_eq!(evaluate("MIT"), Ok(true));
        assert_eq!(evaluate("GPL-3.0"), Ok(false));
        assert_eq!(evaluate("GPL-3.0 OR MIT"), Ok(true));
        assert_eq!(evaluate("GPL-3.0/MIT"), Ok(true));
        assert_eq!(evaluate("GPL-3.0 / LGPL-2.1"), Ok(false));
        assert_eq!(evaluate("GPL-3.0 AND MIT"), Ok(false));
        assert_eq!(evaluate("MIT AND ISC"), Ok(true));
    }

    #[test]
    fn and_binds_tighter_than_or() {
        assert_eq!(evaluate("MIT OR ISC AND GPL-3.0"), Ok(true));
        assert_eq!(evaluate("(MIT OR ISC) AND GPL-3.0"), Ok(false));
        assert_eq!(evaluate("(MIT OR GPL-3.0) AND (GPL-3.0 OR ISC)"), Ok(true));
    }

    #[test]
    fn an_exception_makes_another_licence() {
        assert_eq!(evaluate("Apache-2.0 WITH LLVM-exception"), Ok(true));
        assert_eq!(evaluate("MIT WITH LLVM-exception"), Ok(false));
        assert_eq!(evaluate("GPL-2.0 WITH x OR MIT"), Ok(true));
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for bad in ["", "MIT OR", "(MIT", "MIT)", "MIT ISC", "OR MIT", "MIT WITH"] {
            assert!(evaluate(bad).is_err(), "{bad:?}");
        }
    }
}
