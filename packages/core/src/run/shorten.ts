import { CapstanError } from '../words/error.js'
import type { Emit } from '../words/event.js'
import { callsOf, type Message } from '../words/message.js'
import type { ChatModel } from '../words/model.js'
import { orAborted } from '../words/or-aborted.js'
import type { Asides } from './asides.js'
import { estimateMessages } from './estimate-tokens.js'
import type { Compact, History, Walk } from './walk.js'

/**
 * The history as a request shows it: whole, or as the agent shortens it.
 * @throws CapstanError `invalid_request` when that separates calls from their answers
 */
export async function shortened(
  { state, task }: Walk,
  compact: Compact,
  { model, asides, signal, emit }: Beside,
): Promise<readonly Message[]> {
  const { messages } = state
  const history: History = {
    messages,
    task,
    estimate: estimateMessages,
    model,
    ask: (asked, other = model) => asides.ask(asked, other),
    signal,
  }
  const shown = await orAborted(signal, compact(history))
  if (shown === messages) return messages
  if (!isPaired(shown)) throw unpaired()
  const counts = { before: messages.length, after: shown.length }
  emit?.({ type: 'context-trimmed', step: state.turn, ...counts })
  return shown
}

/** The request that it is shortened for. */
export interface Beside {
  readonly model: ChatModel
  readonly asides: Asides
  readonly signal: AbortSignal
  readonly emit: Emit
}

/** Whether every call is answered, and every answer has its call. */
export function isPaired(messages: readonly Message[]): boolean {
  let open = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return false
      continue
    }
    if (open.size > 0) return false
    open = new Set(callsOf(message).map(({ id }) => id))
  }
  return open.size === 0
}

function unpaired(): CapstanError {
  const message =
    'compact separated a call from its answer: no server takes that. Keep or leave out both, as trimHistory(...) does.'
  return new CapstanError('invalid_request', message)
}
