import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Artifact, isArtifact } from '../../artifacts/artifact.js'
import { abortable } from '../../async.js'
import { CapstanError, type ErrorCode, invalidRequest, messageOf } from '../../errors.js'
import { getOwn, isString, type Json, sameValue, withoutUndefined } from '../../json.js'
import type { AppliedDecision, OpenCall, RunView, Tool, Toolset } from '../../run/middleware.js'
import { excerpt, shownArguments } from '../../tools/parse-arguments.js'
import { deniedResult } from '../../tools/rejections.js'
import { renderForModel, renderOutput } from '../../tools/render-result.js'
import { validate } from '../../tools/validate.js'
import type { ToolCall } from '../../types/message.js'
import {
  type CallResult,
  type Decision,
  type Decisions,
  openCalls,
  type PendingCall,
  type RunState,
} from '../../types/state.js'

/**
 * Rejects decisions that cannot be applied, before anything runs.
 * @throws CapstanError `invalid_request` if a decision is invalid or its call is not pending; `invalid_arguments` for
 * edited arguments, a result or an answer that does not match its schema
 */
export async function checkDecisions(
  decisions: Decisions,
  pending: readonly PendingCall[],
  toolsetOf: (call: PendingCall) => Toolset,
): Promise<void> {
  const calls = new Map(pending.map((call) => [call.callId, call]))
  for (const [callId, decision] of Object.entries(decisions)) {
    const call = calls.get(callId)
    if (!call) {
      const ids = pending.map((one) => `"${one.callId}" (${one.name})`)
      const message = `No pending call "${callId}". Pending: ${ids.join(', ') || 'none'}.`
      throw invalidRequest(message, { callId })
    }
    await checkDecision(call, decision, toolsetOf(call))
  }
}

/**
 * Checks the decision on one call. If `runs` is given, also checks that an approved call is the call that would run.
 * @throws CapstanError `conflict` if a different call was approved; otherwise as for `checkDecisions`
 */
export async function checkDecision(
  call: PendingCall,
  decision: Decision,
  toolset: Toolset,
  runs?: { readonly call: ToolCall; readonly agent: string },
): Promise<void> {
  const { callId, name, kind } = call
  const tool = toolset.get(name)
  const given = Object(decision) as Decision
  const wrong = (why: string, code: ErrorCode = 'invalid_request', evidence?: object) =>
    new CapstanError(code, `The decision on "${callId}" (${name}) ${why}`, {
      evidence: { callId, ...evidence },
    })
  let value: unknown
  let schema: StandardSchemaV1 | undefined
  if (given.type === 'approve') {
    if (kind !== 'approval') throw wrong('needs { type: "result", value }.')
    if (runs) checkSame(call, { ...toReading(runs.call), agent: runs.agent }, true)
    value = given.arguments
    schema = given.arguments && tool?.parameters
  } else if (given.type === 'deny') {
    if (!isString(given.reason)) throw wrong('to deny needs a reason for the model.')
  } else if (given.type === 'result') {
    try {
      renderOutput(given.value)
    } catch (error) {
      throw wrong(`has a value that is not JSON: ${messageOf(error)}`)
    }
    value = given.value
    schema = kind === 'input' ? tool?.answerOf?.(call) : tool?.output
  } else throw wrong(`has an unknown type. Use approve, deny or result.`)
  const issues = schema && (await validate(schema, value)).issues
  if (issues) throw wrong(`does not match its schema: ${issues.join('; ')}.`, 'invalid_arguments', { issues })
}

/**
 * Returns the decisions on pending calls, and waits for those that are missing. Checks each decision again, because the
 * call may differ from the call that was shown to the user.
 */
export async function decide(
  calls: readonly OpenCall[],
  run: RunView,
): Promise<ReadonlyMap<string, AppliedDecision>> {
  const decided = new Map<string, AppliedDecision>()
  for (const { index, call, pending } of calls) {
    if (!pending) continue
    const decision =
      getOwn(run.decisions, call.id) ?? (await run.waitFor<Decision>(`decision${index}`, { call: pending }))
    if (!decision || run.signal.aborted) continue
    await checkDecision(pending, decision, run.toolset, { call, agent: run.agent })
    decided.set(call.id, toCallDecision(decision, pending, run))
  }
  return decided
}

function toCallDecision(decision: Decision, { name }: PendingCall, run: RunView): AppliedDecision {
  if (decision.type === 'approve') return { approval: { arguments: decision.arguments } }
  if (decision.type === 'deny') return { result: deniedResult(decision.reason) }
  return { result: () => resultOfDecision(decision.value, run, run.toolset.get(name)) }
}

/**
 * Returns the result that a decision contains. An artifact in the result counts as an artifact only if the run's store
 * contains it with the same content. Otherwise, it is plain data.
 */
