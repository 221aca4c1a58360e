// A program as an MCP server, driven by the client of npm's @modelcontextprotocol/sdk.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installed } from './support.mjs'

const { Client } = installed('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = installed('@modelcontextprotocol/sdk/client/stdio.js')
const { StreamableHTTPClientTransport } = installed('@modelcontextprotocol/sdk/client/streamableHttp.js')

const server = fileURLToPath(new URL('../examples/server.mjs', import.meta.url))

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
