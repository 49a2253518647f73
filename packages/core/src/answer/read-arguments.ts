import type { ToolCall } from '../words/message.js'
import { type ParsedArguments, parseArguments } from './parse-arguments.js'

const known = new WeakMap<ToolCall, Record<string, unknown>>()

/** Notes what the text of a call's arguments comes to, once it was looked through. */
export function noteArguments(call: ToolCall, value: Record<string, unknown>): void {
  known.set(call, value)
}

/** What a call's arguments are, to be kept: nobody may change them. */
export function readArguments(call: ToolCall): ParsedArguments {
  const value = known.get(call)
  return value ? { ok: true, value, text: call.function.arguments, repairs: [] } : parse(call)
}

/** The same, for a function that may do with them what it likes. */
export function readArgumentsAnew(call: ToolCall): ParsedArguments {
  const { arguments: text } = call.function
  return known.has(call) ? { ok: true, value: JSON.parse(text), text, repairs: [] } : parse(call)
}

function parse({ function: called }: ToolCall): ParsedArguments {
  return parseArguments(called.arguments)
}
