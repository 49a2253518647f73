import type { AnyRunResult, HostContext, RunOptions, RunState } from '@capstan/core'
import { within } from '@capstan/core/internal'
import { toRecorded } from '../recorded.js'
import { createContext, type SegmentEnd, toSegmentEnd } from '../segment.js'
import { runOptions } from '../settings.js'
import { applyDecision, cancelSegments } from './decisions.js'
import type { Connection, DbosConfig, Engine } from './engine.js'
import { createPublisher } from './events.js'
import { type ChildEnd, createWorkflowContext, dbosHost, type WorkflowDeps, type Workflows } from './host.js'
import { abortedEnd } from './segments.js'
import {
  type AbortStart,
  abortId,
  abortWorkflow,
  type ChildStart,
  childWorkflow,
  type DecisionStart,
  decisionWorkflow,
  runWorkflow,
  type SegmentStart,
} from './stored.js'

/** It would count the deaths of workers also over runs that were only beside the one that killed them. */
const maxRecoveryAttempts = 1_000_000

/** Makes known to the engine what is done for runs of an agent. */
export function registerWorkflows(
  plan: DbosConfig,
  { dbos, client, pool }: Connection,
  signal: AbortSignal,
): void {
  const engine: Engine = {
    dbos,
    signal,
    publish: (runId) => (plan.live ? createPublisher(pool, runId) : undefined),
  }
  const register = <Start, End>(name: string, work: (start: Start) => Promise<End>) =>
    dbos.DBOS.registerWorkflow(work, { name, maxRecoveryAttempts })
  const { name } = plan.agent
  const workflows: Workflows = {
    segment: register(runWorkflow(name), (start) => executeSegment(start, { plan, engine, workflows })),
    child: register(childWorkflow(name), (start) => executeChild(start, { plan, engine, workflows })),
  }
  register(decisionWorkflow(name), (start: DecisionStart) =>
    applyDecision(start, { plan, client, signal, by: String(dbos.DBOS.workflowID) }),
  )
  register(abortWorkflow(name), (start: AbortStart) => cancelSegments(start, client))
}

/** Works on a round of a run, from its beginning or from what is recorded of it. @throws what the run fails with */
async function executeSegment(
  { state, options, toolCalls, by }: SegmentStart,
  shop: WorkflowDeps,
): Promise<SegmentEnd> {
  const { plan, engine } = shop
  const { runId } = state
  if (by !== undefined && (await isAborted(runId, engine))) return abortedEnd(plan, state, toolCalls)
  const site = createWorkflowContext(shop, { runId, path: '', options })
  try {
    const { signal } = site
    const context = (await createContext(plan, { runId, data: options.data, signal })) as never
    const { decisions } = state
    const settings = { ...runOptions(options, state), decisions, context, host: dbosHost(site), signal }
    const result = await runAgent(state, settings, shop)
    await site.rethrow()
    return toSegmentEnd(result, toolCalls)
  } catch (error) {
    await site.rethrow()
    throw toStoredError(error)
  } finally {
    site.release()
  }
}

async function runAgent(
  state: RunState,
  options: RunOptions<never>,
  { plan, engine }: WorkflowDeps,
): Promise<AnyRunResult> {
  const publish = engine.publish(state.runId)
  if (!publish) return plan.agent.run(state, options)
  const run = plan.agent.stream(state, options)
  for await (const event of run) publish(event)
  // Whoever finds that the run is over finds its events.
  await publish.sent()
  return run.result
}

async function isAborted(runId: string, { dbos: { DBOS } }: Engine): Promise<boolean> {
  return (await DBOS.getWorkflowStatus(abortId(runId))) !== null
}

/** What a run failed with, as the engine keeps and logs it: its conversation is in the journal alone. */
function toStoredError(error: unknown): Error {
  const recorded = toRecorded(error)
  return Object.assign(new Error(recorded.message), { capstan: recorded })
}

/** Works on a run within a run, wherever the other one is worked on. */
async function executeChild(
  { runId, path, state, options, prices }: ChildStart,
  shop: WorkflowDeps,
): Promise<ChildEnd> {
  const { plan, engine } = shop
  const { agents, artifacts, name } = plan.agent
  const agent = agents.get(state.agent)
  if (!agent) throw new Error(`The agent "${name}" knows no agent "${state.agent}".`)
  const site = createWorkflowContext(shop, { runId, path, options })
  const publish = engine.publish(runId)
  let seq = 0
  const outer: HostContext = {
    ...runOptions(options, state),
    runId,
    agents,
    context: await createContext(plan, { runId, data: options.data, signal: site.signal }),
    signal: site.signal,
    emit: publish && ((event) => publish({ ...event, runId, seq: seq++ })),
    artifacts: artifacts.store,
    stream: publish !== undefined,
    hostWithin: dbosHost(site),
    ...(prices === undefined ? {} : { prices: prices as NonNullable<HostContext['prices']> }),
  }
  const end = await agent.proceed(state, within(outer, state.runId, path))
  await site.rethrow()
  site.release()
  return JSON.parse(JSON.stringify({ state: end }))
}
