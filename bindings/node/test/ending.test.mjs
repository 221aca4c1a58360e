// Programs end when their work is done, whatever they left open, and leave nothing behind.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { Node } from 'toolmesh'
import { key, withNodes } from './support.mjs'

// Long enough for a busy machine; a program that is not over by then hangs.
const PATIENCE_MS = 30_000

const PRELUDE = `
  import { Node } from 'toolmesh'
  const key = Buffer.alloc(32, 9)
  const host = await Node.start({ key, engine: process.env.ENGINE, name: 'host' })
  const agent = await Node.start({ key, engine: process.env.ENGINE, name: 'agent', connect: host.listensAt })
  host.serveTool({ name: 'same' }, (args) => args)
  host.serveTool({ name: 'waits' }, () => new Promise(() => {}))
  host.serveToolStreaming({ name: 'endless' }, async function* () {
    for (let n = 0; ; n += 1) yield { type: 'delta', data: n }
  })
  let context
  host.serveTool({ name: 'keeps' }, (_, given) => ((context = given), null))
  const changes = agent.watchTools()
  while (agent.listTools().length < 4) await changes.next()
  await changes.return()
`

/** Runs a program beside the installed package; what it printed and how it ended. */
function program(text, { engine = 'memory', onLine = () => {} } = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', text], {
    env: { ...process.env, ENGINE: engine },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const told = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    told.out += text
    if (text.includes('\n')) onLine(child, text.trim())
  })
  child.stderr.setEncoding('utf8').on('data', (text) => (told.err += text))
  const hangs = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  const ended = once(child, 'close').then(([code, signal]) => {
    clearTimeout(hangs)
    return { code, signal, ...told }
  })
  return { child, ended }
}

const left = {
  'closed everything': `
    console.log(await agent.callTool('same', { n: 1 }))
    agent.close()
    host.close()`,
  'left a tool served': `await agent.callTool('same', {})`,
  'left a watch open': `
    const watch = agent.watchTools()
    const served = host.serveTool({ name: 'more' }, () => null)
    await watch.next()`,
  'left a watch waiting in the background': `agent.watchTools({ background: true }).next().then(() => console.log('never'))`,
  'left a stream half read': `await (await agent.callToolStreaming('endless')).next()`,
  'left a stream that nobody read': `await agent.callToolStreaming('endless')`,
  'gave up a call': `await agent.callTool('waits', {}, { signal: AbortSignal.timeout(50) }).catch((error) => console.log(error.name))`,
  'left an MCP server open': `await agent.serveMcp()`,
  'closed with a call under way': `
    const call = agent.callTool('waits', {})
    setTimeout(() => (agent.close(), host.close()), 50)
    await call.catch((error) => console.log(error.name))`,
  'said something when its call was over': `
    await agent.callTool('keeps')
    for (const say of [() => context.delta(1), () => context.progress(1)]) {
      await say().then(() => process.exit(1), (error) => error.name === 'Closed' || process.exit(1))
    }`,
  'waited until it was closed': `
    setTimeout(() => host.close(), 50)
    await host.untilClosed()
    await host.untilClosed()`
}

for (const engine of ['memory', 'zenoh']) {
  for (const [what, text] of Object.entries(left)) {
    test(`a program ends by itself that ${what} (${engine})`, async () => {
      const { code, signal, err } = await program(PRELUDE + text, { engine }).ended
      assert.deepEqual({ code, signal, err }, { code: 0, signal: null, err: '' })
    })
  }

  test(`programs that end in the middle of their calls all end by themselves (${engine})`, async () => {
    // Each gives back its functions while it ends, at another moment.
    const runs = Array.from({ length: 16 }, (_, at) => at)
    const ends = async () => {
      while (runs.pop() !== undefined) {
        const { code, signal, err } = await program(PRELUDE + left['left a stream that nobody read'], { engine }).ended
        assert.deepEqual({ code, signal, err }, { code: 0, signal: null, err: '' })
      }
    }
    await Promise.all(Array.from({ length: 8 }, ends))
  })

  test(`an error that nobody catches ends its program (${engine})`, async () => {
    const { code, err } = await program(`${PRELUDE} throw new Error('it is broken')`, { engine }).ended
    assert.equal(code, 1)
    assert.match(err, /it is broken/)
  })

  test(`process.exit ends a program in the middle of its calls (${engine})`, async () => {
    const text = `
      for (let n = 0; n < 20; n += 1) agent.callTool('waits', {})
      const events = await agent.callToolStreaming('endless')
      await events.next()
      events.next()
      process.exit(3)`
    const { code, err } = await program(PRELUDE + text, { engine }).ended
    assert.deepEqual({ code, err }, { code: 3, err: '' })
  })
}

