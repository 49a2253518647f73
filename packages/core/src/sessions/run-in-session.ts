import { CapstanError, isCapstanError, withState } from '../errors.js'
import { isState, type RunInput } from '../run/start.js'
import { callsOf, type Message } from '../types/message.js'
import type { RunState } from '../types/state.js'
import type { SessionRef } from './session.js'

/**
 * Runs with a session's messages in front, and adds what is new to the session when the run ends, however it ends.
 * Calls that wait are not added before they are answered: going on with the state adds them.
 * @throws CapstanError `conflict` when something else was added meanwhile; nothing was stored, `state` has it all
 */
export async function inSession<Result extends { readonly state: RunState }>(
  ref: SessionRef | undefined,
  input: RunInput,
  run: (input: RunInput) => Promise<Result>,
): Promise<Result> {
  if (!ref) return run(input)
  const { messages, version } = await ref.store.load(ref.id)
  const whole = isState(input) ? checked(input, ref, messages) : [...messages, ...toMessages(input)]
  try {
    const result = await run(whole)
    await keep(result.state, ref, version)
    return result
  } catch (error) {
    // What was said before a failure is said; the failure is what the caller must hear of.
    if (isCapstanError(error) && error.state && error.code !== 'conflict')
      await keep(error.state, ref, version).catch(() => {})
    throw error
  }
}

function toMessages(input: string | readonly Message[]): readonly Message[] {
  if (typeof input !== 'string') return input
  if (input.trim() === '')
    throw new CapstanError('invalid_request', 'The input is empty. Pass a text or messages.')
  return [{ role: 'user', content: input }]
}

/** A state goes on with the session it was made in, as that is now. */
function checked(state: RunState, { id }: SessionRef, messages: readonly Message[]): RunState {
  const version = messages.length
  const known = closed(state.messages ?? []).slice(0, version)
  if (JSON.stringify(known) === JSON.stringify(messages)) return state
  const message = `The session "${id}" holds messages that the state does not begin with: something else was added meanwhile, or the state is of another conversation.`
  throw withState(new CapstanError('conflict', message, { evidence: { id, version } }), state)
}

async function keep(state: RunState, { store, id }: SessionRef, version: number): Promise<void> {
  const more = closed(state.messages).slice(version)
  if (more.length === 0) return
  try {
    await store.append(id, more, version)
  } catch (error) {
    throw withState(error, state)
  }
}

/** The messages up to the calls that are open, if any are. */
function closed(messages: readonly Message[]): readonly Message[] {
  return callsOf(messages.at(-1)).length > 0 ? messages.slice(0, -1) : messages
}
