// Compiled only: what programs write has the types that they expect.
import { Node, ToolFailed, Toolset, isTerminalEvent, openai, type Context, type ToolEvent } from 'toolmesh'

export async function program(key: Uint8Array, signal: AbortSignal): Promise<bigint> {
  const node = await Node.start({ key, tags: ['region.eu'], sources: ['token.json'] })
  const served = node.serveTool({ name: 'add', inputSchema: { type: 'object' } }, (args: { a: number }, context: Context) => {
    context.signal.throwIfAborted()
    return args.a + 1
  })
  node.serveToolStreaming({ name: 'count' }, async function* (): AsyncGenerator<ToolEvent> {
    yield { type: 'delta', data: 1 }
    yield { type: 'result', data: null }
  })
  node.serveToolStreaming({ name: 'later' }, async () => [{ type: 'result', data: null }])
  using disposed = node.serveTool({ name: 'disposed' }, () => null)
  // @ts-expect-error: an event has one of five types
  node.serveToolStreaming({ name: 'wrong' }, async function* () { yield { type: 'other' } })
  // @ts-expect-error: an option that there is not
  await node.callTool('add', {}, { deadline: 1 })
  try {
    await node.callTool('add', { a: 1 }, { deadlineMs: 1000, signal, version: '^1' })
  } catch (error) {
    if (error instanceof ToolFailed) console.log(error.kind, error.status)
  }
  for await (const event of node.callToolStreaming('count')) {
    if (isTerminalEvent(event)) break
  }
  for await (const change of node.watchTools({ matcher: { kind: 'prefix', value: 'region.' }, background: true, signal })) {
    if (change.type === 'node_count_changed') console.log(change.prevNodeCount)
    break
  }
  console.log(openai.toOpenaiTool(served.descriptor), new Toolset('gemini', node.listTools()).warnings)
  served.close()
  disposed.close()
  // @ts-expect-error: a signal is not a number of milliseconds
  node.watchTools({ signal: 1 })
  await node.untilClosed()
  return node.id
}
