// One program serves a tool, another finds and calls it.
import { Node } from 'toolmesh'

const key = new Uint8Array(32)
const host = await Node.start({ name: 'host', key })
host.serveTool(
  {
    name: 'web_search',
    description: 'Searches the web.',
    tags: ['web'],
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }
  },
  ({ query }) => [`hit for ${query}`]
)

const agent = await Node.start({ name: 'agent', key })
for (const tool of agent.listTools()) console.log(tool.toolId, '-', tool.description)
console.log(await agent.callTool('web_search', { query: 'mesh' }))

agent.close()
host.close()
