import { misfit } from '../tool/misfit.js'
import { CapstanError, isCapstanError, messageOf } from '../words/error.js'
import type { Decisions, RunState } from '../words/state.js'
import { checkMessages } from './check-messages.js'
import { checkPending } from './check-pending.js'
import { stateSchema } from './state-schema.js'

/**
 * A run state that came from outside, checked: from a result, an error, a checkpoint, or JSON of one.
 * @throws CapstanError `invalid_state` naming the part that is none or that contradicts another, or the schema of
 * another version; `conflict` for a decision on a call that is not the one shown
 */
export function readState(given: unknown, decisions: Decisions = {}): RunState {
  const { schema, messages, ...rest } = Object(given) as Partial<RunState>
  if (schema !== 1) {
    const known = 'it must be the `state` of a result or an error, or JSON of one'
    const message =
      typeof schema === 'number'
        ? `This run state has schema ${schema}; this version reads schema 1. Go on with it in the version that made it.`
        : `This is no run state that can be gone on with: ${known}.`
    throw new CapstanError('invalid_state', message, { evidence: { schema } })
  }
  try {
    checkFields({ ...rest, schema, messages: [] })
    checkConversations(given as RunState)
    checkPending(given as RunState, (callId) => Object.hasOwn(decisions, callId))
  } catch (error) {
    if (isCapstanError(error) && error.code === 'conflict') throw error
    throw unreadable(messageOf(error))
  }
  return given as RunState
}

/** The state's messages, and those of its child runs. */
function checkConversations({ messages, children = {} }: RunState): void {
  checkMessages(messages)
  for (const { state } of Object.values(children)) checkConversations(state)
}

/** @throws Error with the first place that is wrong; TypeError or RangeError for what is no JSON, or lies too deep */
function checkFields(state: object): void {
  const found = misfit(toPlain(state), stateSchema)
  if (found) throw new Error(`${found.path.join('/') || 'it'}: ${found.message}`)
}

/** As JSON has it: what is undefined is not there. */
function toPlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

function unreadable(why: string): CapstanError {
  const message = `This run state cannot be gone on with: ${why}`
  return new CapstanError('invalid_state', message, { evidence: { why } })
}
