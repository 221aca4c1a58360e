//! The funded accounts of a sandbox.

use alloy_primitives::{Address, U256, address};

/// The first ten accounts of the public development mnemonic "test test ... junk" at the path
/// `m/44'/60'/0'/0/n`, as anvil and hardhat use them. Their keys are public: worthless on a real chain.
pub(super) const DEVELOPMENT: [Address; 10] = [
    DEFAULT_SENDER,
    address!("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
    address!("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"),
    address!("0x90F79bf6EB2c4f870365E785982E1f101E93b906"),
    address!("0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65"),
    address!("0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"),
    address!("0x976EA74026E726554dB657fA54763abd0C3a0aa9"),
    address!("0x14dC79964da2C08b23698B3D3cc7Ca32193d9955"),
    address!("0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f"),
    address!("0xa0Ee7A142d267C1f36714E4a8F75612F20a79720"),
];

/// The account that messages come from unless they say otherwise.
pub(super) const DEFAULT_SENDER: Address = address!("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");

/// What each development account starts with: 10,000 ETH in wei, 10^22.
pub(super) fn opening_balance() -> U256 {
    U256::from(10_000_000_000_000_000_000_000_u128)
}
