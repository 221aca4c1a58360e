// Nodes with certificates, which `toolmesh mesh keys` makes, and who may do what.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ConfigurationError, InvalidInput, Node, NoRoute } from 'toolmesh'

/** Runs with folders that hold the keys of a mesh each, and with what starts nodes of them, which are closed in the end. */
async function withKeys(names, work) {
  const root = mkdtempSync(join(tmpdir(), 'toolmesh-'))
  const nodes = []
  const folders = names.map((nodes, n) => {
    const folder = join(root, `${n}`)
    const wanted = nodes.flatMap((name) => ['--node', name])
    execFileSync(process.env.TOOLMESH_COMMAND, ['mesh', 'keys', folder, ...wanted], { stdio: ['ignore', 'ignore', 'inherit'] })
    return folder
  })
  const start = async (folder, name, more = {}) => {
    const node = await Node.start({
      keyFile: join(folder, 'mesh.key'),
      authority: pathToFileURL(join(folder, 'authority.pem')),
      certificate: join(folder, `${name}.pem`),
      privateKey: join(folder, `${name}.key`),
      ...more
    })
    nodes.push(node)
    return node
  }
  try {
    await work(start, ...folders)
  } finally {
    for (const node of nodes) node.close()
    rmSync(root, { recursive: true })
  }
}

async function seesATool(node) {
  const watching = new AbortController()
  const first = node.watchTools({ signal: watching.signal }).next()
  if (node.listTools().length === 0) await first
  watching.abort()
  await first
}

test('nodes with certificates of one authority call each other by their names', () =>
  withKeys([['tokens', 'agent']], async (start, keys) => {
    const host = await start(keys, 'tokens')
    host.serveTool({ name: 'who' }, (_, context) => context.caller.identity)
    const agent = await start(keys, 'agent', { connect: host.listensAt })
    await seesATool(agent)
    assert.equal(await agent.callTool('who'), 'agent')
  }))

test('a node of another authority is not met, and told where', () =>
  withKeys([['tokens'], ['agent']], async (start, keys, others) => {
    const host = await start(keys, 'tokens')
    host.serveTool({ name: 'who' }, () => null)
    const stranger = await start(others, 'agent', { keyFile: join(keys, 'mesh.key'), connect: host.listensAt })
    await assert.rejects(stranger.callTool('who'), (error) => {
      assert.ok(error instanceof NoRoute)
      assert.match(error.message, /another authority/)
      assert.ok(error.message.includes(host.listensAt[0]), error.message)
      return true
    })
  }))

test('a certificate that cannot be used is refused at the start', () =>
  withKeys([['tokens'], ['tokens']], async (start, keys, others) => {
    copyFileSync(join(others, 'tokens.pem'), join(keys, 'tokens.pem'))
    await assert.rejects(start(keys, 'tokens'), ConfigurationError)
    const authority = join(keys, 'authority.pem')
    const part = Node.start({ keyFile: join(keys, 'mesh.key'), authority })
    await assert.rejects(part, { name: 'ConfigurationError', message: /`private_key`/ })
    await assert.rejects(Node.start({ authority }), { name: 'InvalidInput', message: /`authority` is for a mesh on a network/ })
    const key = Buffer.from(readFileSync(join(keys, 'mesh.key'), 'utf8').trim(), 'hex')
    await assert.rejects(Node.start({ key, keyFile: join(keys, 'mesh.key') }), InvalidInput)
  }))

test('a node sees and calls the tools of those alone whom it trusts', async () => {
  const [key, engine] = [randomBytes(32), 'memory']
  const nodes = []
  const start = async (more) => {
    nodes.push(await Node.start({ key, engine, ...more }))
    return nodes.at(-1)
  }
  try {
    const [host, thief] = [await start({ name: 'tokens' }), await start({ name: 'thief' })]
    host.serveTool({ name: 'pay' }, () => 'host')
    thief.serveTool({ name: 'pay', version: '9.0.0' }, () => 'thief')
    assert.equal(await (await start({ trust: { names: ['tokens'] } })).callTool('pay'), 'host')
    await assert.rejects((await start({ trust: 'nobody' })).callTool('pay'), NoRoute)
    assert.equal(await (await start({})).callTool('pay'), 'thief')
    await assert.rejects(Node.start({ trust: { nams: [] } }), { name: 'ConfigurationError', message: /`trust` in \[mesh\]: .*the list.nams/ })
  } finally {
    for (const node of nodes) node.close()
  }
})

test('access rules say who may call', async () => {
  const [key, engine] = [randomBytes(32), 'memory']
  const access = { unlisted: 'deny', tools: { 'open_*': 'everybody', secret: { names: ['friend'] } } }
  const nodes = [await Node.start({ key, engine, access })]
  try {
    for (const name of ['open_one', 'secret', 'unlisted']) nodes[0].serveTool({ name }, () => 1)
    const seen = {}
    for (const name of ['friend', 'other']) {
      const node = await Node.start({ key, engine, name })
      nodes.push(node)
      seen[name] = node.listTools().map((tool) => tool.toolId)
    }
    assert.deepEqual(seen, { friend: ['open_one', 'secret'], other: ['open_one'] })
    await assert.rejects(Node.start({ access: { tool: {} } }), { name: 'ConfigurationError', message: /access rules: tool/ })
  } finally {
    for (const node of nodes) node.close()
  }
})
