import { settle } from '../tool/settle.js'
import { toShownJson } from '../tool/to-json.js'
import type { Tool } from '../tool/tool.js'
import type { ToolContext } from '../tool/tool-context.js'
import type { Artifact, ArtifactOrigin } from '../words/artifact.js'
import type { StepContext } from '../words/host.js'
import type { ToolCall } from '../words/message.js'
import type { Answer, LimitName } from '../words/state.js'
import type { Spending } from '../words/usage.js'
import { callArtifacts } from './call-artifacts.js'
import type { Place } from './call-order.js'
import type { Desk } from './desk.js'
import { toToldResult, usualMaxResultBytes } from './long-result.js'
import { limitOf } from './purse.js'
import { cutOff, notRun } from './refusals.js'
import { renderOutput } from './render-output.js'
import { toolFailure } from './tool-errors.js'
import { withDeadline } from './with-deadline.js'

/** A call that may run. */
export interface ReadyCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: unknown
  readonly place: Place
}

/** Runs a call's function when its turn and a slot have come, to its deadline. Never throws. */
export async function execute(ready: ReadyCall, desk: Desk, step: StepContext): Promise<Answer> {
  const { tool, place } = ready
  const log: CallLog = { started: Number.NaN, spent: [] }
  try {
    const key = keyOf(ready)
    if (key !== undefined) await place.reached(step.signal)
    const taken = desk.slots.take({ tool, key }, step.signal, () => {
      log.started = performance.now()
      return withDeadline(step.signal, tool.settings.timeoutMs ?? desk.timeoutMs, (signal) =>
        run(ready, desk, { step: { ...step, signal }, log }),
      )
    })
    place.pass()
    const answer = await taken
    const ms = since(log)
    return log.spent.length === 0 && !log.limit ? { ...answer, ms } : { ...answer, ...recorded(log), ms }
  } catch (error) {
    const ms = since(log)
    return { ...(await failure(error, log, { ready, desk, step })), ...recorded(log), ms }
  }
}

/** What is noted of a call while it goes on. */
interface CallLog {
  started: number
  readonly spent: Spending[]
  limit?: LimitName
}

/** @throws TypeError when the tool names no text as what it writes */
function keyOf({ tool, args }: ReadyCall): string | undefined {
  const { effects } = tool.settings
  if (typeof effects !== 'function') return undefined
  const key: unknown = effects(args)
  if (typeof key === 'string') return key
  throw new TypeError(`effects of "${tool.name}" must return a string that names what the call writes.`)
}

interface Running {
  readonly step: StepContext
  readonly log: CallLog
}

async function run({ tool, call, args }: ReadyCall, desk: Desk, running: Running): Promise<Answer> {
  const { emit } = desk
  const { signal } = running.step
  const ref = { step: desk.step, callId: call.id, name: tool.name }
  // A function that outlives its answer has nothing more to say in the run.
  const progress = (value: unknown) => {
    if (!signal.aborted) emit?.({ type: 'tool-progress', ...ref, value: toShownJson(value) })
  }
  emit?.({ type: 'tool-start', ...ref, arguments: args })
  const { context, given } = toContext(call, desk, { ...running, progress })
  const output = await settle(tool.execute?.(args, context), progress, signal)
  const { content: all, result, artifacts } = renderOutput(output, given)
  // What is the run's answer is no burden to the model.
  const usual = tool.settings.returnDirect ? Number.POSITIVE_INFINITY : usualMaxResultBytes
  const { maxResultBytes = usual } = tool.settings
  const told = toToldResult(all, maxResultBytes, { store: desk.artifacts, origin: originOf(call, desk) })
  const { content, whole } = told instanceof Promise ? await told : told
  const answer: Answer = { status: 'ok', content, artifacts, ms: 0 }
  const taintedBy = tool.reads && (await desk.untrustedSource(tool.reads(args)))
  if (result === undefined && !whole && taintedBy === undefined) return answer
  return {
    ...answer,
    ...(result === undefined ? {} : { result }),
    ...(whole ? { whole } : {}),
    ...(taintedBy === undefined ? {} : { taintedBy }),
  }
}

function originOf({ id, function: { name } }: ToolCall, { runId }: Desk): ArtifactOrigin {
  return { tool: name, callId: id, runId }
}

function toContext(
  one: ToolCall,
  desk: Desk,
  { step: { idempotencyKey, signal }, log, progress }: Running & Pick<ToolContext, 'progress'>,
): { readonly context: ToolContext; readonly given: ReadonlyMap<string, Artifact> } {
  const { id, function: called } = one
  const { context, artifacts, runId, step, purse, emit } = desk
  const spend = (spending: Spending) => {
    try {
      purse.spend(spending)
    } catch (error) {
      const limit = limitOf(error)
      if (limit) log.limit = limit
      throw error
    }
    log.spent.push({ ...spending })
  }
  const stored = (artifact: Artifact) =>
    emit?.({ type: 'artifact-stored', step, callId: id, name: called.name, artifact })
  const call = { origin: originOf(one, desk), purse, spend, stored }
  const { store, given } = callArtifacts(artifacts, call)
  const ids = { runId, callId: id, step, idempotencyKey }
  return { given, context: { ...ids, context, artifacts: store, signal, progress, spend } }
}

interface Failed {
  readonly ready: ReadyCall
  readonly desk: Desk
  readonly step: StepContext
}

function failure(
  error: unknown,
  { started }: CallLog,
  { ready: { call, args }, desk, step }: Failed,
): Answer | Promise<Answer> {
  const { signal } = step
  if (!signal.aborted) return toolFailure(error, { call, args }, desk, step)
  const limit = limitOf(signal.reason)
  const outcome = Number.isNaN(started) ? notRun : cutOff
  return limit ? { ...outcome, limit } : outcome
}

function recorded({ spent, limit }: CallLog): Pick<Answer, 'spent' | 'limit'> {
  return { ...(spent.length > 0 ? { spent } : {}), ...(limit ? { limit } : {}) }
}

function since({ started }: CallLog): number {
  return Number.isNaN(started) ? 0 : Math.round(performance.now() - started)
}
