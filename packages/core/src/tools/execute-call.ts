import {
  type Artifact,
  type ArtifactInfo,
  type ArtifactKind,
  type ArtifactStore,
  isArtifactId,
  markOf,
} from '../artifacts/artifact.js'
import { abortable, chain, ignore, withDeadline } from '../async.js'
import { withoutUndefined } from '../json.js'
import { limitOf, type SpendLimiter } from '../limits.js'
import type { Approval, NextTool, RunningCall, RunView, ToolOutcome } from '../run/middleware.js'
import type { EventBody } from '../types/event.js'
import type { StepContext } from '../types/host.js'
import type { DataPart, ToolCall } from '../types/message.js'
import type { CallResult, LimitName, Outcome, ReadyOutcome } from '../types/state.js'
import type { Spending } from '../usage.js'
import type { SlotTurn } from './concurrency.js'
import { type CallStep, type PreparedCall, prepareCall } from './prepare-call.js'
import { cancelledResult, notRunResult, toolFailure } from './rejections.js'
import { renderForModel, renderOutput, toShownJson } from './render-result.js'
import { settle } from './validate.js'

/** Runs one call, or leaves it pending. Never throws: any failure becomes the call's result. */
export function dispatch(
  call: ToolCall,
  step: CallStep,
  host: StepContext,
  approval?: Approval,
): Outcome | Promise<Outcome> {
  const tool = step.toolset.get(call.function.name)
  const turn = tool && step.scheduler.join?.(tool, step)
  const outcome = chain(prepareCall(call, step, host, approval), (one): Outcome | Promise<Outcome> => {
    if ('status' in one) return one
    return one.tool.toInput ? toReady(one, step, host) : runCall(one, step, host, { turn })
  })
  return turn ? Promise.resolve(outcome).finally(() => turn.pass()) : outcome
}

/** Returns the input for a call to an agent. `toInput` is user code, which may throw. */
function toReady(
  { call, tool, args, notes }: PreparedCall,
  step: CallStep,
  host: StepContext,
): ReadyOutcome | Promise<CallResult> {
  try {
    const input = tool.toInput?.(args) ?? ''
    step.emit?.({ type: 'tool-start', step: step.step, callId: call.id, name: tool.name, arguments: args })
    return { status: 'ready', input, notes }
  } catch (error) {
    return toolFailure(error, { call, args }, step, host)
  }
}

/**
 * Runs a call's function inside the middlewares, and counts what each attempt spends. If `given` contains a result, the
 * function is not called. Never throws.
 */
export async function runCall(
  { call, tool, args, notes }: PreparedCall,
  step: CallStep,
  host: StepContext,
  { turn, given: known }: { readonly turn?: SlotTurn | undefined; readonly given?: CallResult } = {},
): Promise<CallResult> {
  const { hooks, run, failures } = step
  const { idempotencyKey, signal } = host
  const isWrapped = hooks.wrapTool.length > 0
  const started: Started = {
    callId: call.id,
    name: tool.name,
    arguments: args,
    ...{ tool, idempotencyKey, signal, call, step, host },
    given: new Map(),
    startedAt: Number.NaN,
    isReported: false,
  }
  // A getter would keep every call's objects in memory until the next major garbage collection.
  const running: Running = Object.assign(started, { artifacts: storeFor(started) })
  let result: CallResult
  try {
    const ran = known ?? (turn || isWrapped ? runWrapped(running, turn) : attempt(running))
    result = ran instanceof Promise ? await ran : ran
    for (const one of hooks.afterTool) {
      const changed = one.afterTool(result, running, run)
      result = changed instanceof Promise ? await abortable(signal, changed) : changed
    }
    // An earlier attempt may have failed.
    if (isWrapped && result.status === 'ok') failures.delete(call.id)
  } catch (error) {
    result = await failure(error, running)
  }
  const { spent, limit } = running
  return { ...result, ...withoutUndefined({ spent, limit }), ...notes }
}

/** A call in progress, with its artifact store. */
interface Running extends Started {
  readonly artifacts: ArtifactStore
}

