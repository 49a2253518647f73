import { CapstanError, type HostBinding } from '@capstan/core'
import { within } from '@capstan/core/wire'
import { optionsOf } from '../run-settings.js'
import type { ChildEnd, ChildStart } from './kept.js'
import { note } from './note.js'
import { restateHost } from './restate-host.js'
import type { Site } from './site.js'

/** Works on a run that answers a call of another one; what it needs of that one, it was given or has itself. */
export async function workOnChild(start: ChildStart, site: Site): Promise<ChildEnd> {
  const { agents, artifacts, name } = site.plan.agent
  const agent = agents.get(start.agent)
  if (!agent) throw new CapstanError('not_found', `The agent "${name}" knows no agent "${start.agent}".`)
  const { runId, path, settings, state } = start
  const outer: HostBinding = {
    runId,
    agents,
    context: await site.plan.context?.(runId, settings.data),
    signal: site.signal,
    emit: (event) => site.plan.events.tell(runId, { ...event, runId }),
    stream: site.plan.events.isHeard(runId),
    artifacts: artifacts.store,
    ...optionsOf(settings, state),
    hostWithin: restateHost(site),
    ...(start.prices ? { prices: start.prices as NonNullable<HostBinding['prices']> } : {}),
  }
  const end = await agent.proceed(state, within(outer, state.runId, path))
  note(site.ctx, 'ended', { stopReason: end.stopReason ?? 'done' })
  return { state: end }
}
