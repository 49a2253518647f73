import type { BindHost, ChildStep, HostBinding, Json, RunStep, Settled, Step } from '@capstan/core'
import { joinSignals, settle } from '@capstan/core/wire'
import type { RestatePromise } from '@restatedev/restate-sdk'
import { type Recorded, record, reveal, toRecorded } from '../recorded.js'
import { inArrayOrder } from './in-array-order.js'
import { type ChildEnd, type ChildStart, checkSize } from './kept.js'
import { outlast } from './outlast.js'
import type { Site } from './site.js'

/** Steps become entries of a journal; a run that answers a call is a run of its own, wherever it is worked on. */
export function restateHost(site: Site): BindHost {
  const { ctx, sdk, cancelled } = site
  return (binding) => {
    const all = async <T>(steps: readonly Step<T>[]): Promise<Settled<T>[]> => {
      const turn = inArrayOrder()
      const begun = steps.map((step, at) =>
        'run' in step
          ? beginStep(step, { ...site, binding, turn: () => turn(at) })
          : beginChild(step, binding, site),
      )
      const promises = begun.map(({ promise }) => promise)
      const raw = await outlast(sdk, promises, cancelled)
      return Promise.all(begun.map(({ end }, at) => settle(Promise.resolve(raw[at]).then(kept).then(end))))
    }
    const alone = async <T>(promise: RestatePromise<T>) => kept((await outlast(sdk, [promise], cancelled))[0])
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
interface Begun<T> {
  readonly promise: RestatePromise<unknown>
  end(raw: unknown): T | Promise<T>
}

interface StepSite extends Site {
  readonly binding: HostBinding
  /** Comes when those before it have started. */
  turn(): Promise<void>
}

function beginStep<T>(step: RunStep<T>, { ctx, plan, binding, turn, pass }: StepSite): Begun<T> {
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

function beginChild<T>(
  step: ChildStep<T>,
  { prices }: HostBinding,
  { ctx, sdk, plan, place }: Site,
): Begun<T> {
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

function kept<T>(end: PromiseSettledResult<T> | undefined): T {
  if (end?.status === 'fulfilled') return end.value
  throw end?.reason
}
