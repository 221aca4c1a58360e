// A whole MCP server: `node server.mjs` over HTTP, `node server.mjs stdio` on standard input and output.
import { Node } from 'toolmesh'

const node = await Node.start()
const number = { type: 'number' }
const inputSchema = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] }
node.serveTool({ name: 'add', description: 'Adds two numbers.', inputSchema }, ({ a, b }) => ({ sum: a + b }))
if (process.argv[2] === 'stdio') await node.serveMcpStdio()
else {
  console.log((await node.serveMcp()).url)
  await node.untilClosed()
}