test('a caller that gives up leaves the program of the handler running, whatever the handler says without waiting', async () => {
  const text = `${PRELUDE}
    const over = new Promise((resolve) => {
      let late = 0
      host.serveTool({ name: 'ticks' }, (_, context) => {
        const ticking = setInterval(() => {
          context.progress(1)
          context.delta({})
          if (!context.cancelled || (late += 1) < 3) return
          clearInterval(ticking)
          setTimeout(resolve)
        })
        return new Promise(() => {})
      })
    })
    await agent.callTool('ticks', {}, { deadlineMs: 50 }).catch((error) => console.log(error.name))
    await over
    agent.close()
    host.close()
    console.log('alive')`
  const { code, out, err } = await program(text).ended
  assert.deepEqual({ code, out, err }, { code: 0, out: 'DeadlineExceeded\nalive\n', err: '' })
})

test('a result that is refused is told in the log of its host, by its places', async () => {
  const text = `
    import { Node } from 'toolmesh'
    const node = await Node.start()
    const outputSchema = { type: 'object', properties: { id: { type: 'string' } } }
    node.serveTool({ name: 'pay', outputSchema }, () => ({ id: 12345 }))
    await node.callTool('pay').catch((error) => console.log(error.name))`
  const { code, out, err } = await program(text).ended
  assert.deepEqual({ code, out }, { code: 0, out: 'ServerError\n' })
  assert.match(err, /WARN.*pay.*\/id: expected a string.*#\/properties\/id\/type/)
  assert.ok(!err.includes('12345'), err)
})

test('a worker ends with its nodes, and its program goes on', async () => {
  const worker = `
    const { Node } = require('toolmesh')
    Node.start({ engine: 'memory' }).then(async (node) => {
      node.serveTool({ name: 'same' }, (args) => args)
      await node.callTool('same', {})
    })`
  const text = `
    import { once } from 'node:events'
    import { Worker } from 'node:worker_threads'
    for (let n = 0; n < 3; n += 1) {
      const [code] = await once(new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] }), 'exit')
      console.log(code)
    }`
  const { code, out, err } = await program(text).ended
  assert.deepEqual({ code, out, err }, { code: 0, out: '0\n0\n0\n', err: '' })
})

test('Ctrl-C ends a call that is waited for, and leaves no process', async () => {
  const interrupt = (child) => child.kill('SIGINT')
  const text = `${PRELUDE} setTimeout(() => console.log('calling')); await agent.callTool('waits', {})`
  const { signal } = await program(text, { onLine: interrupt }).ended
  assert.equal(signal, 'SIGINT')
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  test(`${signal} closes a node that serves, and its tools are gone for others`, async () => {
    const agent = await Node.start({ key, name: 'agent' })
    try {
      const changes = agent.watchTools()
      const added = changes.next()
      const text = `
        import { Node } from 'toolmesh'
        const node = await Node.start({ key: Buffer.from('${key.toString('hex')}', 'hex'), connect: ${JSON.stringify(agent.listensAt)} })
        node.serveTool({ name: 'hello' }, () => 1)
        await node.untilClosed()
        console.log('closed')`
      const { child, ended } = program(text)
      assert.equal((await added).value.type, 'added')
      assert.equal(await agent.callTool('hello'), 1)
      const removed = changes.next()
      child.kill(signal)
      assert.equal((await removed).value.type, 'removed')
      const { code, out } = await ended
      assert.deepEqual({ code, out }, { code: 0, out: 'closed\n' })
    } finally {
      agent.close()
    }
  })
}

test('a node that is closed is waited for no more', () =>
  withNodes(async (host) => {
    host.close()
    await host.untilClosed()
  }))
