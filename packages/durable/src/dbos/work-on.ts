import type { AnyRunResult, ChildStep, HostBinding, Json, RunOptions, RunState } from '@capstan/core'
import { within } from '@capstan/core/wire'
import { toRecorded } from '../recorded.js'
import { type ChildHandle, dbosHost, type Site } from './dbos-host.js'
import type { Engine, Plan } from './engine.js'
import { abortId, childWorkflow, runWorkflow } from './names.js'
import { type RoundEnd, toRoundEnd } from './round-end.js'
import type { ChildStart, RoundStart, RunSettings } from './start.js'

/** The two workflows of an agent. */
export interface Workflows {
  round(start: RoundStart): Promise<RoundEnd>
  child(start: ChildStart): Promise<ChildEnd>
}

interface ChildEnd {
  readonly state: RunState
}

/** What workflows are made of. */
interface Shop {
  readonly plan: Plan
  readonly engine: Engine
  readonly workflows: Workflows
}

/** The workflows of an agent, made known to the engine. */
export function registerWorkflows(plan: Plan, engine: Engine): Workflows {
  const { name } = plan.agent
  const workflows: Workflows = {
    round: engine.register(runWorkflow(name), (start) => workOnRound(start, { plan, engine, workflows })),
    child: engine.register(childWorkflow(name), (start) => workOnChild(start, { plan, engine, workflows })),
  }
  return workflows
}

async function workOnRound({ state, options, toolCalls, by }: RoundStart, shop: Shop): Promise<RoundEnd> {
  const { plan, engine } = shop
  if (by !== undefined && (await isAborted(state.runId, engine))) return abortedEnd(plan, state, toolCalls)
  const site = toSite(shop, { runId: state.runId, path: '', options })
  try {
    const result = await runHere(
      state,
      {
        ...settingsOf(options, state),
        context: (await plan.context?.(state.runId, options.data)) as never,
        host: dbosHost(site),
        signal: site.signal,
      },
      shop,
    )
    site.rethrow()
    return toRoundEnd(result, toolCalls)
  } catch (error) {
    site.rethrow()
    throw toFailure(error)
  }
}

async function runHere(
  state: RunState,
  options: RunOptions<never>,
  { plan, engine }: Shop,
): Promise<AnyRunResult> {
  const publish = engine.publish(state.runId)
  if (!publish) return plan.agent.run(state, options)
  const run = plan.agent.stream(state, options)
  for await (const event of run) publish(event)
  return run.result
}

async function workOnChild(
  { runId, path, state, options, prices }: ChildStart,
  shop: Shop,
): Promise<ChildEnd> {
  const { plan, engine } = shop
  const { agents, artifacts, name } = plan.agent
  const agent = agents.get(state.agent)
  if (!agent) throw new Error(`The agent "${name}" knows no agent "${state.agent}".`)
  const site = toSite(shop, { runId, path, options })
  const publish = engine.publish(runId)
  let seq = 0
  const outer: HostBinding = {
    ...settingsOf(options, state),
    runId,
    agents,
    context: await plan.context?.(runId, options.data),
    signal: site.signal,
    emit: publish && ((event) => publish({ ...event, runId, seq: seq++ })),
    artifacts: artifacts.store,
    stream: publish !== undefined,
    hostWithin: dbosHost(site),
    ...(prices === undefined ? {} : { prices: prices as NonNullable<HostBinding['prices']> }),
  }
  const end = await agent.proceed(state, within(outer, state.runId, path))
  site.rethrow()
  return JSON.parse(JSON.stringify({ state: end }))
}

/** What has not begun has no open calls that could mean something else by now. */
function settingsOf({ unattended = false, allowChangedTools = false }: RunSettings, { turn }: RunState) {
  return { unattended, allowChangedTools: allowChangedTools || turn === 0 }
}

/** Where a workflow stands in a run. */
interface Place {
  readonly runId: string
  /** Of a run within one: the call that it answers. */
  readonly path: string
  readonly options: RunSettings
}

interface WorkSite extends Site {
  readonly signal: AbortSignal
  /** What the engine failed with is for the engine: it knows what it means. */
  rethrow(): void
}

function toSite(shop: Shop, place: Place): WorkSite {
  const controller = new AbortController()
  let failure: { readonly error: unknown } | undefined
  return {
    dbos: shop.engine.dbos,
    maxStepBytes: shop.plan.maxStepBytes,
    signal: controller.signal,
    fail(error) {
      failure ??= { error }
      controller.abort(error)
    },
    rethrow() {
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

async function isAborted(runId: string, { dbos: { DBOS } }: Engine): Promise<boolean> {
  return (await DBOS.getWorkflowStatus(abortId(runId))) !== null
}

/** A run that waited, and was ended while it did. */
export async function abortedEnd(
  { agent }: Plan,
  state: RunState,
  toolCalls: RoundStart['toolCalls'] = [],
): Promise<RoundEnd> {
  const result = await agent.run(state, {
    signal: AbortSignal.abort(),
    allowChangedTools: true,
    context: undefined as never,
  })
  return toRoundEnd(result, toolCalls)
}

/** What a run failed with, as the engine keeps and logs it: its conversation is in the journal alone. */
function toFailure(error: unknown): Error {
  const recorded = toRecorded(error)
  return Object.assign(new Error(recorded.message), { capstan: recorded })
}
