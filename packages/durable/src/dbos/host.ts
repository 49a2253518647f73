import type {
  ChildStep,
  CreateHost,
  HostContext,
  HostStep,
  Json,
  RunHost,
  RunState,
  Step,
} from '@capstan/core'
import { joinSignals, outermostStep, settle } from '@capstan/core/internal'
import { type Recorded, record, reveal } from '../recorded.js'
import type { SegmentEnd } from '../segment.js'
import type { RunSettings } from '../settings.js'
import type { Claim } from './claims.js'
import type { Dbos, DbosConfig, Engine } from './engine.js'
import type { ChildStart, SegmentStart } from './stored.js'

/** What all hosts for one workflow share. */
interface WorkerContext {
  readonly dbos: Dbos
  readonly maxStepBytes: number
  readonly claim: Claim
  /** Starts a call's child run, or finds the one that has already been started. */
  startChild(step: ChildStep<unknown>, binding: HostContext): Promise<ChildHandle>
  /** Reports an engine failure. The run does not end: either it is continued elsewhere or it has been aborted. */
  fail(error: unknown): void
}

/** A child run that has been started. `end` resolves with its final state. */
interface ChildHandle {
  end(): Promise<Parameters<ChildStep<unknown>['settle']>[0]>
}

/**
 * Creates a host whose steps are steps of a DBOS workflow. DBOS identifies steps by their position, so concurrent steps
 * must start in array order, before anything is awaited.
 */
export function dbosHost(context: WorkerContext): CreateHost {
  return (binding) => {
    const { DBOS } = context.dbos
    const guarded = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work
      } catch (error) {
        context.fail(error)
        throw error
      }
    }
    const child = async <T>(step: ChildStep<T>, handle: ChildHandle): Promise<T> =>
      step.settle(await guarded(handle.end()))
    const host: RunHost = {
      async step<T>(step: Step<T>): Promise<T> {
        if ('run' in step) return reveal(await guarded(runStep(step, binding, context)))
        return child(step, await guarded(context.startChild(step, binding)))
      },
      async all<T>(steps: readonly Step<T>[]) {
        const handles: (ChildHandle | undefined)[] = []
        for (const step of steps)
          handles.push('run' in step ? undefined : await guarded(context.startChild(step, binding)))
        return Promise.all(
          steps.map((step, at) => {
            const handle = handles[at]
            if (handle && !('run' in step)) return settle(child(step, handle))
            return settle(
              guarded(runStep(step as HostStep<T>, binding, context)).then((came) => reveal<T>(came)),
            )
          }),
        )
      },
      // The segment ends as pending, and a decision starts the next segment. While a run is waiting, it uses no
      // resources.
      waitFor: async () => undefined,
      now: () => guarded(DBOS.now()),
      id: () => guarded(DBOS.randomUUID()),
      sleep: (_key, ms) => guarded(DBOS.sleep(ms)),
      // The core does the retries within a step, because it knows the server's Retry-After there.
      retries: 'core',
    }
    return host
  }
}

function runStep<T>(step: HostStep<T>, binding: HostContext, context: WorkerContext): Promise<Recorded> {
  const { DBOS } = context.dbos
  let isRun = false
  const run = async (): Promise<Recorded> => {
    isRun = true
    const { signal, release } = joinSignals([binding.signal, DBOS.stepStatus?.cancelSignal])
    const idempotencyKey = `${binding.runId}/${step.key}`
    const begin = () => context.claim.check(signal)
    try {
      // A tool's function may start later than its step, so it calls `begin` itself.
      if (step.options?.kind !== 'tool') await begin()
      return await record(step, { idempotencyKey, signal, begin }, context.maxStepBytes)
    } finally {
      release()
    }
  }
  return DBOS.runStep(run, { name: step.key }).then((recorded) => {
    if (!isRun) binding.emit?.({ type: 'step-replayed', step: outermostStep(step.key), key: step.key })
    return recorded
  })
}

/** The workflows that are registered for an agent. One executes segments, the other child runs. */
export interface Workflows {
  segment(start: SegmentStart): Promise<SegmentEnd>
  child(start: ChildStart): Promise<ChildEnd>
}

/** The output of a child run's workflow. */
export interface ChildEnd {
  readonly state: RunState
}

/** What the workflows need from their worker. */
export interface WorkflowDeps {
  readonly config: DbosConfig
  readonly engine: Engine
  readonly workflows: Workflows
}

/** The run, or child run, that a workflow executes. */
interface RunLocation {
  readonly runId: string
  /** The path to the call that started the child run. Empty for the top-level run. */
  readonly path: string
  readonly options: RunSettings
}

/** The context that a workflow's hosts use, with functions to handle engine failures. */
interface WorkflowContext extends WorkerContext {
  readonly signal: AbortSignal
  /**
   * Throws the reported engine failure, if there is one, so that the engine can handle it. Never resolves if the worker
   * has been closed.
   */
  rethrow(): Promise<void>
  /** Releases the claim, and the listeners on the worker's signal. */
  release(): void
}

export function createWorkflowContext(deps: WorkflowDeps, location: RunLocation): WorkflowContext {
  const controller = new AbortController()
  const { signal, release } = joinSignals([controller.signal, deps.engine.signal])
  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
    controller.abort(error)
  }
  const { dbos, claims } = deps.engine
  const claim = claims.add(String(dbos.DBOS.workflowID), fail)
  return {
    dbos,
    maxStepBytes: deps.config.maxStepBytes,
    claim,
    signal,
    release() {
      claim.release()
      release()
    },
    fail,
    async rethrow() {
      if (deps.engine.signal.aborted) await new Promise(() => {})
      if (failure) throw failure.error
    },
    startChild: (step, binding) => startChild(step, binding, { ...deps, location }),
  }
}

async function startChild(
  { key, child: { state, callId } }: ChildStep<unknown>,
  { prices }: HostContext,
  { engine, workflows, location }: WorkflowDeps & { readonly location: RunLocation },
): Promise<ChildHandle> {
  const { DBOS } = engine.dbos
  const { runId, path, options } = location
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
