import type { Artifact, ArtifactInfo, ArtifactKind, ArtifactStore } from '../artifacts/artifact.js'
import { abortable, withDeadline } from '../async.js'
import { limitOf, type SpendLimiter } from '../limits.js'
import type { RunningCall, ToolOutcome } from '../run/middleware.js'
import type { StepContext } from '../types/host.js'
import type { ToolCall } from '../types/message.js'
import type { CallResult, LimitName, Outcome, ReadyOutcome } from '../types/state.js'
import type { Spending } from '../usage.js'
import { KeyOrder, type KeyPlace } from './concurrency.js'
import { type Approval, type CallContext, noNotes, type PreparedCall, prepareCall } from './prepare-call.js'
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
  const { effects } = context.toolset.get(call.function.name)?.settings ?? {}
  // No call waits for one that writes no key.
  if (typeof effects === 'function') context.order ??= new KeyOrder()
  const place = typeof effects === 'function' ? context.order?.join() : undefined
  try {
    const preparation = prepareCall(call, context, step, approval)
    const prepared = preparation instanceof Promise ? await preparation : preparation
    if ('status' in prepared) return prepared
    const { toInput } = prepared.tool
    return await (toInput
      ? toReady(prepared, { context, step })
      : execute(prepared, place, { context, step }))
  } finally {
    place?.pass()
  }
}

