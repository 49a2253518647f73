import type { ChildStep, CreateHost, HostContext, HostStep, Json, Settled, Step } from '@capstan/core'
import { joinSignals, outermostStep, settle } from '@capstan/core/internal'
import type { RestatePromise, WorkflowContext } from '@restatedev/restate-sdk'
import { type Recorded, record, reveal, toRecorded } from '../recorded.js'
import type { RunSettings } from '../settings.js'
import type { FaultPoint } from '../testing/journal-host.js'
import type { RestateConfig, Sdk } from './options.js'
import { type ChildEnd, type ChildStart, checkSize } from './stored.js'
import { OpenWaits } from './waits.js'

/**
 * Creates a host whose steps are entries in a Restate journal. Each child run is a separate invocation, which any
 * worker can execute.
 */
export function restateHost(worker: WorkerContext): CreateHost {
  const { ctx, sdk, cancelled } = worker
  const waits = new OpenWaits(sdk, cancelled)
  return (binding) => {
    const all = async <T>(steps: readonly Step<T>[]): Promise<Settled<T>[]> => {
      const turn = startInOrder()
      const started = steps.map((step, at) =>
        'run' in step
          ? startStep(step, { ...worker, binding, turn: () => turn(at) })
          : startChild(step, binding, worker),
      )
      const raw = await waits.all(started.map(({ promise }) => promise))
      return Promise.all(
        started.map(({ end }, at) => settle(Promise.resolve(raw[at]).then(unwrap).then(end))),
      )
    }
    const alone = async <T>(promise: RestatePromise<T>) => unwrap((await waits.all([promise]))[0])
    return {
      all,
      step: async (step) => {
        const [end] = await all([step])
        if (end?.ok) return end.value
        throw end?.error
      },
      // The segment ends as pending. After a decision, the same journal continues with the next segment.
      waitFor: async () => undefined,
      now: () => alone(ctx.run('now', () => Date.now())),
      id: async () => ctx.rand.uuidv4(),
      sleep: async (key, ms) => {
        try {
          await ctx.sleep(ms, key)
        } catch (error) {
          if (error instanceof sdk.CancelledError) cancelled()
          throw error
        }
      },
      retries: 'core',
    }
  }
}

/** A step that has been started, and a function that converts its journal entry to its result. */
interface StartedStep<T> {
  readonly promise: RestatePromise<unknown>
  end(raw: unknown): T | Promise<T>
}

interface StepArguments extends WorkerContext {
  readonly binding: HostContext
  /** Resolves when it is this step's turn to start. */
  turn(): Promise<void>
}

function startStep<T>(
  step: HostStep<T>,
  { ctx, config, binding, turn, reach }: StepArguments,
): StartedStep<T> {
  const { key } = step
  const { runId, signal, emit } = binding
  let hasRun = false
  const work = async (): Promise<Recorded> => {
    hasRun = true
    await turn()
    await reach({ key, when: 'before' })
    // Stop the work if this worker loses the run.
    const { signal: joined, release } = joinSignals([signal, ctx.request().attemptCompletedSignal])
    const context = { idempotencyKey: `${runId}/${key}`, signal: joined }
    // An aborted step counts as completed, because it must not run again.
    const recorded = await record(step, context, config.maxStepBytes).catch(
      (error): Recorded => ({ ok: false, error: toRecorded(error) }),
    )
    release()
    await reach({ key, when: 'after' })
    return recorded
  }
  return {
    promise: ctx.run(key, work),
    end: async (raw) => {
      await reach({ key, when: 'kept' })
      if (!hasRun) emit?.({ type: 'step-replayed', step: outermostStep(key), key })
      return reveal<T>(raw as Recorded)
    },
  }
}

function startChild<T>(
  step: ChildStep<T>,
  { prices }: HostContext,
  { ctx, sdk, config, location }: WorkerContext,
): StartedStep<T> {
  const { state, callId, agent } = step.child
  const parameter: ChildStart = {
    ...location,
    agent,
    state,
    path: location.path === '' ? callId : `${location.path}/${callId}`,
    ...(prices ? { prices: prices as unknown as Json } : {}),
  }
  checkSize(parameter, config.maxStateBytes)
  const promise = ctx.genericCall<ChildStart, ChildEnd>({
    service: config.service,
    method: 'run',
    key: `${ctx.key}/${step.key}`,
    parameter,
    inputSerde: sdk.serde.json as never,
    outputSerde: sdk.serde.json as never,
    name: step.key,
  })
  return { promise, end: (raw) => step.settle((raw as ChildEnd).state) }
}

function unwrap<T>(end: PromiseSettledResult<T> | undefined): T {
  if (end?.status === 'fulfilled') return end.value
  throw end?.reason
}

/**
 * How many turns of the event loop to wait for another closure before the waiting ones start. The SDK takes two turns
 * between closures.
 */
const quietTurns = 6

/**
 * Returns a function that waits until it is the given step's turn. Concurrent steps then start in array order,
 * although the SDK calls their closures in any order, and skips steps whose results are in the journal.
 */
export function startInOrder(): (index: number) => Promise<void> {
  const waiting = new Map<number, () => void>()
  let quiet = 0
  const release = () => {
    quiet++
    if (quiet < quietTurns) return void setImmediate(release)
    const starts = [...waiting].sort(([one], [other]) => one - other)
    waiting.clear()
    for (const [, start] of starts) start()
  }
  return (index) =>
    new Promise((resolve) => {
      quiet = 0
      if (waiting.size === 0) setImmediate(release)
      waiting.set(index, resolve)
    })
}

/** What a worker needs to execute a run. */
export interface WorkerContext {
  readonly sdk: Sdk
  readonly ctx: WorkflowContext
  readonly config: RestateConfig
  readonly location: RunLocation
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** Aborts `signal`. */
  cancelled(): void
  /** Marks a fault point, for tests. Never resolves if the worker crashes there. */
  reach(point: FaultPoint): Promise<void>
  /** Rejects when the worker crashes in a test. */
  readonly crash: Promise<never>
}

/** The run or child run that an invocation executes. */
export interface RunLocation {
  /** The id of the top-level run. */
  readonly runId: string
  /** The path to the call that started the child run. Empty for the top-level run. */
  readonly path: string
  /** A hash of the tools with which the top-level run was started. */
  readonly definition: string
  readonly settings: RunSettings
}

/** Decides whether a worker crashes at a fault point. `key` identifies the invocation. */
export type ShouldCrash = (key: string, point: FaultPoint) => boolean

export function createWorkerContext({
  shouldCrash,
  ...rest
}: Pick<WorkerContext, 'sdk' | 'ctx' | 'config' | 'location' | 'signal' | 'cancelled'> & {
  readonly shouldCrash?: ShouldCrash | undefined
}): WorkerContext {
  let crashNow: (error: unknown) => void = () => undefined
  const crash = new Promise<never>((_, reject) => {
    crashNow = reject
  })
  crash.catch(() => undefined)
  return {
    ...rest,
    async reach(point) {
      if (!shouldCrash?.(rest.ctx.key, point)) return
      crashNow(new Error(`The worker crashes ${point.when} ${point.key}.`))
      await new Promise(() => undefined)
    },
    crash,
  }
}
