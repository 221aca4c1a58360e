// Calls of a tool in JavaScript, to be measured. What the program does is in `README.md`.
import assert from 'node:assert/strict'
import { Node } from 'toolmesh'

const schema = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] }

const serve = (node) => node.serveTool({ name: 'echo', inputSchema: schema, outputSchema: schema }, (given) => given)

async function host(key) {
  const node = await Node.start({ key: Buffer.from(key, 'hex') })
  serve(node)
  console.log(node.listensAt[0])
  for await (const _ of process.stdin); // It is over when nobody holds the other end any more.
  node.close()
}

async function caller(key, place, ...load) {
  const node = await Node.start({ key: Buffer.from(key, 'hex'), connect: [place] })
  const changes = node.watchTools()
  while (node.listTools().length === 0) await changes.next()
  await changes.return()
  await measure(node, ...load)
  node.close()
}

async function alone(...load) {
  const options = { key: Buffer.alloc(32), engine: 'memory' }
  const [host, agent] = [await Node.start(options), await Node.start(options)]
  serve(host)
  await measure(agent, ...load)
  agent.close()
  host.close()
}

async function measure(node, ...load) {
  const [underWay, warmUp, milliseconds] = load.map(Number)
  await calls(node, underWay, warmUp)
  const begin = performance.now()
  const ended = await calls(node, underWay, milliseconds)
  console.log(JSON.stringify({ calls: ended, seconds: (performance.now() - begin) / 1000 }))
}

/** Calls for so long; how many calls ended. */
async function calls(node, underWay, milliseconds) {
  const end = performance.now() + milliseconds
  const ended = await Promise.all(Array.from({ length: underWay }, () => oneAfterAnother(node, end)))
  return ended.reduce((sum, each) => sum + each)
}

async function oneAfterAnother(node, end) {
  let number = 0
  for (; performance.now() < end; number += 1) {
    const answer = await node.callTool('echo', { number })
    assert.equal(answer.number, number)
  }
  return number
}

const [what, ...given] = process.argv.slice(2)
await { host, caller, alone }[what](...given)
