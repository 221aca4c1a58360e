// What is done and closed leaves nothing behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withNodes } from './support.mjs'

const CALLS = 10_000
const CYCLES = 1_000
// A call or a cycle that left a KiB behind would be told from what an allocator keeps for itself.
const MAY_GROW = 8 * 1024 * 1024

async function work(host, agent, calls, cycles) {
  const served = host.serveTool({ name: 'same' }, (args) => args)
  for (let n = 0; n < calls; n += 1) await agent.callTool('same', { n })
  served.close()
  for (let n = 0; n < cycles; n += 1) {
    const served = host.serveTool({ name: 'comes' }, () => n)
    assert.equal(await agent.callTool('comes'), n)
    served.close()
  }
}

async function resident() {
  for (let n = 0; n < 3; n += 1) {
    globalThis.gc()
    await new Promise(setImmediate) // What was collected is let go in the next turn.
  }
  return process.memoryUsage.rss()
}

test('10,000 calls and 1,000 times served and closed leave no memory behind', (t) =>
  withNodes(async (host, agent) => {
    await work(host, agent, CALLS / 5, CYCLES / 5)
    const before = await resident()
    await work(host, agent, CALLS, CYCLES)
    const after = await resident()
    t.diagnostic(`resident memory: ${before >> 10} KiB, then ${after >> 10} KiB`)
    assert.ok(after - before < MAY_GROW, `${after - before} bytes more`)
  }))
