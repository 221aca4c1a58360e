//! Which transactions a source may send at all, on whatever chain.

use std::collections::BTreeSet;

use alloy_primitives::{Address, Selector, hex};
use thiserror::Error;

use super::helper::DEPLOY_NAME;
use crate::chain::{ChainError, SendRefusal};
use crate::model::{Bytecode, Function, Interface, RAW_NAME};
use crate::text::{NAME_CHARS, clean};

/// Which transactions a source may send; every one unless a list says otherwise. What is simulated is not concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendRules {
    functions: Option<Allowed>,
    accounts: Option<BTreeSet<Address>>,
}

/// What a list of functions allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Allowed {
    functions: BTreeSet<Selector>,
    /// Calls that match no function of the interface.
    raw: bool,
    /// The creation of further contracts.
    creation: bool,
    /// All functions of the interface: raw data that begins with the selector of one is a call of it.
    known: BTreeSet<Selector>,
}

/// What a transaction does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sent<'a> {
    /// It calls a function with these data.
    Call(&'a Function, &'a [u8]),
    /// It creates a contract.
    Creation,
}

/// A list of functions names one that the interface does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`send_functions` names `{name}`, which is no function of the interface; give a name, a signature like \
     `transfer(address,uint256)`, a selector, or the name of a tool that sends without a function, `{RAW_NAME}` or \
     `{DEPLOY_NAME}`, where the contract has it"
)]
pub struct UnknownFunction {
    /// The name, cleaned.
    pub name: String,
}

impl SendRules {
    /// Transactions may call only these functions: by name (all of that name), signature or selector. `send-raw` is
    /// the call that matches none of them (one that does counts as a call of the function), `deploy-contract` the
    /// creation of another contract. An empty list lets nothing be called.
    ///
    /// # Errors
    /// [`UnknownFunction`] for the first that is not in the interface: a typing error here would forbid what was
    /// meant to be allowed.
    pub fn only_functions<T: AsRef<str>>(
        mut self,
        interface: &Interface,
        functions: &[T],
    ) -> Result<Self, UnknownFunction> {
        let mut allowed = Allowed {
            known: interface.functions().map(|function| selector(function)).collect(),
            ..Allowed::default()
        };
        for wanted in functions {
            if !allowed.admit(interface, wanted.as_ref()) {
                return Err(UnknownFunction {
                    name: clean(wanted.as_ref(), NAME_CHARS),
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

    /// Whether a transaction from `sender` may be sent.
    pub(super) fn check(&self, sent: Sent<'_>, sender: Option<Address>) -> Result<(), ChainError> {
        if self
            .functions
            .as_ref()
            .is_some_and(|allowed| !allowed.allows(sent))
        {
            return Err(SendRefusal::FunctionNotAllowed {
                function: sent.shown(),
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

impl Allowed {
    /// Allows what `wanted` names; whether it names anything.
    fn admit(&mut self, interface: &Interface, wanted: &str) -> bool {
        match wanted {
            RAW_NAME => {
                self.raw = interface.raw().is_some();
                self.raw
            }
            DEPLOY_NAME => {
                self.creation = matches!(interface.bytecode, Some(Bytecode::Linked(_)));
                self.creation
            }
            _ => {
                let mut named = interface
                    .functions()
                    .filter(|function| answers_to(function, wanted))
                    .peekable();
                let is_known = named.peek().is_some();
                self.functions.extend(named.map(|function| selector(function)));
                is_known
            }
        }
    }

    fn allows(&self, sent: Sent<'_>) -> bool {
        match sent {
            Sent::Creation => self.creation,
            Sent::Call(function, data) if function.is_raw() => {
                let called = data.get(..4).map(Selector::from_slice);
                match called.filter(|selector| self.known.contains(selector)) {
                    Some(selector) => self.functions.contains(&selector),
                    None => self.raw,
                }
            }
            Sent::Call(function, _) => self.functions.contains(&selector(function)),
        }
    }
}

impl Sent<'_> {
    /// Its name for people.
    fn shown(self) -> String {
        match self {
            Self::Creation => DEPLOY_NAME.to_owned(),
            Self::Call(function, data) if function.is_raw() => match data.get(..4) {
                Some(selector) => format!("{RAW_NAME} with {}", hex::encode_prefixed(selector)),
                None => RAW_NAME.to_owned(),
            },
            Self::Call(function, _) => clean(function.signature(), NAME_CHARS),
        }
    }
}

fn selector(function: &Function) -> Selector {
    Selector::from(function.selector())
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
            .filter(|function| rules.check(Sent::Call(function, &[]), None).is_ok())
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
        let call = Sent::Call(function, &[]);
        assert!(rules.check(call, Some(one)).is_ok());
        let refusal = rules.check(call, Some(other)).unwrap_err().to_string();
        assert!(
            refusal.starts_with("not sent: the sender 0x0202") && refusal.contains(&one.to_string()),
            "{refusal}"
        );
    }

    #[test]
    fn what_calls_no_function_is_allowed_by_the_name_of_its_tool() {
        let text =
            "function transfer(address to, uint256 value)\nfunction mint(uint256 a)\nfallback() external\n";
        let mut vault = read(text.as_bytes()).unwrap();
        vault.bytecode = Some(Bytecode::Linked(vec![0].into()));
        let raw = vault.raw().unwrap();
        let only = |names: &[&str]| SendRules::default().only_functions(&vault, names).unwrap();
        let sends = |rules: &SendRules, data: &[u8]| rules.check(Sent::Call(&raw, data), None).is_ok();
        let creates = |rules: &SendRules| rules.check(Sent::Creation, None).is_ok();
        let transfer = [0xa9, 0x05, 0x9c, 0xbb, 0x00];
        let neither = only(&["mint"]);
        assert!(!sends(&neither, &[1, 2, 3, 4]) && !creates(&neither));
        let rules = only(&["mint", RAW_NAME]);
        assert!(sends(&rules, &[]) && sends(&rules, &[1, 2, 3, 4]) && !creates(&rules));
        // The data of a function are a call of it, whichever tool sends them.
        assert!(!sends(&rules, &transfer));
        assert!(sends(&only(&["transfer"]), &transfer));
        assert!(creates(&only(&[DEPLOY_NAME])));
        let refusal = rules.check(Sent::Call(&raw, &transfer), None).unwrap_err();
        assert!(
            refusal.to_string().contains("send-raw with 0xa9059cbb"),
            "{refusal}"
        );
    }

    #[test]
    fn a_tool_that_the_contract_does_not_have_is_no_name() {
        for name in [RAW_NAME, DEPLOY_NAME] {
            let refusal = SendRules::default()
                .only_functions(&token(), &[name])
                .unwrap_err();
            assert_eq!(refusal.name, name);
        }
    }
}
