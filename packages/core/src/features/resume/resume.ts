import { CapstanError, codeOf, messageOf } from '../../errors.js'
import { eachOf, withoutUndefined } from '../../json.js'
import { limitKinds, toLimits } from '../../limits.js'
import type { Feature, ResumeRequest } from '../../run/feature.js'
import { checkMessages, closeOpenCalls, toFixed } from '../../run/input.js'
import { findViolation } from '../../tools/validate.js'
import { callsOf, type Message } from '../../types/message.js'
import {
  type Decisions,
  type Flags,
  isOfCall,
  type Limits,
  type RunState,
  type StopReason,
} from '../../types/state.js'
import { checkDecisions, checkPending, decide } from './decisions.js'

/** Lets a run start from a stored state, with decisions on its pending calls. */
export function resume(): Feature {
  return {
    name: 'resume',
    runOptions: { decisions: 'an object', allowChangedTools: 'true or false' },
    decide,
    readState(given, request) {
      const { decisions = {} } = request.options as ResumeOptions
      const resumed = continued(readState(given, decisions), request)
      return Object.keys(decisions).length > 0 ? { ...resumed, decisions } : resumed
    },
    checkDecisions,
  }
}

type ResumeOptions = {
  /** Decisions on the state's pending calls. Decisions inside the state are ignored. */
  readonly decisions?: Decisions
  /** Whether the agent's tools may have changed since the state was stored. Default false. */
  readonly allowChangedTools?: boolean
}

/**
 * Returns the state that a resumed run continues from.
 * @throws CapstanError `invalid_state` for a state that is done, or would stop again immediately; `conflict` if the
 * agent's tools have changed
 */
function continued(
  given: RunState,
  { runId = given.runId, limits: more, options, onResume, definitionHash }: ResumeRequest,
): RunState {
  const { allowChangedTools } = options as ResumeOptions
  const limits = toLimits(given.limits, more)
  const { stopReason, limit, children, reply, decisions: _, begunBy = given.runId, ...state } = given
  checkEnd(given, limits)
  if (!allowChangedTools && state.definitionHash !== definitionHash) {
    const message =
      "The agent's tools have changed since the run started. If its open calls are valid, pass { allowChangedTools: true }."
    const evidence = { before: state.definitionHash, now: definitionHash }
    throw new CapstanError('conflict', message, { evidence })
  }
  const messages = withLastWord(closeOpenCalls(state.messages))
  // A message that was added after open calls has closed them, so their results no longer belong to a step.
  const open = new Set(callsOf(messages.at(-1)).map(({ id }) => id))
  const ofStep = withoutUndefined({ begunBy: begunBy === runId ? undefined : begunBy, reply, children })
  const next: RunState = {
    ...state,
    runId,
    limits,
    definitionHash,
    messages,
    results: open.size > 0 ? { ...state.results } : {},
    pending: state.pending.filter(({ callId }) => isOfCall(callId, open)),
    ...(open.size > 0 && ofStep),
    flags: withoutEnd(state.flags, stopReason),
    kept: { ...state.kept },
  }
  return onResume(next, given)
}

function checkEnd({ stopReason, limit, limits: before }: RunState, limits: Limits): void {
  if (stopReason === 'done') {
    const message = 'This run is done. To continue, run [...state.messages, { role: "user", content }].'
    throw new CapstanError('invalid_state', message, { evidence: { stopReason } })
  }
  // The ledger's account may have budget again.
  if (stopReason !== 'limit' || limit === undefined || limit === 'ledger') return
  if (isWider(limits[limit], before[limit])) return
  const message = `This run stopped at limits.${limit} (${JSON.stringify(before[limit])}). Raise it: agent.run(state, { limits: { ${limit}: ... } }).`
  throw new CapstanError('invalid_state', message, { evidence: { stopReason, limit } })
}

/** Whether a limit has been raised. Limits per tool count as raised if they differ. */
function isWider(now: Limits[keyof Limits], before: Limits[keyof Limits]): boolean {
  if (typeof now !== 'number' || typeof before !== 'number')
    return JSON.stringify(now) !== JSON.stringify(before)
  return now > before
}

/** Removes the flags that stopped the run, because the run would otherwise stop again immediately. */
function withoutEnd(flags: Flags, stopReason: StopReason | undefined): Flags {
  if (stopReason === undefined) return { ...flags }
  const { wouldExceed: _limit, finalAsked: _asked, emptyReply: _empty, ...kept } = flags
  if (stopReason === 'stuck') delete kept.rejections
  return kept
}

/** Adds a user message after a final reply, because servers reject a conversation that ends with a reply. */
function withLastWord(messages: Message[]): Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || callsOf(last).length > 0) return messages
  return [...messages, toFixed({ role: 'user', content: 'Continue.' })]
}

/**
 * Validates a run state that comes from outside: the `state` of a result or an error, a checkpoint, or a state that was
 * parsed from JSON.
 * @throws CapstanError `invalid_state` if a part is invalid or contradicts another part, or if a different version
 * wrote the state; `conflict` if a decision was made for a different call
 */
