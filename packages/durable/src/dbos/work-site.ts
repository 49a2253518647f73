import type { ChildStep, HostBinding, Json, RunState } from '@capstan/core'
import { joinSignals } from '@capstan/core/wire'
import type { RoundEnd } from '../round-end.js'
import type { RunSettings } from '../run-settings.js'
import type { ChildHandle, Site } from './dbos-host.js'
import type { Engine, Plan } from './engine.js'
import type { ChildStart, RoundStart } from './start.js'

/** The two workflows of an agent. */
export interface Workflows {
  round(start: RoundStart): Promise<RoundEnd>
  child(start: ChildStart): Promise<ChildEnd>
}

/** What a run within one came to. */
export interface ChildEnd {
  readonly state: RunState
}

/** What workflows are made of. */
export interface Shop {
  readonly plan: Plan
  readonly engine: Engine
  readonly workflows: Workflows
}

/** Where a workflow stands in a run. */
export interface Place {
  readonly runId: string
  /** Of a run within one: the call that it answers. */
  readonly path: string
  readonly options: RunSettings
}

/** Where steps belong, and what becomes of a workflow whose engine fails. */
export interface WorkSite extends Site {
  readonly signal: AbortSignal
  /** What the engine failed with is for the engine: it knows what it means. Where the worker has left, nothing comes of it. */
  rethrow(): Promise<void>
  /** Lets go of the worker's signal. */
  release(): void
}

/** The site of one workflow. */
export function toSite(shop: Shop, place: Place): WorkSite {
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
    beginChild: (step, binding) => beginChild(step, binding, { ...shop, place }),
  }
}

async function beginChild(
  { key, child: { state, callId } }: ChildStep<unknown>,
  { prices }: HostBinding,
  { engine, workflows, place }: Shop & { readonly place: Place },
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