interface Started extends RunningCall {
  /** Artifacts that the store has returned to this call, by id. In the call's result, only these count as artifacts. */
  readonly given: Map<string, Artifact>
  readonly call: ToolCall
  readonly step: CallStep
  readonly host: StepContext
  /** The key that the call writes to, set when its turn comes. */
  key?: string
  /** When the function started, as returned by `performance.now()`. NaN until then. */
  startedAt: number
  spent?: Spending[]
  limit?: LimitName
  /** The untrusted source of text that the function has read from an artifact. */
  taintedBy?: string | undefined
  /** Whether `tool-start` has been emitted, which happens only for the first attempt. */
  isReported: boolean
}

/**
 * Runs a call's attempts when its turn comes, inside the middlewares that wrap it. The first middleware is the
 * outermost.
 */
function runWrapped(running: Running, turn: SlotTurn | undefined): Promise<CallResult> {
  const { hooks, run } = running.step
  const attempts = hooks.wrapTool.reduceRight<NextTool>(
    (next, one) => () => one.wrapTool(running, next, run),
    async () => attempt(running),
  )
  const ran = turn ? turn.run(running, attempts) : attempts()
  return hooks.wrapTool.length > 0 ? abortable(running.signal, ran) : ran
}

/**
 * Calls the function within its deadline, once its key and a slot are free. If nothing has to be awaited, the result is
 * returned without a promise. Never throws.
 */
function attempt(running: Running): ToolOutcome | Promise<ToolOutcome> {
  const { tool, key, step, host } = running
  const { slots, take } = step.scheduler
  const { signal, begin } = host
  const { concurrency, rate, timeoutMs = step.timeoutMs } = tool.settings
  // The error itself is only for middlewares.
  const failed = async (error: unknown): Promise<ToolOutcome> => {
    const result = await failure(error, running)
    const { limit, taintedBy } = running
    const outcome = { ...result, ...withoutUndefined({ limit, taintedBy }) }
    return Object.defineProperty(outcome, 'error', { value: error })
  }
  const isPlain = (key ?? concurrency ?? rate ?? timeoutMs ?? begin) === undefined && !signal.aborted
  running.startedAt = Number.NaN
  if (!isPlain || !slots.tryTake())
    return take({ tool, key }, signal, () => {
      running.startedAt = performance.now()
      return withDeadline(signal, { name: tool.name, timeoutMs }, async (within) =>
        callFunction(running, within),
      )
    }).catch(failed)
  running.startedAt = performance.now()
  let result: CallResult | Promise<CallResult> | undefined
  try {
    result = callFunction(running, signal)
    return result instanceof Promise
      ? abortable(signal, result)
          .catch(failed)
          .finally(() => slots.release())
      : result
  } catch (error) {
    return failed(error)
  } finally {
    if (!(result instanceof Promise)) slots.release()
  }
}

function callFunction(running: Running, signal: AbortSignal): CallResult | Promise<CallResult> {
  const { callId, name, arguments: args, idempotencyKey, tool, artifacts, given } = running
  const { emit, step, run } = running.step
  const { begin } = running.host
  const { runId, context } = run
  // If the function is still running after its call was stopped, its progress is dropped.
  const progress = (value: unknown, part?: DataPart) => {
    if (!signal.aborted)
      emit?.({ type: 'tool-progress', step, callId, name, value: toShownJson(value), ...part } as EventBody)
  }
  const spend = (spending: Spending) => {
    const done = Promise.all(spendFor(running, spending)).then(ignore)
    // If the function does not await the promise, a rejection must not count as unhandled.
    done.catch(ignore)
    return done
  }
  if (!running.isReported) emit?.({ type: 'tool-start', step, callId, name, arguments: args })
  running.isReported = true
  const ctx = { runId, callId, step, idempotencyKey, context, artifacts, signal, progress, spend }
  const execute = () => settle(tool.execute?.(args, ctx), progress, signal)
  // `begin` comes after `tool-start`.
  const returned = begin ? begin().then(execute) : execute()
  const output = Object(returned).then ? Promise.resolve(returned) : returned
  return chain(output, (value): CallResult | Promise<CallResult> => {
    const { startedAt, taintedBy } = running
    const facts = withoutUndefined({ ms: Math.round(performance.now() - startedAt), taintedBy })
    if (!tool.toModel) return { status: 'ok', ...renderOutput(value, given), ...facts }
    return renderForModel(value, tool.toModel, given).then((one) => ({ status: 'ok', ...one, ...facts }))
  })
}

