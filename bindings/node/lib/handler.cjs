'use strict'
// Running JavaScript handlers.

const { Closed, ToolError } = require('./errors.cjs')
const { parse, stringify } = require('./json.cjs')
const { started } = require('./waiting.cjs')

// What the caller is told of an error that is no ToolError: nothing of this process leaves it.
const FAILED = 'the tool failed'

/** What a handler may know of its call, and say while it runs. */
class Context {
  #call
  #controller
  #watch
  #ended = false
  // Resolved when what was sent last is sent, or refused.
  #sent = Promise.resolve()
  // What the log tells of an event already.
  #logged

  constructor(call) {
    this.#call = call
  }

  /** Aborted when the caller gives up, or the deadline passes. The call is watched from the first look on: most never look. */
  get signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (!this.#ended) this.#watch = this.#call.onCancel(() => this.#controller.abort())
    }
    return this.#controller.signal
  }

  get caller() {
    const { identity, transport, on_behalf_of } = JSON.parse(this.#call.caller)
    return { identity, transport, onBehalfOf: on_behalf_of }
  }

  get deadlineMs() {
    return this.#call.deadlineMs ?? undefined
  }

  get headers() {
    return this.#call.headers
  }

  get idempotencyKey() {
    return this.#call.idempotencyKey
  }

  /** Whether the caller has gone. Whoever sees it here sees it by the signal too, whose own news may still be on its way. */
  get cancelled() {
    const cancelled = this.#call.isCancelled
    if (cancelled) this.#controller?.abort()
    return cancelled
  }

  progress(pct, message = undefined) {
    return this.event({ type: 'progress', pct, message })
  }

  delta(data) {
    return this.event({ type: 'delta', data })
  }

  /** Events go out in the order in which they are given here, awaited or not. */
  event(event) {
    const sent = send(this.#call, event, this.#sent)
    this.#sent = sent.catch((error) => this.#refused(error))
    return sent
  }

  /** Whoever does not await an event does not hear that its call is over; what is wrong with the event itself is for the log. */
  #refused(error) {
    if (error instanceof Closed) return
    this.#logged = error
    console.error('toolmesh: an event of a handler is refused:', error)
  }

  /** Ends when all events so far are sent or refused. */
  sent() {
    return this.#sent
  }

  /** Whether the log tells of an error already. */
  hasLogged(error) {
    return this.#logged !== undefined && error === this.#logged
  }

  /** The call is over: nothing is watched any more, and a signal of a caller who has gone says so from now on. */
  end() {
    this.#ended = true
    void this.cancelled
    this.#watch?.close()
  }
}

async function send(call, event, earlier) {
  let text
  try {
    text = stringify(event) // As it is now, whatever the handler makes of it later.
  } finally {
    await earlier
  }
  await started((told) => call.event(text, told))
}

const isTerminalEvent = (event) => event.type === 'result' || event.type === 'error'

/** What the native half begins each call with. */
function begin(handler, streaming) {
  return (call) => {
    run(call, handler, streaming).catch((error) => console.error('toolmesh:', error))
  }
}

async function run(call, handler, streaming) {
  const context = new Context(call)
  try {
    const outcome = (await handler(argumentsOf(call), context)) ?? null
    if (streaming && isIterable(outcome)) return await stream(outcome, context)
    const result = stringify(outcome)
    await context.sent()
    await started((told) => call.finish(result, told))
  } catch (error) {
    await fail(call, error, context)
  } finally {
    context.end()
    call.release() // A stream that has not ended gets the end that is missing from its host.
  }
}

/** The arguments. What no number of JavaScript holds is the caller's fault, and no handler's. */
function argumentsOf(call) {
  try {
    return parse(call.arguments)
  } catch (error) {
    throw new ToolError(`the arguments are refused: ${error.message}`, 'invalid_arguments')
  }
}

const isIterable = (outcome) =>
  typeof outcome === 'object' && (outcome?.[Symbol.asyncIterator] ?? outcome?.[Symbol.iterator]) !== undefined

/** Sends what the handler yields, to the first terminal event; a handler whose caller has gone is ended at its next yield. */
async function stream(events, context) {
  for await (const event of events) {
    if (context.cancelled) return
    await context.event(event)
    if (isTerminalEvent(event)) return
  }
  await context.sent()
}

async function fail(call, error, context) {
  await context.sent()
  // The caller is gone, or the handler has ended the call itself. What is closed while the call is open is something else.
  if (error instanceof Closed && !call.isOpen) return
  const own = error instanceof ToolError
  if (!own && !context.hasLogged(error)) console.error('toolmesh: the handler of a tool failed:', error)
  try {
    await started((told) => call.fail(own ? error.code : undefined, own ? error.message : FAILED, told))
  } catch (closed) {
    if (!(closed instanceof Closed)) throw closed
  }
}

module.exports = { Context, begin, isTerminalEvent }
