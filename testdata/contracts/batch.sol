// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Makes many calls in one, as contracts do that stand on public chains for this purpose.
contract Batch {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 place = 0; place < calls.length; place++) {
            (bool success, bytes memory data) = calls[place].target.call(calls[place].callData);
            require(success || calls[place].allowFailure, "a call failed");
            results[place] = Result(success, data);
        }
    }
}
