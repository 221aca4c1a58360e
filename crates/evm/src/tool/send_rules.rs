//! Which transactions a source may send at all, on whatever chain.

use std::collections::BTreeSet;

use alloy_primitives::{Address, Selector, hex};
use thiserror::Error;

use crate::chain::{ChainError, SendRefusal};
use crate::model::{Function, Interface};
use crate::text::{NAME_CHARS, clean};

/// Which transactions a source may send; every one unless a list says otherwise. What is simulated is not concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendRules {
    functions: Option<BTreeSet<Selector>>,
    accounts: Option<BTreeSet<Address>>,
}

/// A list of functions names one that the interface does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`send_functions` names `{name}`, which is no function of the interface; give a name, a signature like \
     `transfer(address,uint256)`, or a selector"
)]
pub struct UnknownFunction {
    /// The name, cleaned.
    pub name: String,
}

impl SendRules {
    /// Transactions may call only these functions: by name (all of that name), signature or selector. An empty list
    /// lets none be called.
    ///
    /// # Errors
    /// [`UnknownFunction`] for the first that is not in the interface: a typing error here would forbid what was
    /// meant to be allowed.
    pub fn only_functions<T: AsRef<str>>(
        mut self,
        interface: &Interface,
        functions: &[T],
    ) -> Result<Self, UnknownFunction> {
        let mut allowed = BTreeSet::new();
        for wanted in functions {
            let wanted = wanted.as_ref();
            let before = allowed.len();
            let named = interface
                .functions()
                .filter(|function| answers_to(function, wanted));
            allowed.extend(named.map(|function| Selector::from(function.selector())));
            if allowed.len() == before && !interface.functions().any(|function| answers_to(function, wanted))
            {
                return Err(UnknownFunction {
                    name: clean(wanted, NAME_CHARS),
                });
            }
        }
        self.functions = Some(allowed);
        Ok(self)
    }

    /// Transactions may come only from these accounts.
    #[must_use]
    pub fn only_accounts(mut self, accounts: impl IntoIterator<Item = Address>) -> Self {
        self.accounts = Some(accounts.into_iter().collect());
        self
    }

    /// Whether a call of `function` from `sender` may be sent.
    pub(super) fn check(&self, function: &Function, sender: Option<Address>) -> Result<(), ChainError> {
        let selector = Selector::from(function.selector());
        if self
            .functions
            .as_ref()
            .is_some_and(|allowed| !allowed.contains(&selector))
        {
            return Err(SendRefusal::FunctionNotAllowed {
                function: clean(function.signature(), NAME_CHARS),
            }
            .into());
        }
        let (Some(allowed), Some(from)) = (&self.accounts, sender) else {
            return Ok(());
        };
        if allowed.contains(&from) {
            return Ok(());
        }
        let available: Vec<String> = allowed.iter().map(Address::to_string).collect();
        Err(SendRefusal::ForeignSender {
            from,
            available: if available.is_empty() {
                "no account".to_owned()
            } else {
                available.join(", ")
            },
        }
        .into())
    }
}

fn answers_to(function: &Function, wanted: &str) -> bool {
    wanted == function.name
        || wanted == function.signature()
        || wanted.eq_ignore_ascii_case(&hex::encode_prefixed(function.selector()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    fn token() -> Interface {
        let text = "function transfer(address to, uint256 value)\nfunction mint(uint256 a)\nfunction mint(address a)\n";
        read(text.as_bytes()).unwrap()
    }

    fn allowed(rules: &SendRules, interface: &Interface) -> Vec<String> {
        interface
            .functions()
            .filter(|function| rules.check(function, None).is_ok())
            .map(|function| function.signature().to_owned())
            .collect()
    }

    #[test]
    fn a_function_is_allowed_by_name_signature_or_selector() {
        let token = token();
        let only = |names: &[&str]| {
            allowed(
                &SendRules::default().only_functions(&token, names).unwrap(),
                &token,
            )
        };
        assert_eq!(allowed(&SendRules::default(), &token).len(), 3);
        assert_eq!(only(&["mint"]), ["mint(uint256)", "mint(address)"]);
        assert_eq!(only(&["mint(address)"]), ["mint(address)"]);
        assert_eq!(only(&["0xA9059CBB"]), ["transfer(address,uint256)"]);
        assert_eq!(only(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_function_that_is_not_there_is_told() {
        let refusal = SendRules::default()
            .only_functions(&token(), &["mint", "burn"])
            .unwrap_err();
        assert_eq!(refusal.name, "burn");
    }

    #[test]
    fn a_transaction_comes_from_an_account_of_the_list() {
        let token = token();
        let function = token.functions().next().unwrap();
        let (one, other) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let rules = SendRules::default().only_accounts([one]);
        assert!(rules.check(function, Some(one)).is_ok());
        let refusal = rules.check(function, Some(other)).unwrap_err().to_string();
        assert!(
            refusal.starts_with("not sent: the sender 0x0202") && refusal.contains(&one.to_string()),
            "{refusal}"
        );
    }
}
