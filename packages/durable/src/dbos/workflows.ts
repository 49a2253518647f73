import type { HostContext, RunOptions, RunResult, RunState } from '@capstan/core'
import { within } from '@capstan/core/internal'
import { toRecorded } from '../recorded.js'
import { abortedResult, createContext, type SegmentEnd, toSegmentEnd } from '../segment.js'
import { runOptions } from '../settings.js'
import { applyDecision, cancelSegments } from './decisions.js'
import type { Connection, DbosConfig, Engine } from './engine.js'
import { createPublisher } from './events.js'
import { type ChildEnd, createWorkflowContext, dbosHost, type WorkflowDeps, type Workflows } from './host.js'
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

/**
 * Maximum number of recoveries. Practically unlimited, because the engine also counts crashes caused by other runs on
 * the same worker.
 */
const maxRecoveryAttempts = 1_000_000

/** Registers the workflows of an agent with the engine: segments, child runs, decisions and aborts. */
export function registerWorkflows(
  config: DbosConfig,
  { dbos, client, pool }: Connection,
  worker: Pick<Engine, 'signal' | 'claims'>,
): void {
  const { signal } = worker
  const engine: Engine = {
    dbos,
    ...worker,
    publish: (runId) => (config.live ? createPublisher(pool, runId) : undefined),
  }
  const register = <Start, End>(name: string, work: (start: Start) => Promise<End>) =>
    dbos.DBOS.registerWorkflow(work, { name, maxRecoveryAttempts })
  const { name } = config.agent
  const workflows: Workflows = {
    segment: register(runWorkflow(name), (start) => executeSegment(start, { config, engine, workflows })),
    child: register(childWorkflow(name), (start) => executeChild(start, { config, engine, workflows })),
  }
  register(decisionWorkflow(name), (start: DecisionStart) =>
    applyDecision(start, { config, client, signal, by: String(dbos.DBOS.workflowID) }),
  )
  register(abortWorkflow(name), (start: AbortStart) => cancelSegments(start, client))
}

/**
 * Executes a segment. If an earlier worker crashed, continues after the last recorded step.
 * @throws the run's error
 */
async function executeSegment(
  { state, options, by, ...before }: SegmentStart,
  deps: WorkflowDeps,
): Promise<SegmentEnd> {
  const { config, engine } = deps
  const { runId } = state
  if (by !== undefined && (await isAborted(runId, engine)))
    return toSegmentEnd(await abortedResult(config.agent, state), before)
  const workflow = createWorkflowContext(deps, { runId, path: '', options })
  try {
    const { signal } = workflow
    const context = (await createContext(config, { runId, data: options.data, signal })) as never
    const { decisions } = state
    const settings = { ...runOptions(options, state), decisions, context, host: dbosHost(workflow), signal }
    const result = await runAgent(state, settings, deps)
    await workflow.rethrow()
    return toSegmentEnd(result, before)
  } catch (error) {
    await workflow.rethrow()
    throw toStoredError(error)
  } finally {
    workflow.release()
  }
}

async function runAgent(
  state: RunState,
  options: RunOptions<never>,
  { config, engine }: WorkflowDeps,
): Promise<RunResult> {
  const publish = engine.publish(state.runId)
  if (!publish) return config.agent.run(state, options)
  const run = config.agent.stream(state, options)
  for await (const event of run) publish(event)
  // The run must not end before all its events have been sent.
  await publish.sent()
  return run.result
}

async function isAborted(runId: string, { dbos: { DBOS } }: Engine): Promise<boolean> {
  return (await DBOS.getWorkflowStatus(abortId(runId))) !== null
}

/**
 * Converts an error for the engine, which stores and logs it. Omits the run's state, because it contains the
 * conversation.
 */
function toStoredError(error: unknown): Error {
  const recorded = toRecorded(error)
  return Object.assign(new Error(recorded.message), { capstan: recorded })
}

/** Executes a child run, possibly on a different worker from the one that executes the parent run. */
async function executeChild(
  { runId, path, state, options, prices }: ChildStart,
  deps: WorkflowDeps,
): Promise<ChildEnd> {
  const { config, engine } = deps
  const { agents, artifacts, name } = config.agent
  const agent = agents.get(state.agent)
  if (!agent)
    throw new Error(
      `Agent "${name}" does not include the agent "${state.agent}". Deploy the version that started this run.`,
    )
  const workflow = createWorkflowContext(deps, { runId, path, options })
  const publish = engine.publish(runId)
  let seq = 0
  const outer: HostContext = {
    ...runOptions(options, state),
    runId,
    agents,
    context: await createContext(config, { runId, data: options.data, signal: workflow.signal }),
    signal: workflow.signal,
    emit: publish && ((event) => publish({ ...event, runId, seq: seq++ })),
    artifacts,
    stream: publish !== undefined,
    hostWithin: dbosHost(workflow),
    ...(prices === undefined ? {} : { prices: prices as NonNullable<HostContext['prices']> }),
  }
  const end = await agent.proceed(state, within(outer, state.runId, path)).finally(workflow.release)
  await workflow.rethrow()
  return JSON.parse(JSON.stringify({ state: end }))
}
