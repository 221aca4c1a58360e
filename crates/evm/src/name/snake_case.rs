//! `balanceOf` to `balance_of`.

/// A name in snake case: an underscore goes before an upper-case letter that begins a word (one that
/// lower-case letters follow, or that follows a lower-case letter or a digit), then all is lower case.
///
/// `getETHBalance` is `get_eth_balance`, `tokenURI` is `token_uri`, `getURLs` is `get_urls`,
/// `DOMAIN_SEPARATOR` is `domain_separator`. Only ASCII letters count; everything else stays.
#[must_use]
pub fn snake_case(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (place, character) in characters.iter().enumerate() {
        if begins_word(&characters, place) {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}

fn begins_word(characters: &[char], place: usize) -> bool {
    let at = |place: usize| characters.get(place).copied().unwrap_or('_');
    if place == 0 || !at(place).is_ascii_uppercase() {
        return false;
    }
    let before = at(place - 1);
    if before.is_ascii_lowercase() || before.is_ascii_digit() {
        return true;
    }
    before.is_ascii_uppercase() && at(place + 1).is_ascii_lowercase() && !is_plural(characters, place)
}

/// Whether the letter is the last of an abbreviation in the plural: the `L` of `URLs`.
fn is_plural(characters: &[char], place: usize) -> bool {
    let after_s = characters.get(place + 2);
    characters.get(place + 1) == Some(&'s') && after_s.is_none_or(|character| !character.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
        for (name, expected) in [
            ("balanceOf", "balance_of"),
            ("tokenURI", "token_uri"),
            ("WETH", "weth"),
            ("DOMAIN_SEPARATOR", "domain_separator"),
            ("getETHBalance", "get_eth_balance"),
            ("getV2Price", "get_v2_price"),
            ("price0CumulativeLast", "price0_cumulative_last"),
            ("kLast", "k_last"),
            ("isUSDC", "is_usdc"),
            ("addLiquidityETH", "add_liquidity_eth"),
            ("eip712Domain", "eip712_domain"),
            ("onERC1155BatchReceived", "on_erc1155_batch_received"),
            ("feeGrowthGlobal0X128", "fee_growth_global0_x128"),
            ("set2FA", "set2_fa"),
            ("P2PKH", "p2_pkh"),
            ("getURLs", "get_urls"),
            ("tokenIDsOf", "token_ids_of"),
            ("A", "a"),
            ("X", "x"),
            ("_upgradeTo", "_upgrade_to"),
            ("Foo_Bar", "foo_bar"),
            ("already_snake", "already_snake"),
            ("", ""),
        ] {
            assert_eq!(snake_case(name), expected, "{name}");
        }
    }
}
