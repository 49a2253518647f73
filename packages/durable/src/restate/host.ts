import type { ChildStep, CreateHost, HostContext, Json, RunStep, Settled, Step } from '@capstan/core'
import { joinSignals, settle } from '@capstan/core/internal'
import type { RestatePromise, WorkflowContext } from '@restatedev/restate-sdk'
import { type Recorded, record, reveal, toRecorded } from '../recorded.js'
import type { RunSettings } from '../settings.js'
import type { FaultPoint } from '../testing/journal-host.js'
import type { RestateConfig, Sdk } from './options.js'
import { type ChildEnd, type ChildStart, checkSize } from './stored.js'

/** Steps become entries of a journal; a run that answers a call is a run of its own, wherever it is worked on. */
export function restateHost(site: WorkerContext): CreateHost {
  const { ctx, sdk, cancelled } = site
  return (binding) => {
    const all = async <T>(steps: readonly Step<T>[]): Promise<Settled<T>[]> => {
      const turn = startInOrder()
      const begun = steps.map((step, at) =>
        'run' in step
          ? startStep(step, { ...site, binding, turn: () => turn(at) })
          : startChild(step, binding, site),
      )
      const promises = begun.map(({ promise }) => promise)
      const raw = await waitUninterrupted(sdk, promises, cancelled)
      return Promise.all(begun.map(({ end }, at) => settle(Promise.resolve(raw[at]).then(unwrap).then(end))))
    }
    const alone = async <T>(promise: RestatePromise<T>) =>
      unwrap((await waitUninterrupted(sdk, [promise], cancelled))[0])
    return {
      all,
      step: async (step) => {
        const [end] = await all([step])
        if (end?.ok) return end.value
        throw end?.error
      },
      // The run ends as pending: in the same journal it goes on once there is a decision.
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

/** A step that was begun, and what it comes to by what the journal has of it. */
interface StartedStep<T> {
  readonly promise: RestatePromise<unknown>
  end(raw: unknown): T | Promise<T>
}

interface StepArguments extends WorkerContext {
  readonly binding: HostContext
  /** Comes when those before it have started. */
  turn(): Promise<void>
}

function startStep<T>(step: RunStep<T>, { ctx, plan, binding, turn, pass }: StepArguments): StartedStep<T> {
  const { key } = step
  const { runId, signal, emit } = binding
  let isDone = false
  const work = async (): Promise<Recorded> => {
    isDone = true
    await turn()
    await pass({ key, when: 'before' })
    // What goes on when the worker has lost the run is of no use to anybody.
    const { signal: joined, release } = joinSignals([signal, ctx.request().attemptCompletedSignal])
    const context = { idempotencyKey: `${runId}/${key}`, signal: joined }
    // Cut off by an abort it has come to its end as well: it must not be done again.
    const recorded = await record(step, context, plan.maxStepBytes).catch(
      (error): Recorded => ({ ok: false, error: toRecorded(error) }),
    )
    release()
    await pass({ key, when: 'after' })
    return recorded
  }
  return {
    promise: ctx.run(key, work),
    end: async (raw) => {
      await pass({ key, when: 'kept' })
      if (!isDone) emit?.({ type: 'step-replayed', step: stepOf(key), key })
      return reveal<T>(raw as Recorded)
    },
  }
}

function startChild<T>(
  step: ChildStep<T>,
  { prices }: HostContext,
  { ctx, sdk, plan, location: place }: WorkerContext,
): StartedStep<T> {
  const { state, callId, agent } = step.child
  const parameter: ChildStart = {
    ...place,
    agent,
    state,
    path: place.path === '' ? callId : `${place.path}/${callId}`,
    ...(prices ? { prices: prices as unknown as Json } : {}),
  }
  checkSize(parameter, plan.maxStateBytes)
  const promise = ctx.genericCall<ChildStart, ChildEnd>({
    service: plan.service,
    method: 'run',
    key: `${ctx.key}/${step.key}`,
    parameter,
    inputSerde: sdk.serde.json as never,
    outputSerde: sdk.serde.json as never,
    name: step.key,
  })
  return { promise, end: (raw) => step.settle((raw as ChildEnd).state) }
}

/** Keys begin by the turn: `t0/tool1`. */
function stepOf(key: string): number {
  return Number(/^t(\d+)/.exec(key)?.[1] ?? 0)
}

function unwrap<T>(end: PromiseSettledResult<T> | undefined): T {
  if (end?.status === 'fulfilled') return end.value
  throw end?.reason
}

/** How many turns of the event loop may pass between two closures that the SDK begins one after the other: it takes two. */
const quietTurns = 6

/**
 * Lets steps that are begun together start in their order: the SDK begins closures in any order, and of those that the
 * journal has an outcome of, none.
 */
export function startInOrder(): (place: number) => Promise<void> {
  const waiting = new Map<number, () => void>()
  let quiet = 0
  const release = () => {
    quiet++
    if (quiet < quietTurns) return void setImmediate(release)
    const starts = [...waiting].sort(([one], [other]) => one - other)
    waiting.clear()
    for (const [, start] of starts) start()
  }
  return (place) =>
    new Promise((resolve) => {
      quiet = 0
      if (waiting.size === 0) setImmediate(release)
      waiting.set(place, resolve)
    })
}

/**
 * Waits for what was begun to its end, whether the run is ended meanwhile or not: `cancelled` is told of it, and what
 * goes on is to end by itself.
 */
export async function waitUninterrupted<T>(
  { RestatePromise, CancelledError }: Sdk,
  begun: readonly RestatePromise<T>[],
  cancelled: () => void,
): Promise<PromiseSettledResult<T>[]> {
  for (;;)
    try {
      // A promise that was cut off once stays so: each time it takes a new one.
      return (await RestatePromise.allSettled(begun)) as PromiseSettledResult<T>[]
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error
      cancelled()
    }
}

/** Where a run is worked on. */
export interface WorkerContext {
  readonly sdk: Sdk
  readonly ctx: WorkflowContext
  readonly plan: RestateConfig
  readonly location: RunLocation
  /** Aborted when the run is ended from outside. */
  readonly signal: AbortSignal
  cancelled(): void
  /** Where tests let workers die: then it never comes back. */
  pass(point: FaultPoint): Promise<void>
  /** Never comes, unless the worker dies. */
  readonly death: Promise<never>
}

/** Where a run stands in another one. */
export interface RunLocation {
  /** The run that is at the top. */
  readonly runId: string
  /** The call that it answers there; empty for the one at the top. */
  readonly path: string
  /** The tools that the run at the top is worked on with. */
  readonly definition: string
  readonly settings: RunSettings
}

/** Whether the worker of a run dies at a point. */
export type ShouldCrash = (key: string, point: FaultPoint) => boolean

export function createWorkerContext({
  die,
  ...rest
}: Pick<WorkerContext, 'sdk' | 'ctx' | 'plan' | 'location' | 'signal' | 'cancelled'> & {
  readonly die?: ShouldCrash | undefined
}): WorkerContext {
  let dead: (error: unknown) => void = () => undefined
  const death = new Promise<never>((_, reject) => {
    dead = reject
  })
  death.catch(() => undefined)
  return {
    ...rest,
    async pass(point) {
      if (!die?.(rest.ctx.key, point)) return
      dead(new Error(`The worker dies ${point.when} ${point.key}.`))
      await new Promise(() => undefined)
    },
    death,
  }
}
