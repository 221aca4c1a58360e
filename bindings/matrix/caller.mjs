// The caller of the matrix of languages, in JavaScript. What every caller does is in `README.md`.
import { readFileSync } from 'node:fs'
import { Node } from 'toolmesh'

const TOOLS = 7
const [key, place, vectors] = process.argv.slice(2)
const { cases } = JSON.parse(readFileSync(vectors, 'utf8'))
const node = await Node.start({ name: 'caller', key: Buffer.from(key, 'hex'), connect: [place] })
const changes = node.watchTools()
while (node.listTools().length < TOOLS) await changes.next()

const failure = (call) =>
  call.then(
    () => Promise.reject(new Error('the call has a result')),
    (error) => error
  )

async function events(tool, args) {
  const told = []
  for await (const event of await node.callToolStreaming(tool, args)) told.push(event)
  return told
}

/** What the host has seen of `waits`, as soon as it has seen so many cancellations and beginnings. */
async function seen(began, cancelled) {
  for (;;) {
    const told = await node.callTool('seen')
    if (told.began >= began && told.cancelled.length >= cancelled) return told.cancelled
  }
}

/** A call that is given up once its handler runs: how it ended, and after how many microseconds its handler saw it. */
async function giveUp() {
  const controller = new AbortController()
  const failed = failure(node.callTool('waits', {}, { signal: controller.signal }))
  await seen(1, 0)
  const gaveUp = Date.now() * 1000
  controller.abort()
  const { kind } = await failed
  const [time] = await seen(1, 1)
  return { kind, seen_after_us: Math.max(0, time - gaveUp) }
}

/** A call with a deadline: how it ended, once its handler has seen that. */
async function deadline() {
  const { kind } = await failure(node.callTool('waits', {}, { deadlineMs: 200 }))
  await seen(2, 2)
  return kind
}

const refused = await failure(node.callTool('refuses'))
const report = {
  unary: await node.callTool('same', { n: 2n ** 64n, text: 'é' }),
  stream: await events('steps'),
  schema_chars: JSON.parse((await node.describeTool('large')).inputSchema).$comment.length,
  error: { kind: refused.kind, message: refused.message },
  cancelled: await giveUp(),
  deadline: await deadline(),
  events: []
}
for (const { wire } of cases) report.events.push(await events('sends', { event: wire }))
// JSON.stringify knows no BigInt; the only one here is this.
const unary = { ...report.unary, n: `${report.unary.n}` }
console.log(JSON.stringify({ ...report, unary }).replace('"18446744073709551616"', '18446744073709551616'))
node.close()
