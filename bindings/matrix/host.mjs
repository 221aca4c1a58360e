// The host of the matrix of languages, in JavaScript. What every host does is in `README.md`.
import { Node, ToolError } from 'toolmesh'

const node = await Node.start({ name: 'host', key: Buffer.from(process.argv[2], 'hex') })
let began = 0
const cancelled = []

node.serveTool({ name: 'same' }, (args) => args)
node.serveTool({ name: 'refuses' }, () => {
  throw new ToolError('no such city')
})
node.serveTool({ name: 'large', inputSchema: { type: 'object', $comment: 'x'.repeat(100_000) } }, () => null)
node.serveToolStreaming({ name: 'steps' }, async function* () {
  yield { type: 'progress', pct: 50, message: 'half' }
  yield { type: 'delta', data: { n: 1 } }
  yield { type: 'delta', data: { n: 2 } }
  yield { type: 'result', data: { done: true } }
})
node.serveToolStreaming({ name: 'sends' }, function* ({ event }) {
  yield event
  yield { type: 'result', data: null }
})
node.serveTool({ name: 'waits' }, (_, { signal }) => {
  began += 1
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      cancelled.push(Date.now() * 1000)
      resolve(null)
    })
  })
})
node.serveTool({ name: 'seen' }, () => ({ began, cancelled }))

console.log(node.listensAt[0])
for await (const _ of process.stdin); // It is over when nobody holds the other end any more.
node.close()