export function readState(given: unknown, decisions: Decisions = {}): RunState {
  const { schema } = Object(given) as Partial<RunState>
  if (schema !== 1) {
    const message =
      typeof schema === 'number'
        ? `This run state has schema ${schema}, not 1. Use the version that wrote it.`
        : notAState(given)
    throw new CapstanError('invalid_state', message, { evidence: { schema } })
  }
  try {
    checkFields({ ...(given as RunState), messages: undefined })
    checkConversations(given as RunState)
    checkPending(given as RunState, (callId) => Object.hasOwn(decisions, callId))
  } catch (error) {
    if (codeOf(error) === 'conflict') throw error
    const why = messageOf(error)
    throw new CapstanError('invalid_state', `Cannot resume this run state: ${why}`, { evidence: { why } })
  }
  return given as RunState
}

function notAState(given: unknown): string {
  const { schema, state, messages, prompt } = Object(given)
  const isInput = !state && schema === undefined && (messages ?? prompt)
  const use = isInput ? 'Pass a string or an array of messages.' : 'Pass `state` of a result or an error.'
  return `Not a run state. ${use}`
}

/** Checks the messages of a state and of its child runs. */
function checkConversations({ messages, children = {} }: RunState): void {
  checkMessages(messages)
  for (const { state } of Object.values(children)) checkConversations(state)
}

/**
 * Checks all fields of a state except its messages.
 * @throws Error that names the first invalid field; TypeError or RangeError for a value that is not JSON or is nested
 * too deeply
 */
function checkFields(state: object): void {
  // Checks the state as JSON stores it, without undefined fields.
  const found = findViolation(JSON.parse(JSON.stringify(state)), stateSchema)
  if (found) throw new Error(`${found.path.join('/') || 'it'}: ${found.message}`)
}

const whole = { type: 'integer', minimum: 0 }
const amount = { type: 'number', minimum: 0 }
const text = { type: 'string' }
const objects = { type: 'array', items: { type: 'object' } }
const counts = { type: 'object', additionalProperties: whole }
const artifacts = { type: 'array', items: toObject(eachOf('id kind mediaType', {})) }
const limit = { enum: [...Object.keys(limitKinds), 'ledger'] }

/** The schema of `ResultStatus`. */
export const callStatus = { enum: ['ok', 'error', 'rejected', 'denied', 'cut_off', 'not_run'] }

/** The JSON Schema of run states with `schema: 1`, without their messages. */
export const stateSchema = toObject(
  {
    schema: { const: 1 },
    runId: { ...text, minLength: 1 },
    ...eachOf('agent definitionHash', text),
    stepCount: whole,
    results: {
      type: 'object',
      propertyNames: { pattern: '^(0|[1-9][0-9]*)$' },
      additionalProperties: toObject(
        { status: callStatus, content: text, ms: amount },
        { artifacts, spent: objects, errorId: text, limit },
      ),
    },
    pending: {
      type: 'array',
      items: toObject(
        { callId: text, name: text, kind: { enum: ['approval', 'result', 'input'] } },
        eachOf('agent reason message url', text),
      ),
    },
    usage: toObject(
      {
        ...eachOf('requests unreported toolCalls', whole),
        ...eachOf('inputTokens outputTokens totalTokens', amount),
        perTool: counts,
      },
      {
        ...eachOf('repairs artifacts artifactBytes', whole),
        ...eachOf('cachedInputTokens cacheWriteTokens reasoningTokens estimatedTokens cacheable', amount),
        ...eachOf('images audioSeconds characters seconds', amount),
        cost: { anyOf: [amount, { const: 'unknown' }] },
      },
    ),
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(limitKinds).map(([name, kind]) => [name, { whole, amount, perTool: counts }[kind]]),
      ),
    },
    flags: toObject(
      {},
      {
        ...eachOf('toolForced incomplete finalAsked emptyReply', { type: 'boolean' }),
        finalReplies: whole,
        failure: text,
        wouldExceed: limit,
        lastRequest: toObject(eachOf('tokens cost', amount)),
        rejections: counts,
      },
    ),
    kept: { type: 'object' },
  },
  {
    artifacts,
    taintedBy: text,
    ...eachOf('approved warnings', { type: 'array', items: text }),
    ...eachOf('extra decisions', { type: 'object' }),
    reply: toObject({ requests: objects }, { spent: objects }),
    children: {
      type: 'object',
      additionalProperties: toObject({ state: { $ref: '#' }, round: whole }),
    },
    stopReason: {
      enum: 'done pending limit stuck condition length refusal content_filter aborted'.split(' '),
    },
    limit,
  },
)

/** Returns the schema of an object with these required and optional fields. */
function toObject<Required extends object, Optional extends object>(
  required: Required,
  optional: Optional = {} as Optional,
) {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } }
}
