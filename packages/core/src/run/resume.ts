import { isOfTools, type ToolsIdentity } from '../tool/toolset.js'
import { CapstanError } from '../words/error.js'
import { callsOf, type Message } from '../words/message.js'
import type { Flags, LimitName, Limits, RunState, StopReason } from '../words/state.js'
import { closeOpenCalls, toFixed } from './close-open-calls.js'
import { raised } from './raised.js'

/** How to resume a run. */
export interface Continuation extends ToolsIdentity {
  readonly runId: string
  readonly limits: Limits
  /** Whether the tools may have changed since. Default false. */
  readonly allowChangedTools?: boolean | undefined
}

/**
 * A state as it is gone on with. @throws CapstanError `invalid_state` for one that has ended for good, or would end
 * at once; `conflict` for one of an agent with other tools
 */
export function resume(
  given: RunState,
  { runId, limits, allowChangedTools, ...tools }: Continuation,
): RunState {
  const { stopReason, limit, children, decisions: _, ...state } = given
  checkEnd(given, limits)
  const { definitionHash } = tools
  if (!allowChangedTools && !isOfTools(state.definitionHash, tools)) throw toolsChanged(state, definitionHash)
  const messages = withLastWord(closeOpenCalls(state.messages))
  // A message that was added behind open calls has closed them: what was known of them is of no turn any more.
  const open = callsOf(messages.at(-1)).map(({ id }) => id)
  return {
    ...state,
    runId,
    limits,
    definitionHash,
    messages,
    answered: open.length > 0 ? { ...state.answered } : {},
    pending: state.pending.filter(({ callId }) =>
      open.some((id) => callId === id || callId.startsWith(`${id}/`)),
    ),
    ...(open.length > 0 && children ? { children: raised(given, limits) } : {}),
    flags: withoutEnd(state.flags, stopReason),
  }
}

function checkEnd({ stopReason, limit, limits: before }: RunState, limits: Limits): void {
  if (stopReason === 'done') {
    const message =
      'This run is done. To go on talking, start a run with its messages and a new one: [...state.messages, { role: "user", content }].'
    throw new CapstanError('invalid_state', message, { evidence: { stopReason } })
  }
  if (stopReason !== 'limit' || limit === undefined) return
  if (isWider(limits[limit], before[limit])) return
  const message = `This run ended at its limit (${limit}: ${JSON.stringify(before[limit])}). Go on with a larger one: agent.run(state, { limits: { ${limit}: ... } }).`
  throw new CapstanError('invalid_state', message, { evidence: { stopReason, limit } })
}

/** Of bounds by tool name nobody can say which counts: another set is taken for a wider one. */
function isWider(now: Limits[LimitName], before: Limits[LimitName]): boolean {
  if (typeof now !== 'number' || typeof before !== 'number')
    return JSON.stringify(now) !== JSON.stringify(before)
  return now > before
}

/** What a run was ended by is forgotten when it goes on: else it would end again at once. */
function withoutEnd(flags: Flags, stopReason: StopReason | undefined): Flags {
  if (stopReason === undefined) return { ...flags }
  const { passed: _passed, landed: _landed, silent: _silent, ...kept } = flags
  if (stopReason !== 'stuck') return kept
  const { rejections: _r, recent: _n, repeats: _p, withheld: _w, misshapen: _m, ...fresh } = kept
  return fresh
}

function toolsChanged({ definitionHash }: RunState, now: string): CapstanError {
  const message =
    'The tools of this agent are not those the run was started with: its open calls may mean something else now. Go on with { allowChangedTools: true } if they do not.'
  return new CapstanError('conflict', message, { evidence: { before: definitionHash, now } })
}

/** No server answers a conversation that ends in an answer. */
function withLastWord(messages: Message[]): Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || callsOf(last).length > 0) return messages
  return [...messages, toFixed({ role: 'user', content: 'Continue.' })]
}