/** Returns the input for the tool of a call. `toInput` is code of the user, which may throw. */
function toReady(
  { call, tool, args, notes }: PreparedCall,
  { context, step: host }: CallStep,
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

/** The step of a call, and what its calls share. */
export interface CallStep {
  readonly context: CallContext
  readonly step: StepContext
}

/** Runs a call's function within the middlewares that wrap it. Spending of every attempt counts. */
async function execute(
  { call, tool, args, notes }: PreparedCall,
  place: KeyPlace | undefined,
  { context, step }: CallStep,
): Promise<CallResult> {
  const started: StartedCall = {
    callId: call.id,
    name: tool.name,
    arguments: args,
    tool,
    idempotencyKey: step.idempotencyKey,
    signal: step.signal,
    call,
    started: Number.NaN,
    spent: [],
    isReported: false,
  }
  const running: ActiveCall = Object.assign(started, { artifacts: new CallArtifacts(started, context) })
  let result: CallResult
  try {
    const { hooks, run } = context
    const wrap = hooks.wrapTool.length > 0
    const work = () => attemptCall(running, { context, step })
    const inMiddlewares = wrap ? () => hooks.wrap(running, run, work) : work
    const attempts = place ? inTurn(running, inMiddlewares, place, { context, step }) : inMiddlewares()
    const outcome = await (wrap ? abortable(step.signal, attempts) : attempts)
    const finished = hooks.finish(outcome, running, run)
    result = finished instanceof Promise ? await abortable(step.signal, finished) : finished
    // An earlier attempt may have failed.
    if (wrap && result.status === 'ok') context.failures.delete(call.id)
  } catch (error) {
    result = { ...(await failure(error, running, { context, step })), ms: since(running) }
  }
  const { spent, limit } = running
  if (notes === noNotes && spent.length === 0 && !limit) return result
  return { ...result, ...(spent.length > 0 ? { spent } : {}), ...(limit ? { limit } : {}), ...notes }
}

/** A call in progress. */
interface ActiveCall extends StartedCall {
  readonly artifacts: CallArtifacts
}

/** A call in progress, without its store. */
interface StartedCall extends RunningCall {
  readonly call: PreparedCall['call']
  /** What it writes: calls with one key run one after another. */
  key?: string | undefined
  started: number
  readonly spent: Spending[]
  limit?: LimitName
  /** The untrusted source of text that the function has read from artifacts. */
  taintedBy?: string | undefined
  /** Whether the start of the call was reported: a further attempt starts no other call. */
  isReported: boolean
}

/** Keeps the order of calls with one key: a later call waits for all attempts of an earlier one. */
async function inTurn(
  running: ActiveCall,
  work: () => Promise<CallResult>,
  place: KeyPlace,
  { context: { scheduler }, step: { signal } }: CallStep,
): Promise<CallResult> {
  const key = keyOf(running)
  running.key = key
  await place.waitForEarlier(signal)
  const result = scheduler.inTurn(key, signal, work)
  place.pass()
  return result
}

/** Calls the function within its deadline, once its key and a slot are free. Never throws. */
async function attemptCall(running: ActiveCall, { context, step }: CallStep): Promise<ToolOutcome> {
  const { tool, key } = running
  running.started = Number.NaN
  try {
    return await context.scheduler.take({ tool, key }, step.signal, () => {
      running.started = performance.now()
      const deadline = { name: tool.name, timeoutMs: tool.settings.timeoutMs ?? context.timeoutMs }
      return withDeadline(step.signal, deadline, (signal) => {
        const start = () => callFunction(running, context, signal)
        return step.begin ? step.begin().then(start) : start()
      })
    })
  } catch (error) {
    const ms = since(running)
    const limit = running.limit ? { limit: running.limit } : {}
    const result = {
      ...(await failure(error, running, { context, step })),
      ...limit,
      ...taintOf(running),
      ms,
    }
    return context.hooks.wrapTool.length > 0
      ? Object.defineProperty(result, 'error', { value: error })
      : result
  }
}

/** @throws TypeError when `effects` returns anything but a string */
function keyOf({ tool, arguments: args }: RunningCall): string {
  const effects = tool.settings.effects as (args: unknown) => unknown
  const key = effects(args)
  if (typeof key === 'string') return key
  throw new TypeError(`effects of "${tool.name}" must return a string that names what the call writes.`)
}

async function callFunction(
  running: ActiveCall,
  context: CallContext,
  signal: AbortSignal,
): Promise<CallResult> {
  const { tool, artifacts } = running
  const toolContext = startCall(running, context, signal)
  const output = await settle(tool.execute?.(running.arguments, toolContext), toolContext.progress, signal)
  const rendered = tool.toModel
    ? await renderForModel(output, tool.toModel, artifacts.given)
    : renderOutput(output, artifacts.given)
  return toResult(rendered, running)
}

/** Reports the start of a call, and returns what its function gets. */
function startCall(running: ActiveCall, context: CallContext, signal: AbortSignal): ToolContext {
  const { callId, name, arguments: args, idempotencyKey, artifacts } = running
  const { emit, step, run } = context
  // A function may outlive its call: its later progress is dropped.
  const progress = (value: unknown) => {
    if (!signal.aborted) emit?.({ type: 'tool-progress', step, callId, name, value: toShownJson(value) })
  }
  if (!running.isReported) emit?.({ type: 'tool-start', step, callId, name, arguments: args })
  running.isReported = true
  const spend = (spending: Spending) => spendFor(running, spending, context)
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

function toResult({ content, artifacts, result }: Rendered, running: ActiveCall): CallResult {
  const value = result === undefined ? {} : { result }
  return { status: 'ok', content, artifacts, ms: since(running), ...value, ...taintOf(running) }
}

const noTaint: Pick<CallResult, 'taintedBy'> = {}

function taintOf({ taintedBy }: Pick<ActiveCall, 'taintedBy'>): Pick<CallResult, 'taintedBy'> {
  return taintedBy === undefined ? noTaint : { taintedBy }
}

function limiterOf(context: CallContext): SpendLimiter {
  const { limiter = context.run.limiter() } = context
  context.limiter = limiter
  return limiter
}

/** Records spending. @throws CapstanError `stopped` when a limit of the run would be passed */
function spendFor(running: StartedCall, spending: Spending, context: CallContext): void {
  try {
    limiterOf(context).spend(spending)
  } catch (error) {
    const limit = limitOf(error)
    if (limit) running.limit = limit
    throw error
  }
  running.spent.push({ ...spending })
}

function failure(
  error: unknown,
  { call, arguments: args, started, isReported }: ActiveCall,
  { context, step }: CallStep,
): CallResult | Promise<CallResult> {
  const { signal } = step
  if (!signal.aborted) return toolFailure(error, { call, args }, context, step)
  const limit = limitOf(signal.reason)
  // An attempt that waits for its slot may follow one that ran.
  const outcome = Number.isNaN(started) && !isReported ? notRunResult : cancelledResult
  return limit ? { ...outcome, limit } : outcome
}

function since({ started }: ActiveCall): number {
  return Number.isNaN(started) ? 0 : Math.round(performance.now() - started)
}

/** A run's store for one call: artifacts that it stores name it as their origin and count towards the run's limits. */
class CallArtifacts implements ArtifactStore {
  readonly #call: StartedCall
  readonly #context: CallContext
  /** Most tools store nothing. */
  #given: Map<string, Artifact> | undefined

  constructor(call: StartedCall, context: CallContext) {
    this.#call = call
    this.#context = context
  }

  /** Artifacts that the store returned to this call, by id. Only these count as artifacts in its result. */
  get given(): ReadonlyMap<string, Artifact> | undefined {
    return this.#given
  }

  async stat(id: string): Promise<Artifact | undefined> {
    const artifact = await this.#context.run.artifacts.stat(id)
    return artifact && this.#give(artifact)
  }

  async put<Kind extends ArtifactKind>(data: Data, info: ArtifactInfo<Kind>): Promise<Artifact<Kind>> {
    const { run, step, emit } = this.#context
    const { callId, name, tool } = this.#call
    // What a model wrote after it read untrusted text is trusted no more than that.
    const taintedBy = tool.settings.untrusted ? name : (this.#call.taintedBy ?? this.#context.taintedBy)
    const origin = { tool: name, callId, runId: run.runId, ...info.origin, ...taintOf({ taintedBy }) }
    const spend = (spending: Spending) => spendFor(this.#call, spending, this.#context)
    const artifact = await run.artifacts.put(counted(data, limiterOf(this.#context), spend), {
      ...info,
      origin,
    })
    emit?.({ type: 'artifact-stored', step, callId, name, artifact })
    return this.#give(artifact)
  }

  async open(id: string): ReturnType<ArtifactStore['open']> {
    if (!this.#given?.has(id)) await this.stat(id)
    const artifact = this.#given?.get(id)
    if (artifact) this.#call.taintedBy ??= this.#context.sourceOf?.(artifact)
    return this.#context.run.artifacts.open(id)
  }

  async list(): Promise<Artifact[]> {
    return (await this.#context.run.artifacts.list()).map((artifact) => this.#give(artifact))
  }

  delete(id: string): Promise<void> {
    return this.#context.run.artifacts.delete(id)
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
