import type { ToolCall } from '../words/message.js'

const known = new WeakMap<readonly ToolCall[], readonly ArgumentsValue[]>()

export type ArgumentsValue = Readonly<Record<string, unknown>>

/** Notes what the arguments of an answer's calls come to, once their text was looked through. */
export function noteArguments(calls: readonly ToolCall[], values: readonly ArgumentsValue[]): void {
  known.set(calls, values)
}

/** These, in call order, to be looked at and not changed; undefined for calls from elsewhere, such as a stored state. */
export function knownArguments(calls: readonly ToolCall[]): readonly ArgumentsValue[] | undefined {
  return known.get(calls)
}
