// A program as an MCP server, driven by the client of npm's @modelcontextprotocol/sdk.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Node, SystemFault } from 'toolmesh'
import { example, installed } from './support.mjs'

const { Client } = installed('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = installed('@modelcontextprotocol/sdk/client/stdio.js')
const { StreamableHTTPClientTransport } = installed('@modelcontextprotocol/sdk/client/streamableHttp.js')

const server = fileURLToPath(new URL('../examples/server.mjs', import.meta.url))

// Long enough for a busy machine.
const PATIENCE_MS = 60_000

async function converse(transport) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    assert.deepEqual(tools.map((tool) => [tool.name, tool.description]), [['add', 'Adds two numbers.']])
    assert.deepEqual(tools[0].inputSchema.required, ['a', 'b'])
    const sum = await client.callTool({ name: 'add', arguments: { a: 2, b: 40 } })
    assert.deepEqual(sum.structuredContent, { sum: 42 })
    const refused = await client.callTool({ name: 'add', arguments: { a: 'two' } }).catch((error) => ({ isError: true, error }))
    assert.equal(refused.isError, true)
  } finally {
    await client.close()
  }
}

test('ten lines are an MCP server on standard input and output', async () => {
  const transport = new StdioClientTransport({ command: process.execPath, args: [server, 'stdio'], cwd: process.cwd() })
  await converse(transport)
})

test('ten lines are an MCP server over HTTP, which Ctrl-C ends', async () => {
  const child = spawn(process.execPath, [server], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    await converse(new StreamableHTTPClientTransport(new URL(line.trim())))
  } finally {
    child.kill('SIGINT')
  }
  assert.deepEqual(await ended, [0, null])
})

test('arguments that no number holds reach no handler', async () => {
  const node = await Node.start()
  try {
    let calls = 0
    const inputSchema = { type: 'object', properties: { x: { type: 'number' } } }
    node.serveTool({ name: 'takes', inputSchema }, ({ x }) => ((calls += 1), x))
    const { url } = await node.serveMcp()
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const post = (body) => fetch(url, { method: 'POST', headers, body })
    const info = '"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}'
    const session = await post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{${info}}}`)
    await session.text()
    headers['mcp-protocol-version'] = '2025-11-25'
    const id = session.headers.get('mcp-session-id')
    if (id) headers['mcp-session-id'] = id
    await (await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).text()
    const call = (x) => post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"takes","arguments":{"x":${x}}}}`)
    assert.match(await (await call('1e400')).text(), /the arguments are refused: a number is beyond what JavaScript holds/)
    assert.equal(calls, 0)
    assert.match(await (await call('1e300')).text(), /"text":"1e\+?300"/i)
  } finally {
    node.close()
  }
})

test('contracts and what other nodes serve are tools for MCP clients', async () => {
  const key = randomBytes(32)
  const host = await Node.start({ key, name: 'host', sources: [example('token.json')] })
  const front = await Node.start({ key, name: 'front', connect: host.listensAt, sources: ['mesh:'] })
  try {
    for (const node of [host, front]) {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new StreamableHTTPClientTransport(new URL((await node.serveMcp()).url)))
      const decimals = await client.callTool({ name: 'decimals', arguments: {} })
      assert.equal(decimals.structuredContent.result, 18)
      await client.close()
    }
  } finally {
    front.close()
    host.close()
  }
})

test('an application of a Calimero node is a source', async () => {
  const node = await Node.start({ sources: [`calimero:${process.env.TOOLMESH_CALIMERO_NODE}`] })
  try {
    const key = randomBytes(8).toString('hex')
    await node.callTool('kv_store_set', { key, value: 'v', _context: 'room' })
    assert.deepEqual(await node.callTool('kv_store_get', { key, _context: 'room' }), { result: 'v' })
  } finally {
    node.close()
  }
})

test('an address that is taken is named', async () => {
  const node = await Node.start()
  try {
    const { host } = new URL((await node.serveMcp()).url)
    await assert.rejects(node.serveMcp(host), (error) => error instanceof SystemFault && error.message.includes(host))
  } finally {
    node.close()
  }
})

const runs = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (error.code === 'ESRCH') return false
    throw error
  }
}

test('the program of a source ends with its node, and not when nobody keeps it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolmesh-'))
  try {
    const [told, script] = [join(folder, 'pid'), join(folder, 'source.mjs')]
    const lines = [
      "import { writeFileSync } from 'node:fs'",
      `writeFileSync(${JSON.stringify(told)}, String(process.pid))`,
      "process.argv[2] = 'stdio'",
      `await import(${JSON.stringify(pathToFileURL(server))})`
    ]
    writeFileSync(script, lines.join('\n'))
    const node = await Node.start({ sources: [`mcp:${process.execPath} ${script}`] })
    assert.deepEqual(await node.callTool('add', { a: 2, b: 40 }), { sum: 42 })
    const program = Number(readFileSync(told, 'utf8'))
    assert.ok(runs(program))
    node.close()
    const until = Date.now() + PATIENCE_MS
    while (runs(program)) {
      assert.ok(Date.now() < until, 'the program of the source goes on')
      await setTimeout(10)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
