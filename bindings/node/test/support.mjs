import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Node } from 'toolmesh'

export const key = Buffer.alloc(32, 7)
// The tests run beside the installed package, apart from the repository.
const root = pathToFileURL(`${process.env.TOOLMESH_REPOSITORY}/`)

/** Runs with two nodes of one mesh. */
export async function withNodes(work) {
  const host = await Node.start({ key, engine: 'memory', name: 'host', tags: ['region.eu'] })
  const agent = await Node.start({ key, engine: 'memory', name: 'agent' })
  // Some tests wait for a handler, which alone does not keep a program running.
  const closed = host.untilClosed()
  try {
    await work(host, agent)
  } finally {
    agent.close()
    host.close()
    await closed
  }
}

export const vectors = (name) => JSON.parse(readFileSync(new URL(`testdata/net/${name}.json`, root), 'utf8'))

export const example = (name) => new URL(`examples/${name}`, root).pathname

export async function all(iterable) {
  const found = []
  for await (const one of iterable) found.push(one)
  return found
}

/** A promise and what settles it. */
export function gate() {
  let open
  const opened = new Promise((resolve) => (open = resolve))
  return { open, opened }
}

/** Packages that only the tests need are installed in a folder of their own. */
export const installed = createRequire(join(process.env.TOOLMESH_NODE_DIR, 'package.json'))
