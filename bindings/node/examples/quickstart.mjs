// One program serves a tool, another finds and calls it.
import { Node } from 'toolmesh'

// Two nodes of one process. On two machines, leave `engine` out, give both a certificate and the key of `toolmesh mesh keys`, one
// `listen`, the other `connect`.
const key = new Uint8Array(32)
const host = await Node.start({ name: 'host', key, engine: 'memory' })
host.serveTool(
  {
    name: 'web_search',
    description: 'Searches the web.',
    tags: ['web'],
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }
  },
  ({ query }) => [`hit for ${query}`]
)

const agent = await Node.start({ name: 'agent', key, engine: 'memory' })
for (const tool of agent.listTools()) console.log(tool.toolId, '-', tool.description)
console.log(await agent.callTool('web_search', { query: 'mesh' }))

agent.close()
host.close()
