import type { ModelSink, StepReply, ToolCall } from '@capstan/core'
import { callName } from './catalog.js'

/** Replaces each call to `call_tool` in a reply with a call to the tool that it names. Other calls stay unchanged. */
export function unwrapCalls(reply: StepReply): StepReply {
  const { message } = reply
  const { tool_calls: calls } = message
  if (!calls?.some(isWrapped)) return reply
  return {
    ...reply,
    message: { ...message, tool_calls: calls.map((call) => (isWrapped(call) ? unwrap(call) : call)) },
  }
}

/**
 * Returns a sink that drops calls to `call_tool`. When the reply is complete, the run reports the real calls instead.
 */
export function withoutWrapped(sink: ModelSink): ModelSink {
  return (delta) => {
    if (delta.type !== 'call' || !isCallName(delta.name)) sink(delta)
  }
}

function isWrapped({ function: { name } }: ToolCall): boolean {
  return isCallName(name)
}

/** Whether a name is `call_tool`. Some models add a namespace prefix. */
function isCallName(name: string): boolean {
  return name === callName || /^\s*(?:functions?|tools?|default_api)?[.:/]?call_tool\s*$/.test(name)
}

function unwrap(call: ToolCall): ToolCall {
  const { name, arguments: own, ...rest } = read(call.function.arguments)
  if (typeof name !== 'string' || name.trim() === '') return call
  // Arguments next to the name would be lost, so this call is rejected. The error says where they belong.
  if (own === undefined && Object.keys(rest).length > 0) return call
  const given = own ?? {}
  const text = typeof given === 'string' ? given : written(given)
  return text === undefined ? call : { ...call, function: { ...call.function, name, arguments: text } }
}

function read(text: string): { readonly name?: unknown; readonly arguments?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    // The call will be rejected, with an error that describes the problem.
    return {}
  }
}

function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // The arguments are nested too deeply, so the call will be rejected.
    return undefined
  }
}
