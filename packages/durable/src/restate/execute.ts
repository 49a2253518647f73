import {
  CapstanError,
  type Decisions,
  type HostContext,
  isCapstanError,
  type RunOptions,
  type RunResult,
  type RunState,
} from '@capstan/core'
import { hasToolsOf, within } from '@capstan/core/internal'
import { toRecorded } from '../recorded.js'
import { type SegmentEnd, toSegmentEnd } from '../segment.js'
import { runOptions, toolsHash } from '../settings.js'
import { nextDecision } from './decisions.js'
import { restateHost, type WorkerContext } from './host.js'
import {
  type ChildEnd,
  type ChildStart,
  checkSize,
  type RunEnd,
  type RunMetadata,
  type RunStart,
  setMetadata,
  sizeOf,
  toolsHaveChanged,
} from './stored.js'

/** Executes a run from start to end. While the run is pending, it does not occupy a worker. */
export async function executeRun(start: RunStart, worker: WorkerContext): Promise<RunEnd> {
  const { ctx, config } = worker
  const { digest, settings } = start
  // If this fails, Restate retries it, so the run does not end.
  const context = await config.context?.(ctx.key, settings.data)
  setMetadata(ctx, 'digest', digest)
  setMetadata(ctx, 'definition', worker.location.definition)
  const storeEnd = (end: RunMetadata['ended']) => {
    ctx.clear('waiting')
    setMetadata(ctx, 'ended', end)
  }
  try {
    const end = await executeSegments(start, { ...worker, context })
    checkSize(end, config.maxStateBytes)
    storeEnd({ stopReason: end.state.stopReason ?? 'done' })
    return { ok: true, digest, end }
  } catch (thrown) {
    if (!isCapstanError(thrown)) throw thrown
    const error = toRecorded(thrown)
    storeEnd({ error })
    const { state } = thrown
    return { ok: false, digest, error, ...(state && sizeOf(state) <= config.maxStateBytes ? { state } : {}) }
  }
}

interface SegmentContext extends WorkerContext {
  readonly context: unknown
}

async function executeSegments({ state: initial }: RunStart, worker: SegmentContext): Promise<SegmentEnd> {
  const { config, ctx, location } = worker
  // No prototype: call ids come from the model and can be any string.
  const refused: Record<string, number> = Object.create(null)
  let state = initial
  let decisions: Decisions = initial.decisions ?? {}
  let end: SegmentEnd | undefined
  for (;;) {
    const result = await executeSegment(state, decisions, worker)
    const { state: own, ...rest } = toSegmentEnd(result, end)
    // A replay must write the same metadata, even on a worker with different tools.
    state = { ...own, definitionHash: location.definition }
    end = { ...rest, state }
    if (state.stopReason !== 'pending') return end
    checkSize(end, config.maxStateBytes)
    setMetadata(ctx, 'waiting', end)
    const decision = await nextDecision(state, refused, worker)
    decisions = decision ? { [decision.callId]: decision.decision } : {}
    ctx.clear('waiting')
  }
}

async function executeSegment(
  state: RunState,
  decisions: Decisions,
  worker: SegmentContext,
): Promise<RunResult> {
  const { ctx, config, location, signal, context } = worker
  let last = state.stepCount
  const options: RunOptions<never> = {
    context: context as never,
    decisions,
    signal,
    host: restateHost(worker),
    onCheckpoint: ({ stepCount: now, usage }) => {
      if (now === last) return
      last = now
      setMetadata(ctx, 'progress', { steps: now, usage })
    },
    ...runOptions(location.settings, state),
  }
  if (!config.events.hasSubscribers(location.runId)) return config.agent.run(state, options)
  const run = config.agent.stream(state, options)
  for await (const event of run) config.events.publish(location.runId, event)
  return run.result
}

/**
 * Checks that this worker has the tools that the run started with.
 * @throws CapstanError `conflict` if the tools differ; Restate then retries the attempt
 */
export async function checkTools(
  expected: string,
  { config, location }: Pick<WorkerContext, 'config' | 'location'>,
): Promise<void> {
  if (location.settings.allowChangedTools || (await hasToolsOf(config.agent, expected))) return
  const own = await toolsHash(config.agent)
  const message = `${toolsHaveChanged} "${location.runId}" started. Run a worker with the old tools, or start runs with { allowChangedTools: true }.`
  throw new CapstanError('conflict', message, { evidence: { before: expected, now: own }, retryable: true })
}

/** Executes a child run, possibly on a different worker from the one that executes the parent run. */
export async function executeChild(start: ChildStart, worker: WorkerContext): Promise<ChildEnd> {
  const { agents, artifacts, name } = worker.config.agent
  const agent = agents.get(start.agent)
  if (!agent)
    throw new CapstanError(
      'not_found',
      `Agent "${name}" does not include the agent "${start.agent}". Deploy the version that started this run.`,
    )
  const { runId, path, settings, state } = start
  const outer: HostContext = {
    runId,
    agents,
    context: await worker.config.context?.(runId, settings.data),
    signal: worker.signal,
    emit: (event) => worker.config.events.publish(runId, { ...event, runId }),
    stream: worker.config.events.hasSubscribers(runId),
    artifacts,
    ...runOptions(settings, state),
    hostWithin: restateHost(worker),
    ...(start.prices ? { prices: start.prices as NonNullable<HostContext['prices']> } : {}),
  }
  const end = await agent.proceed(state, within(outer, state.runId, path))
  setMetadata(worker.ctx, 'ended', { stopReason: end.stopReason ?? 'done' })
  return { state: end }
}