function limiterOf(step: CallStep): SpendLimiter {
  step.limiter ??= step.run.limiter()
  return step.limiter
}

/**
 * Records spending. Await the returned values before the spending happens.
 * @throws CapstanError `stopped` if a run limit would be exceeded
 */
function spendFor(running: Started, spending: Spending): readonly (void | Promise<void>)[] {
  const { step } = running
  try {
    limiterOf(step).spend(spending)
    const asked = step.hooks.beforeSpend.map((one) => one.beforeSpend(spending, running, step.run))
    running.spent ??= []
    running.spent.push({ ...spending })
    return asked
  } catch (error) {
    const limit = limitOf(error)
    if (limit) running.limit = limit
    throw error
  }
}

async function failure(
  error: unknown,
  { call, arguments: args, startedAt, isReported, step, host }: Running,
): Promise<CallResult> {
  const { signal } = host
  // NaN becomes 0 if the function has not started.
  const ms = Math.round(performance.now() - startedAt) || 0
  if (!signal.aborted) return { ...(await toolFailure(error, { call, args }, step, host)), ms }
  const limit = limitOf(signal.reason)
  // If this attempt has not started, an earlier attempt may have run.
  const outcome = Number.isNaN(startedAt) && !isReported ? notRunResult : cancelledResult
  return { ...outcome, ...withoutUndefined({ limit }), ms }
}

/**
 * Returns one call's view of the run's artifact store. Artifacts that are stored through this view have the call as
 * their origin and count toward the run's limits.
 */
function storeFor(call: Started): ArtifactStore {
  const { callId, name, tool, step: of, given } = call
  const { run, step, emit } = of
  const store = run.artifacts
  const give = <One extends Artifact>(artifact: One): One => {
    given.set(artifact.id, artifact)
    return artifact
  }
  const stat = async (id: string) => {
    const artifact = await store.stat(id)
    return artifact && give(artifact)
  }
  return {
    stat,
    async put<Kind extends ArtifactKind>(data: Data, info: ArtifactInfo<Kind>) {
      // What a model writes after it has read untrusted text is not trusted either.
      const taintedBy = tool.settings.untrusted ? name : (call.taintedBy ?? of.taintedBy)
      const origin = {
        tool: name,
        callId,
        runId: run.runId,
        ...info.origin,
        ...withoutUndefined({ taintedBy }),
      }
      const artifact = await store.put(counted(data, call), { ...info, origin })
      emit?.({ type: 'artifact-stored', step, callId, name, artifact })
      return give(artifact)
    },
    async open(id) {
      const artifact = given.get(id) ?? (await stat(id))
      if (artifact) call.taintedBy ??= taintOfArtifact(artifact, run)
      return store.open(id)
    },
    list: async () => (await store.list()).map(give),
    delete: (id) => store.delete(id),
  }
}

/**
 * Returns the untrusted source of an artifact's text, from its own mark or the tool that created it. Images and audio
 * have a source only if they were attached as untrusted, or created from a file that was.
 */
function taintOfArtifact(artifact: Artifact, run: Pick<RunView, 'trustOf'>): string | undefined {
  const { kind, origin } = artifact
  const tool = origin?.tool
  const mark = markOf(artifact)
  if (kind !== 'text' && kind !== 'file') return isArtifactId(mark) ? mark : undefined
  return mark ?? (tool !== undefined && run.trustOf(tool) === 'untrusted' ? tool : undefined)
}

type Data = Parameters<ArtifactStore['put']>[0]

/**
 * Counts stored bytes toward the run's limits, if it has any for artifacts.
 * @throws CapstanError `stopped` if a limit would be exceeded; a stream fails with this error
 */
function counted(data: Data, call: Started): Data {
  const limiter = limiterOf(call.step)
  if (!limiter.countsArtifacts) return data
  const count = (artifactBytes: number) => spendFor(call, { artifacts: 1, artifactBytes })
  if (data instanceof Uint8Array) {
    count(data.byteLength)
    return data
  }
  let bytes = 0
  const meter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      bytes += chunk.byteLength
      // Checked for each chunk, because a stream may never end.
      if (bytes > limiter.bytesLeft) count(bytes)
      out.enqueue(chunk)
    },
    flush() {
      count(bytes)
    },
  })
  return data.pipeThrough(meter)
}