export async function resultOfDecision(
  said: unknown,
  { artifacts: store, signal }: Pick<RunView, 'artifacts' | 'signal'>,
  tool?: Tool,
): Promise<CallResult> {
  const given = new Map<string, Artifact>()
  for (const [id, { sha256 }] of artifactsIn(said)) {
    // A failing store must not end a run whose call has its result.
    const artifact = await abortable(signal, store.stat(id)).catch(() => undefined)
    if (artifact?.sha256 === sha256) given.set(id, artifact)
  }
  const { output, toModel } = tool ?? {}
  const checked = output && (await validate(output, said))
  const value = checked && !checked.issues ? checked.value : said
  const whole = renderOutput(value, given)
  // If the tool's code fails, that must not end a run whose call has its result.
  const rendered = toModel ? await renderForModel(value, toModel, given).catch(() => whole) : whole
  return { status: 'ok', ...rendered, ms: 0 }
}

function artifactsIn(value: unknown): ReadonlyMap<string, Artifact> {
  const { result } = renderOutput(value)
  const found = new Map<string, Artifact>()
  JSON.stringify(result, (_key, part) => {
    if (isArtifact(part)) found.set(part.id, part)
    return part
  })
  return found
}

/** The parts of a call that a user approves. */
interface Reading {
  readonly name: string
  readonly arguments: Json
  /** The agent that makes the call, if known. */
  readonly agent?: string | undefined
}

/**
 * Compares a state's pending calls, and its child runs' pending calls, with the calls that would run.
 * @throws CapstanError `conflict` if a decided call differs from the call that was shown; Error for any other
 * contradiction
 */
export function checkPending(state: RunState, isDecided: (callId: string) => boolean): void {
  const open = openCalls(state)
  const { children = {}, results } = state
  // A message after the calls closes them.
  if (state.messages.at(-1)?.role !== 'assistant') return
  if (open.length === 0 && state.stopReason !== 'pending') return
  const pending = new Map(state.pending.map((call) => [call.callId, call]))
  const isUnique =
    pending.size === state.pending.length && new Set(open.map(({ id }) => id)).size === open.length
  if (pending.size > 0 && !isUnique) throw new Error('two calls have the same id')
  for (const [index, call] of open.entries()) {
    const own = pending.get(call.id)
    const child = children[index]
    const states = [own, child, results[index]].filter((one) => one !== undefined).length
    if (states > 1) throw new Error(`the call "${call.id}" is both pending and answered`)
    if (states === 0 && state.stopReason === 'pending')
      throw new Error(`the call "${call.id}" is neither pending nor answered`)
    if (own) checkSame(own, toReading(call), isDecided(call.id))
    if (child) checkChild(call.id, child.state, { pending, isDecided })
    pending.delete(call.id)
  }
  for (const callId of pending.keys()) throw new Error(`the pending call "${callId}" is not an open call`)
}

interface Listed {
  /** The parent's pending calls. Each call of the child run is removed once it has been checked. */
  readonly pending: Map<string, PendingCall>
  isDecided(callId: string): boolean
}

/** Checks that the parent's list of a child run's pending calls matches the child run. */
function checkChild(id: string, state: RunState, { pending, isDecided }: Listed): void {
  for (const inner of state.pending) {
    const callId = `${id}/${inner.callId}`
    const shown = pending.get(callId)
    if (!shown) throw new Error(`the call "${callId}" is not listed as pending`)
    checkSame(shown, inner, isDecided(callId))
    pending.delete(callId)
  }
  checkPending(state, (callId) => isDecided(`${id}/${callId}`))
}

function checkSame(shown: PendingCall, runs: Reading, isDecided: boolean): void {
  const isSameAgent = shown.agent === undefined || runs.agent === undefined || shown.agent === runs.agent
  if (shown.name === runs.name && isSameAgent && sameValue(shown.arguments, runs.arguments)) return
  const { callId } = shown
  if (!isDecided)
    throw new Error(`the pending call "${callId}" is ${toLine(shown)}, but its message has ${toLine(runs)}`)
  const message = `The decision for "${callId}" was made for ${toLine(shown)}, but the state would run ${toLine(runs)}. Nothing ran. Resume the state that the run returned.`
  const evidence = { callId, shown: toEvidence(shown), runs: toEvidence(runs) }
  throw new CapstanError('conflict', message, { evidence })
}

function toReading(call: ToolCall): Reading {
  return { name: call.function.name, arguments: shownArguments(call) }
}

function toEvidence({ name, agent, arguments: args }: Reading): Readonly<Record<string, Json>> {
  return withoutUndefined({ name, arguments: args ?? null, agent })
}

function toLine({ name, agent, arguments: args }: Reading): string {
  const text = JSON.stringify(args) ?? 'without arguments'
  return `${name} ${excerpt(text)}${agent === undefined ? '' : ` of the agent "${agent}"`}`
}
