import type {
  ChildStep,
  CreateHost,
  HostContext,
  Json,
  RunHost,
  RunState,
  RunStep,
  Step,
} from '@capstan/core'
import { joinSignals, settle } from '@capstan/core/internal'
import { type Recorded, record, reveal } from '../recorded.js'
import type { SegmentEnd } from '../segment.js'
import type { RunSettings } from '../settings.js'
import type { Dbos, DbosConfig, Engine } from './engine.js'
import type { ChildStart, SegmentStart } from './stored.js'

/** What the hosts of one workflow share. */
interface WorkerContext {
  readonly dbos: Dbos
  readonly maxStepBytes: number
  /** Starts the run within this one that answers a call, or finds it. */
  startChild(step: ChildStep<unknown>, binding: HostContext): Promise<ChildHandle>
  /** What the engine itself failed with: no outcome of the run, which goes on elsewhere, or was ended. */
  fail(error: unknown): void
}

/** A run within one, wherever it is worked on. */
interface ChildHandle {
  end(): Promise<Parameters<ChildStep<unknown>['settle']>[0]>
}

/**
 * A host whose steps are those of a DBOS workflow. Its journal knows steps by their position, so all that begins side
 * by side begins in array order, before anything is awaited.
 */
export function dbosHost(site: WorkerContext): CreateHost {
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
        if ('run' in step) return reveal(await guarded(runStep(step, binding, site)))
        return child(step, await guarded(site.startChild(step, binding)))
      },
      async all<T>(steps: readonly Step<T>[]) {
        const handles: (ChildHandle | undefined)[] = []
        for (const step of steps)
          handles.push('run' in step ? undefined : await guarded(site.startChild(step, binding)))
        return Promise.all(
          steps.map((step, at) => {
            const handle = handles[at]
            if (handle && !('run' in step)) return settle(child(step, handle))
            return settle(guarded(runStep(step as RunStep<T>, binding, site)).then((came) => reveal<T>(came)))
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

function runStep<T>(step: RunStep<T>, binding: HostContext, site: WorkerContext): Promise<Recorded> {
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
    if (!isRun) binding.emit?.({ type: 'step-replayed', step: stepOf(step.key), key: step.key })
    return recorded
  })
}

/** Which answer of the model a step belongs to. */
function stepOf(key: string): number {
  return Number(/^t(\d+)\//.exec(key)?.[1] ?? 0)
}

/** The two workflows of an agent. */
export interface Workflows {
  segment(start: SegmentStart): Promise<SegmentEnd>
  child(start: ChildStart): Promise<ChildEnd>
}

/** What a run within one came to. */
export interface ChildEnd {
  readonly state: RunState
}

/** What workflows are made of. */
export interface WorkflowDeps {
  readonly plan: DbosConfig
  readonly engine: Engine
  readonly workflows: Workflows
}

/** Where a workflow stands in a run. */
interface RunLocation {
  readonly runId: string
  /** Of a run within one: the call that it answers. */
  readonly path: string
  readonly options: RunSettings
}

/** Where steps belong, and what becomes of a workflow whose engine fails. */
interface WorkflowContext extends WorkerContext {
  readonly signal: AbortSignal
  /** What the engine failed with is for the engine: it knows what it means. Where the worker has left, nothing comes of it. */
  rethrow(): Promise<void>
  /** Lets go of the worker's signal. */
  release(): void
}

/** The site of one workflow. */
export function createWorkflowContext(shop: WorkflowDeps, place: RunLocation): WorkflowContext {
  const controller = new AbortController()
  const { signal, release } = joinSignals([controller.signal, shop.engine.signal])
  let failure: { readonly error: unknown } | undefined
  return {
    dbos: shop.engine.dbos,
    maxStepBytes: shop.plan.maxStepBytes,
    signal,
    release,
    fail(error) {
      failure ??= { error }
      controller.abort(error)
    },
    async rethrow() {
      if (shop.engine.signal.aborted) await new Promise(() => {})
      if (failure) throw failure.error
    },
    startChild: (step, binding) => startChild(step, binding, { ...shop, place }),
  }
}

async function startChild(
  { key, child: { state, callId } }: ChildStep<unknown>,
  { prices }: HostContext,
  { engine, workflows, place }: WorkflowDeps & { readonly place: RunLocation },
): Promise<ChildHandle> {
  const { DBOS } = engine.dbos
  const { runId, path, options } = place
  const start: ChildStart = {
    runId,
    path: path === '' ? callId : `${path}/${callId}`,
    state: JSON.parse(JSON.stringify(state)),
    options,
    ...(prices ? { prices: prices as unknown as Json } : {}),
  }
  const handle = await DBOS.startWorkflow(workflows.child, { workflowID: `${DBOS.workflowID}/${key}` })(start)
  return { end: () => handle.getResult().then(({ state }) => state) }
}
