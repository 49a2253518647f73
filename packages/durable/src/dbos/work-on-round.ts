import type { AnyRunResult, RunOptions, RunState } from '@capstan/core'
import { contextOf } from '../context-of.js'
import { toRecorded } from '../recorded.js'
import { type RoundEnd, toRoundEnd } from '../round-end.js'
import { optionsOf } from '../run-settings.js'
import { abortedEnd } from './aborted-end.js'
import { dbosHost } from './dbos-host.js'
import type { Engine } from './engine.js'
import { abortId } from './names.js'
import type { RoundStart } from './start.js'
import { type Shop, toSite } from './work-site.js'

/** Works on a round of a run, from its beginning or from what is recorded of it. @throws what the run fails with */
export async function workOnRound(
  { state, options, toolCalls, by }: RoundStart,
  shop: Shop,
): Promise<RoundEnd> {
  const { plan, engine } = shop
  const { runId } = state
  if (by !== undefined && (await isAborted(runId, engine))) return abortedEnd(plan, state, toolCalls)
  const site = toSite(shop, { runId, path: '', options })
  try {
    const { signal } = site
    const context = (await contextOf(plan, { runId, data: options.data, signal })) as never
    const { decisions } = state
    const settings = { ...optionsOf(options, state), decisions, context, host: dbosHost(site), signal }
    const result = await runHere(state, settings, shop)
    await site.rethrow()
    return toRoundEnd(result, toolCalls)
  } catch (error) {
    await site.rethrow()
    throw toFailure(error)
  } finally {
    site.release()
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
  // Whoever finds that the run is over finds its events.
  await publish.sent()
  return run.result
}

async function isAborted(runId: string, { dbos: { DBOS } }: Engine): Promise<boolean> {
  return (await DBOS.getWorkflowStatus(abortId(runId))) !== null
}

/** What a run failed with, as the engine keeps and logs it: its conversation is in the journal alone. */
function toFailure(error: unknown): Error {
  const recorded = toRecorded(error)
  return Object.assign(new Error(recorded.message), { capstan: recorded })
}
