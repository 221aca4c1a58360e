// Compiles token.sol to token.json. How to run it stands in README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const here = import.meta.dirname;
const solc = createRequire(join(process.cwd(), "index.js"))("solc");
const input = {
  language: "Solidity",
  sources: { "token.sol": { content: readFileSync(join(here, "token.sol"), "utf8") } },
  settings: {
    evmVersion: "cancun",
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: "none" },
    outputSelection: {
      "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "userdoc", "devdoc"] },
    },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
if (output.errors) throw new Error(output.errors.map((error) => error.formattedMessage).join("\n"));

const contract = output.contracts["token.sol"].Token;
const artifact = {
  contractName: "Token",
  sourceName: "token.sol",
  compiler: { version: solc.version().replace(".Emscripten.clang", "") },
  abi: contract.abi,
  bytecode: `0x${contract.evm.bytecode.object}`,
  deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
  userdoc: contract.userdoc,
  devdoc: contract.devdoc,
};
writeFileSync(join(here, "token.json"), `${JSON.stringify(artifact, null, 2)}\n`);
