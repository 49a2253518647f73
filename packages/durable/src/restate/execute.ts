import {
  type AnyAgent,
  type AnyRunResult,
  CapstanError,
  type Decisions,
  type HostContext,
  isCapstanError,
  type RunOptions,
  type RunState,
} from '@capstan/core'
import { hasToolsOf, within } from '@capstan/core/internal'
import { toRecorded } from '../recorded.js'
import { type SegmentEnd, toSegmentEnd } from '../segment.js'
import { runOptions } from '../settings.js'
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
} from './stored.js'

/** Works on a run to its end; while it waits for decisions, nobody has it. */
export async function executeRun(start: RunStart, site: WorkerContext): Promise<RunEnd> {
  const { ctx, plan } = site
  const { digest, settings } = start
  // What fails here is no end of the run: it is tried again.
  const context = await plan.context?.(ctx.key, settings.data)
  setMetadata(ctx, 'digest', digest)
  setMetadata(ctx, 'definition', site.location.definition)
  const ended = (notes: RunMetadata['ended']) => {
    ctx.clear('waiting')
    setMetadata(ctx, 'ended', notes)
  }
  try {
    const end = await executeSegments(start.state, { ...site, context })
    checkSize(end, plan.maxStateBytes)
    ended({ stopReason: end.state.stopReason ?? 'done' })
    return { ok: true, digest, end }
  } catch (thrown) {
    if (!isCapstanError(thrown)) throw thrown
    const error = toRecorded(thrown)
    ended({ error })
    const { state } = thrown
    return { ok: false, digest, error, ...(state && sizeOf(state) <= plan.maxStateBytes ? { state } : {}) }
  }
}

interface SegmentContext extends WorkerContext {
  readonly context: unknown
}

async function executeSegments(begun: RunState, site: SegmentContext): Promise<SegmentEnd> {
  const { plan, ctx, location: place } = site
  // Without a prototype: ids of calls are the model's, and may be any name.
  const refused: Record<string, number> = Object.create(null)
  let state = begun
  let decisions: Decisions = begun.decisions ?? {}
  let end: SegmentEnd | undefined
  for (;;) {
    const result = await executeSegment(state, decisions, site)
    const { state: own, ...rest } = toSegmentEnd(result, end?.toolCalls)
    // What is noted must be the same when it is gone through again, where the tools may be other ones.
    state = { ...own, definitionHash: place.definition }
    end = { ...rest, state }
    if (state.stopReason !== 'pending') return end
    checkSize(end, plan.maxStateBytes)
    setMetadata(ctx, 'waiting', end)
    const given = await nextDecision(state, refused, site)
    decisions = given ? { [given.callId]: given.decision } : {}
    ctx.clear('waiting')
  }
}

async function executeSegment(
  state: RunState,
  decisions: Decisions,
  site: SegmentContext,
): Promise<AnyRunResult> {
  const { ctx, plan, location: place, signal, context } = site
  let turn = state.turn
  const options: RunOptions<never> = {
    context: context as never,
    decisions,
    signal,
    host: restateHost(site),
    onCheckpoint: ({ turn: now, usage }) => {
      if (now === turn) return
      turn = now
      setMetadata(ctx, 'progress', { steps: now, usage })
    },
    ...runOptions(place.settings, state),
  }
  if (!plan.events.hasSubscribers(place.runId)) return plan.agent.run(state, options)
  const run = plan.agent.stream(state, options)
  for await (const event of run) plan.events.publish(place.runId, event)
  return run.result
}

/** @throws CapstanError `conflict`, for Restate to try again, on a worker whose agent has other tools than the run was begun with */
export async function checkTools(
  known: string,
  { plan, location: place }: Pick<WorkerContext, 'plan' | 'location'>,
): Promise<void> {
  if (place.settings.allowChangedTools || (await hasToolsOf(plan.agent, known))) return
  const own = await toolsHash(plan.agent)
  const message = `This worker has other tools than the run "${place.runId}" was begun with. Start a worker with those at a URL of its own, or start the run with { allowChangedTools: true } if its calls mean the same.`
  throw new CapstanError('conflict', message, { evidence: { before: known, now: own }, retryable: true })
}

/** Works on a run that answers a call of another one; what it needs of that one, it was given or has itself. */
export async function executeChild(start: ChildStart, site: WorkerContext): Promise<ChildEnd> {
  const { agents, artifacts, name } = site.plan.agent
  const agent = agents.get(start.agent)
  if (!agent) throw new CapstanError('not_found', `The agent "${name}" knows no agent "${start.agent}".`)
  const { runId, path, settings, state } = start
  const outer: HostContext = {
    runId,
    agents,
    context: await site.plan.context?.(runId, settings.data),
    signal: site.signal,
    emit: (event) => site.plan.events.publish(runId, { ...event, runId }),
    stream: site.plan.events.hasSubscribers(runId),
    artifacts: artifacts.store,
    ...runOptions(settings, state),
    hostWithin: restateHost(site),
    ...(start.prices ? { prices: start.prices as NonNullable<HostContext['prices']> } : {}),
  }
  const end = await agent.proceed(state, within(outer, state.runId, path))
  setMetadata(site.ctx, 'ended', { stopReason: end.stopReason ?? 'done' })
  return { state: end }
}

const known = new WeakMap<AnyAgent, Promise<string>>()

/** Changes when the tools of an agent do, or of those that its runs may come to. */
export function toolsHash(agent: AnyAgent): Promise<string> {
  const found = known.get(agent) ?? agent.prepare('?').then(({ definitionHash }) => definitionHash)
  known.set(agent, found)
  return found
}
