import type { BindHost, ChildStep, HostBinding, RunHost, RunStep, Step } from '@capstan/core'
import { joinSignals, settle } from '@capstan/core/wire'
import { type Recorded, record, reveal } from '../recorded.js'
import type { Dbos } from './load-dbos.js'

/** What the hosts of one workflow share. */
export interface Site {
  readonly dbos: Dbos
  readonly maxStepBytes: number
  /** Starts the run within this one that answers a call, or finds it. */
  beginChild(step: ChildStep<unknown>, binding: HostBinding): Promise<ChildHandle>
  /** What the engine itself failed with: no outcome of the run, which goes on elsewhere, or was ended. */
  fail(error: unknown): void
}

/** A run within one, wherever it is worked on. */
export interface ChildHandle {
  end(): Promise<Parameters<ChildStep<unknown>['settle']>[0]>
}

/**
 * A host whose steps are those of a DBOS workflow. Its journal knows steps by their position, so all that begins side
 * by side begins in array order, before anything is awaited.
 */
export function dbosHost(site: Site): BindHost {
  return (binding) => {
    const { DBOS } = site.dbos
    const guarded = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work
      } catch (error) {
        site.fail(error)
        throw error
      }
    }
    const child = async <T>(step: ChildStep<T>, handle: ChildHandle): Promise<T> =>
      step.settle(await guarded(handle.end()))
    const host: RunHost = {
      async step<T>(step: Step<T>): Promise<T> {
        if ('run' in step) return reveal(await guarded(perform(step, binding, site)))
        return child(step, await guarded(site.beginChild(step, binding)))
      },
      async all<T>(steps: readonly Step<T>[]) {
        const handles: (ChildHandle | undefined)[] = []
        for (const step of steps)
          handles.push('run' in step ? undefined : await guarded(site.beginChild(step, binding)))
        return Promise.all(
          steps.map((step, at) => {
            const handle = handles[at]
            if (handle && !('run' in step)) return settle(child(step, handle))
            return settle(guarded(perform(step as RunStep<T>, binding, site)).then((came) => reveal<T>(came)))
          }),
        )
      },
      // The run ends as pending, and whoever decides starts it anew: nothing is held while it waits.
      waitFor: async () => undefined,
      now: () => guarded(DBOS.now()),
      id: () => guarded(DBOS.randomUUID()),
      sleep: (_key, ms) => guarded(DBOS.sleep(ms)),
      // Within the step: it keeps to what the server asks for, as the engine could not.
      retries: 'core',
    }
    return host
  }
}

function perform<T>(step: RunStep<T>, binding: HostBinding, site: Site): Promise<Recorded> {
  const { DBOS } = site.dbos
  let isRun = false
  const run = async (): Promise<Recorded> => {
    isRun = true
    const { signal, release } = joinSignals([binding.signal, DBOS.stepStatus?.cancelSignal])
    const idempotencyKey = `${binding.runId}/${step.key}`
    try {
      return await record(step, { idempotencyKey, signal }, site.maxStepBytes)
    } finally {
      release()
    }
  }
  return DBOS.runStep(run, { name: step.key }).then((recorded) => {
    if (!isRun) binding.emit?.({ type: 'step-replayed', step: turnOf(step.key), key: step.key })
    return recorded
  })
}

/** Which answer of the model a step belongs to. */
function turnOf(key: string): number {
  return Number(/^t(\d+)\//.exec(key)?.[1] ?? 0)
}
