import {
  type AnyRunResult,
  CapstanError,
  type Decisions,
  isCapstanError,
  type RunOptions,
  type RunState,
} from '@capstan/core'
import { hasToolsOf } from '@capstan/core/wire'
import { toRecorded } from '../recorded.js'
import { type RoundEnd, toRoundEnd } from '../round-end.js'
import { optionsOf } from '../run-settings.js'
import { definitionOf } from './definition-of.js'
import { checkSize, type Notes, type RunEnd, type RunStart, sizeOf } from './kept.js'
import { nextDecision } from './next-decision.js'
import { note } from './note.js'
import { restateHost } from './restate-host.js'
import type { Site } from './site.js'

/** Works on a run to its end; while it waits for decisions, nobody has it. */
export async function workOnRun(start: RunStart, site: Site): Promise<RunEnd> {
  const { ctx, plan } = site
  const { digest, settings } = start
  // What fails here is no end of the run: it is tried again.
  const context = await plan.context?.(ctx.key, settings.data)
  note(ctx, 'digest', digest)
  note(ctx, 'definition', site.place.definition)
  const ended = (notes: Notes['ended']) => {
    ctx.clear('waiting')
    note(ctx, 'ended', notes)
  }
  try {
    const end = await rounds(start.state, { ...site, context })
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

interface Here extends Site {
  readonly context: unknown
}

async function rounds(begun: RunState, site: Here): Promise<RoundEnd> {
  const { plan, ctx, place } = site
  // Without a prototype: ids of calls are the model's, and may be any name.
  const refused: Record<string, number> = Object.create(null)
  let state = begun
  let decisions: Decisions = begun.decisions ?? {}
  let end: RoundEnd | undefined
  for (;;) {
    const result = await round(state, decisions, site)
    const { state: own, ...rest } = toRoundEnd(result, end?.toolCalls)
    // What is noted must be the same when it is gone through again, where the tools may be other ones.
    state = { ...own, definitionHash: place.definition }
    end = { ...rest, state }
    if (state.stopReason !== 'pending') return end
    checkSize(end, plan.maxStateBytes)
    note(ctx, 'waiting', end)
    const given = await nextDecision(state, refused, site)
    decisions = given ? { [given.callId]: given.decision } : {}
    ctx.clear('waiting')
  }
}

async function round(state: RunState, decisions: Decisions, site: Here): Promise<AnyRunResult> {
  const { ctx, plan, place, signal, context } = site
  let turn = state.turn
  const options: RunOptions<never> = {
    context: context as never,
    decisions,
    signal,
    host: restateHost(site),
    onCheckpoint: ({ turn: now, usage }) => {
      if (now === turn) return
      turn = now
      note(ctx, 'progress', { steps: now, usage })
    },
    ...optionsOf(place.settings, state),
  }
  if (!plan.events.isHeard(place.runId)) return plan.agent.run(state, options)
  const run = plan.agent.stream(state, options)
  for await (const event of run) plan.events.tell(place.runId, event)
  return run.result
}

/** @throws CapstanError `conflict`, for Restate to try again, on a worker whose agent has other tools than the run was begun with */
export async function checkDefinition(
  known: string,
  { plan, place }: Pick<Site, 'plan' | 'place'>,
): Promise<void> {
  if (place.settings.allowChangedTools || (await hasToolsOf(plan.agent, known))) return
  const own = await definitionOf(plan.agent)
  const message = `This worker has other tools than the run "${place.runId}" was begun with. Start a worker with those at a URL of its own, or start the run with { allowChangedTools: true } if its calls mean the same.`
  throw new CapstanError('conflict', message, { evidence: { before: known, now: own }, retryable: true })
}
