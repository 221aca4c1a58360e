// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @title Example token
/// @notice A small ERC-20 token with a fixed supply: everything is minted to the account that deploys it.
/// @dev It takes no constructor arguments, so that `toolmesh serve examples/token.json` needs nothing else.
contract Token {
    /// @notice The account has fewer tokens than the transfer needs.
    /// @param sender The account whose tokens were to be moved.
    /// @param balance What the account has, in base units.
    /// @param needed What the transfer needs, in base units.
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);

    /// @notice The owner allowed the spender fewer tokens than the transfer needs.
    /// @param spender The account that tried to spend.
    /// @param allowance What the spender may still spend, in base units.
    /// @param needed What the transfer needs, in base units.
    error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);

    /// @notice The zero address cannot receive tokens.
    /// @param receiver The receiver that was refused.
    error ERC20InvalidReceiver(address receiver);

    /// @notice Tokens moved from one account to another; a mint comes from the zero address.
    /// @param from The account that the tokens left.
    /// @param to The account that received the tokens.
    /// @param value How many base units moved.
    event Transfer(address indexed from, address indexed to, uint256 value);

    /// @notice An owner allowed a spender to spend tokens.
    /// @param owner The account that owns the tokens.
    /// @param spender The account that may spend them.
    /// @param value How many base units the spender may spend.
    event Approval(address indexed owner, address indexed spender, uint256 value);

    /// @notice The name of the token.
    string public constant name = "Example Token";

    /// @notice The symbol of the token.
    string public constant symbol = "EXT";

    /// @notice How many decimal places an amount has: one token is 10 to the power of this many base units.
    uint8 public constant decimals = 18;

    /// @notice How many base units exist in all.
    uint256 public constant totalSupply = 1_000_000 * 10 ** 18;

    mapping(address account => uint256) private balances;
    mapping(address owner => mapping(address spender => uint256)) private allowances;

    constructor() {
        balances[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    /// @notice How many base units an account has.
    /// @param account The account to look up.
    /// @return The balance in base units.
    function balanceOf(address account) external view returns (uint256) {
        return balances[account];
    }

    /// @notice How many base units of an owner a spender may still spend.
    /// @param owner The account that owns the tokens.
    /// @param spender The account that may spend them.
    /// @return The remaining allowance in base units.
    function allowance(address owner, address spender) external view returns (uint256) {
        return allowances[owner][spender];
    }

    /// @notice Move tokens from the sender to another account.
    /// @param to The account that receives the tokens.
    /// @param value How many base units to move.
    /// @return Whether it worked: always true, a failure reverts.
    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    /// @notice Allow another account to spend tokens of the sender; this replaces an earlier allowance.
    /// @param spender The account that may spend the tokens.
    /// @param value How many base units it may spend.
    /// @return Whether it worked: always true.
    function approve(address spender, uint256 value) external returns (bool) {
        allowances[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// @notice Move tokens of an owner to another account, out of what the owner allowed the sender to spend.
    /// @param from The account that the tokens leave.
    /// @param to The account that receives the tokens.
    /// @param value How many base units to move.
    /// @return Whether it worked: always true, a failure reverts.
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowances[from][msg.sender];
        if (allowed < value) revert ERC20InsufficientAllowance(msg.sender, allowed, value);
        if (allowed != type(uint256).max) allowances[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        if (to == address(0)) revert ERC20InvalidReceiver(to);
        uint256 balance = balances[from];
        if (balance < value) revert ERC20InsufficientBalance(from, balance, value);
        unchecked {
            balances[from] = balance - value;
            balances[to] += value;
        }
        emit Transfer(from, to, value);
    }
}
