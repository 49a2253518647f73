import { abortable } from '../async.js'
import type { Message } from '../types/message.js'
import type { Instructions, RunContext } from './run-context.js'

/** Returns the system prompt of one request; a promise when a function of the user writes it. */
export function writeInstructions(
  given: Instructions<unknown> | undefined,
  context: unknown,
  signal: AbortSignal,
): string | undefined | Promise<string> {
  return typeof given === 'function' ? abortable(signal, given(context)) : given
}

/** Puts the system message before the history; without any text there is none. */
export function withInstructions(
  run: RunContext,
  texts: readonly (string | undefined)[],
  history: readonly Message[],
): readonly Message[] {
  const content = texts.filter(Boolean).join('\n\n')
  if (!content) return history
  // The same object while the text is the same: it is serialized once.
  if (run.system?.content !== content) run.system = { role: 'system', content }
  return [run.system, ...history]
}
