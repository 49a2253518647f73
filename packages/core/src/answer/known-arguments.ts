import type { ToolCall } from '../words/message.js'

export type ArgumentsValue = Readonly<Record<string, unknown>>

interface Known {
  /** As they were looked through. */
  readonly texts: readonly string[]
  readonly values: readonly ArgumentsValue[]
}

const known = new WeakMap<readonly ToolCall[], Known>()

/** Notes what the arguments of an answer's calls come to, once their text was looked through. */
export function noteArguments(calls: readonly ToolCall[], values: readonly ArgumentsValue[]): void {
  known.set(calls, { texts: calls.map((call) => call.function.arguments), values })
}

/** Whether the text of a call was looked through: not that of calls from elsewhere, nor what was put in its place. */
export function isLookedThrough(calls: readonly ToolCall[], index: number): boolean {
  const text = known.get(calls)?.texts[index]
  return text !== undefined && text === calls[index]?.function.arguments
}

/**
 * What was noted, in call order; undefined for calls from elsewhere, such as a stored state, and for changed ones.
 * Given out once: who is shown it may change it, and another run may go on with the same calls.
 */
export function takeArguments(calls: readonly ToolCall[]): readonly ArgumentsValue[] | undefined {
  const found = known.get(calls)
  if (!found) return undefined
  const isWhole = found.texts.length === calls.length && calls.every((_, at) => isLookedThrough(calls, at))
  known.delete(calls)
  return isWhole ? found.values : undefined
}
