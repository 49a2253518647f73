import type { Artifact, ArtifactInfo, ArtifactKind, ArtifactStore } from '../artifacts/artifact.js'
import { abortable, withDeadline } from '../async.js'
import { limitOf, type SpendLimiter } from '../limits.js'
import type { Approval, RunningCall, ToolOutcome } from '../run/middleware.js'
import type { StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import type { CallResult, LimitName, Outcome, ReadyOutcome } from '../types/state.js'
import type { Spending } from '../usage.js'
import type { CallTurn } from './concurrency.js'
import { type CallContext, noNotes, type PreparedCall, prepareCall } from './prepare-call.js'
import { cancelledResult, notRunResult, toolFailure } from './rejections.js'
import { type Rendered, renderForModel, renderOutput, toShownJson } from './render-result.js'
import type { ToolContext } from './tool-options.js'
import { settle } from './validate.js'

/** Runs one call, or leaves it pending. Never throws: every failure becomes the result of the call. */
export async function dispatch(
  call: ToolCall,
  context: CallContext,
  step: StepContext,
  approval?: Approval,
): Promise<Outcome> {
  const tool = context.toolset.get(call.function.name)
  const turn = tool && context.scheduler.join?.(tool, context)
  try {
    const preparation = prepareCall(call, context, step, approval)
    const prepared = preparation instanceof Promise ? await preparation : preparation
    if ('status' in prepared) return prepared
    const { toInput } = prepared.tool
    return await (toInput ? toReady(prepared, context, step) : runCall(prepared, context, step, turn))
  } finally {
    turn?.pass()
  }
}

/** Returns the input for the tool of a call. `toInput` is code of the user, which may throw. */
function toReady(
  { call, tool, args, notes }: PreparedCall,
  context: CallContext,
  host: StepContext,
): ReadyOutcome | Promise<CallResult> {
  try {
    const input = tool.toInput?.(args) ?? ''
    const { emit, step } = context
    emit?.({ type: 'tool-start', step, callId: call.id, name: tool.name, arguments: args })
    return { status: 'ready', input, notes: { ...notes } }
  } catch (error) {
    return toolFailure(error, { call, args }, context, host)
  }
}

/**
 * Runs a call's function within the middlewares that wrap it. Spending of every attempt counts. A result that is given
 * takes the place of the function's. Never throws.
 */
export async function runCall(
  { call, tool, args, notes }: PreparedCall,
  context: CallContext,
  step: StepContext,
  turn?: CallTurn,
  given?: CallResult,
): Promise<CallResult> {
  const { hooks, run } = context
  const { signal, idempotencyKey } = step
  const started: Started = {
    callId: call.id,
    name: tool.name,
    arguments: args,
    tool,
    idempotencyKey,
    signal,
    call,
    context,
    step,
    started: Number.NaN,
    spent: [],
    isReported: false,
  }
  const running = Object.assign(started, { artifacts: new CallArtifacts(started) })
  const isWrapped = hooks.wrapTool.length > 0
  let result: CallResult
  try {
    let outcome = given
    if (!outcome) {
      const work = () => attemptCall(running)
      const inMiddlewares = isWrapped ? () => hooks.wrap(running, run, work) : work
      const attempts = turn ? turn.run(running, inMiddlewares) : inMiddlewares()
      outcome = await (isWrapped ? abortable(signal, attempts) : attempts)
    }
    const finished = hooks.finish(outcome, running, run)
    result = finished instanceof Promise ? await abortable(signal, finished) : finished
    // An earlier attempt may have failed.
    if (isWrapped && result.status === 'ok') context.failures.delete(call.id)
  } catch (error) {
    result = { ...(await failure(error, running)), ms: since(running) }
  }
  const { spent, limit } = running
  if (notes === noNotes && spent.length === 0 && !limit) return result
  return { ...result, ...(spent.length > 0 ? { spent } : {}), ...(limit ? { limit } : {}), ...notes }
}

/** A call in progress. */
interface Running extends RunningCall {
  readonly artifacts: CallArtifacts
  readonly call: ToolCall
  readonly context: CallContext
  readonly step: StepContext
  /** What it writes, as its turn has set it. */
  key?: string
  started: number
  readonly spent: Spending[]
  limit?: LimitName
  /** The untrusted source of text that the function has read from artifacts. */
  taintedBy?: string | undefined
  /** Whether the start of the call was reported: a further attempt starts no other call. */
  isReported: boolean
}

/** A call in progress, without its store. */
type Started = Omit<Running, 'artifacts'>

/** Calls the function within its deadline, once its key and a slot are free. Never throws. */
async function attemptCall(running: Running): Promise<ToolOutcome> {
  const { tool, key, context, step } = running
  running.started = Number.NaN
  try {
    return await context.scheduler.take({ tool, key }, step.signal, () => {
      running.started = performance.now()
      const deadline = { name: tool.name, timeoutMs: tool.settings.timeoutMs ?? context.timeoutMs }
      return withDeadline(step.signal, deadline, (signal) => {
        const start = () => callFunction(running, signal)
        return step.begin ? step.begin().then(start) : start()
      })
    })
  } catch (error) {
    const ms = since(running)
    const limit = running.limit ? { limit: running.limit } : {}
    const result = { ...(await failure(error, running)), ...limit, ...taintOf(running), ms }
    return context.hooks.wrapTool.length > 0
      ? Object.defineProperty(result, 'error', { value: error })
      : result
  }
}

async function callFunction(running: Running, signal: AbortSignal): Promise<CallResult> {
  const { tool, artifacts } = running
  const toolContext = startCall(running, signal)
  const output = await settle(tool.execute?.(running.arguments, toolContext), toolContext.progress, signal)
  const rendered = tool.toModel
    ? await renderForModel(output, tool.toModel, artifacts.given)
    : renderOutput(output, artifacts.given)
  return toResult(rendered, running)
}

/** Reports the start of a call, and returns what its function gets. */
function startCall(running: Running, signal: AbortSignal): ToolContext {
  const { callId, name, arguments: args, idempotencyKey, artifacts } = running
  const { emit, step, run } = running.context
  // A function may outlive its call: its later progress is dropped.
  const progress = (value: unknown) => {
    if (!signal.aborted) emit?.({ type: 'tool-progress', step, callId, name, value: toShownJson(value) })
  }
  if (!running.isReported) emit?.({ type: 'tool-start', step, callId, name, arguments: args })
  running.isReported = true
  const spend = (spending: Spending) => spendFor(running, spending)
  return {
    runId: run.runId,
    callId,
    step,
    idempotencyKey,
    context: run.context,
    artifacts,
    signal,
    progress,
    spend,
  }
}

function toResult({ content, artifacts, result }: Rendered, running: Running): CallResult {
  const value = result === undefined ? {} : { result }
  return { status: 'ok', content, artifacts, ms: since(running), ...value, ...taintOf(running) }
}

const noTaint: Pick<CallResult, 'taintedBy'> = {}

function taintOf({ taintedBy }: Pick<Running, 'taintedBy'>): Pick<CallResult, 'taintedBy'> {
  return taintedBy === undefined ? noTaint : { taintedBy }
}

function limiterOf(context: CallContext): SpendLimiter {
  context.limiter ??= context.run.limiter()
  return context.limiter
}

/** Records spending. @throws CapstanError `stopped` when a limit of the run would be passed */
function spendFor(running: Started, spending: Spending): void {
  try {
    limiterOf(running.context).spend(spending)
  } catch (error) {
    const limit = limitOf(error)
    if (limit) running.limit = limit
    throw error
  }
  running.spent.push({ ...spending })
}

function failure(
  error: unknown,
  { call, arguments: args, started, isReported, context, step }: Running,
): CallResult | Promise<CallResult> {
  const { signal } = step
  if (!signal.aborted) return toolFailure(error, { call, args }, context, step)
  const limit = limitOf(signal.reason)
  // An attempt that waits for its slot may follow one that ran.
  const outcome = Number.isNaN(started) && !isReported ? notRunResult : cancelledResult
  return limit ? { ...outcome, limit } : outcome
}

function since({ started }: Running): number {
  return Number.isNaN(started) ? 0 : Math.round(performance.now() - started)
}

/** A run's store for one call: artifacts that it stores name it as their origin and count towards the run's limits. */
class CallArtifacts implements ArtifactStore {
  readonly #call: Started
  /** Most tools store nothing. */
  #given: Map<string, Artifact> | undefined

  constructor(call: Started) {
    this.#call = call
  }

  get #store(): ArtifactStore {
    return this.#call.context.run.artifacts
  }

  /** Artifacts that the store returned to this call, by id. Only these count as artifacts in its result. */
  get given(): ReadonlyMap<string, Artifact> | undefined {
    return this.#given
  }

  async stat(id: string): Promise<Artifact | undefined> {
    const artifact = await this.#store.stat(id)
    return artifact && this.#give(artifact)
  }

  async put<Kind extends ArtifactKind>(data: Data, info: ArtifactInfo<Kind>): Promise<Artifact<Kind>> {
    const { callId, name, tool, context } = this.#call
    const { run, step, emit } = context
    // What a model wrote after it read untrusted text is trusted no more than that.
    const taintedBy = tool.settings.untrusted ? name : (this.#call.taintedBy ?? context.taintedBy)
    const origin = { tool: name, callId, runId: run.runId, ...info.origin, ...taintOf({ taintedBy }) }
    const spend = (spending: Spending) => spendFor(this.#call, spending)
    const artifact = await run.artifacts.put(counted(data, limiterOf(context), spend), {
      ...info,
      origin,
    })
    emit?.({ type: 'artifact-stored', step, callId, name, artifact })
    return this.#give(artifact)
  }

  async open(id: string): ReturnType<ArtifactStore['open']> {
    if (!this.#given?.has(id)) await this.stat(id)
    const artifact = this.#given?.get(id)
    if (artifact) this.#call.taintedBy ??= this.#call.context.sourceOf?.(artifact)
    return this.#store.open(id)
  }

  async list(): Promise<Artifact[]> {
    return (await this.#store.list()).map((artifact) => this.#give(artifact))
  }

  delete(id: string): Promise<void> {
    return this.#store.delete(id)
  }

  #give<One extends Artifact>(artifact: One): One {
    this.#given ??= new Map()
    this.#given.set(artifact.id, artifact)
    return artifact
  }
}

type Data = Parameters<ArtifactStore['put']>[0]

/** Counts stored bytes. @throws CapstanError `stopped` when a limit of the run would be passed; a stream fails with it */
function counted(data: Data, spendLimiter: SpendLimiter, spend: ToolContext['spend']): Data {
  if (!spendLimiter.countsArtifacts) return data
  const count = (artifactBytes: number) => spend({ artifacts: 1, artifactBytes })
  if (data instanceof Uint8Array) {
    count(data.byteLength)
    return data
  }
  let bytes = 0
  const meter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      bytes += chunk.byteLength
      // Not only at the end: a stream may never end.
      if (bytes > spendLimiter.bytesLeft) count(bytes)
      out.enqueue(chunk)
    },
    flush: () => count(bytes),
  })
  return data.pipeThrough(meter)
}
