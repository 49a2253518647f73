import type { HostBinding } from '@capstan/core'
import { within } from '@capstan/core/wire'
import { contextOf } from '../context-of.js'
import { optionsOf } from '../run-settings.js'
import { dbosHost } from './dbos-host.js'
import type { ChildStart } from './start.js'
import { type ChildEnd, type Shop, toSite } from './work-site.js'

/** Works on a run within a run, wherever the other one is worked on. */
export async function workOnChild(
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
    ...optionsOf(options, state),
    runId,
    agents,
    context: await contextOf(plan, { runId, data: options.data, signal: site.signal }),
    signal: site.signal,
    emit: publish && ((event) => publish({ ...event, runId, seq: seq++ })),
    artifacts: artifacts.store,
    stream: publish !== undefined,
    hostWithin: dbosHost(site),
    ...(prices === undefined ? {} : { prices: prices as NonNullable<HostBinding['prices']> }),
  }
  const end = await agent.proceed(state, within(outer, state.runId, path))
  await site.rethrow()
  site.release()
  return JSON.parse(JSON.stringify({ state: end }))
}
