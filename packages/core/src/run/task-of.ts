import type { RunState } from '../words/state.js'
import { isRequest } from './shown.js'

/** The place of the words that a run began with: the last of the user before its first answer; -1 where none are. */
export function taskOf({ messages, turn }: RunState): number {
  const answers = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const first = turn === 0 ? messages.length : (answers.at(-turn) ?? answers[0] ?? messages.length)
  return messages.slice(0, first).findLastIndex(isRequest)
}
