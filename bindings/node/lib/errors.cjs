'use strict'
// How things fail: one class a kind, all of them ToolmeshError.

class ToolmeshError extends Error {
  constructor(message, kind = 'unknown', status = undefined) {
    super(message)
    this.name = new.target.name
    this.kind = kind
    this.status = status
  }
}

class NoRoute extends ToolmeshError {}
class DeadlineExceeded extends ToolmeshError {}
class CallCancelled extends ToolmeshError {}
class CapabilityDenied extends ToolmeshError {}
class InvalidArguments extends ToolmeshError {}
class ToolFailed extends ToolmeshError {}
class ServerError extends ToolmeshError {}
class TransportError extends ToolmeshError {}
class InvalidJson extends ToolmeshError {}
class InvalidInput extends ToolmeshError {}
class AlreadyServing extends ToolmeshError {}
class ConfigurationError extends ToolmeshError {}
class Closed extends ToolmeshError {}
class SystemFault extends ToolmeshError {}

const KINDS = {
  no_route: NoRoute,
  timeout: DeadlineExceeded,
  cancelled: CallCancelled,
  denied: CapabilityDenied,
  invalid_arguments: InvalidArguments,
  tool_failed: ToolFailed,
  server: ServerError,
  transport: TransportError,
  json: InvalidJson,
  invalid: InvalidInput,
  already_serving: AlreadyServing,
  configuration: ConfigurationError,
  closed: Closed,
  system: SystemFault
}

/** Thrown by a handler: its text reaches the caller as it is. The text of any other error does not leave the process. */
class ToolError extends Error {
  constructor(message, code = undefined) {
    super(message)
    this.name = 'ToolError'
    this.code = code
  }
}

/** A model's reply holds no tool call of this provider's form. */
class ToolCallParseError extends Error {
  constructor(message) {
    super(message)
    this.name = 'ToolCallParseError'
  }
}

/** The error that a fault's JSON text tells. */
function faultOf(text) {
  const { kind, message, status } = JSON.parse(text)
  return new (KINDS[kind] ?? ToolmeshError)(message, kind, status)
}

/** Runs what throws faults as texts. */
function raising(work) {
  try {
    return work()
  } catch (error) {
    if (error.code === 'GenericFailure') throw faultOf(error.message)
    throw error
  }
}

module.exports = {
  ToolmeshError,
  ...Object.fromEntries(Object.values(KINDS).map((kind) => [kind.name, kind])),
  ToolError,
  ToolCallParseError,
  faultOf,
  raising
}
