import { textOf } from '@capstan/core/internal'
import type { InboxCall, RunSummary } from '../types.js'
import type { StudioParts } from './studio-parts.js'

/** Returns the pending calls of the studio's runs, newest run first, followed by the pending calls of durable runs. */
export async function readInbox(parts: StudioParts): Promise<readonly InboxCall[]> {
  const { runs } = await parts.store.list({ status: 'pending' })
  const calls = await Promise.all(runs.map((run) => callsOf(run, parts).catch(() => [])))
  return [...calls.flat(), ...(await durableCalls(parts))]
}

async function callsOf(
  run: RunSummary,
  { store, supervisor, redactor }: StudioParts,
): Promise<readonly InboxCall[]> {
  const { pending, messages } = await store.state(run.id)
  const said = messages.findLast(({ role }) => role === 'assistant')
  const text = said ? textOf(said.content) : ''
  const about = [run.title, text].filter(Boolean).join('\n')
  return pending.map((call) =>
    redactor.value<InboxCall>({
      source: 'studio',
      agent: run.agent,
      run: run.id,
      call,
      about,
      since: run.endedAt ?? run.startedAt,
      ...schemaOf(call.name, supervisor),
    }),
  )
}

async function durableCalls({ supervisor, redactor }: StudioParts): Promise<readonly InboxCall[]> {
  const canList = supervisor?.current?.durable.some((agent) => agent.canList) ?? false
  if (!canList || !supervisor) return []
  const calls = await supervisor.ask('durableCalls', undefined as never).catch(() => [])
  return calls.map((call) => redactor.value<InboxCall>({ ...call, ...schemaOf(call.call.name, supervisor) }))
}

function schemaOf(name: string, supervisor: StudioParts['supervisor']): Pick<InboxCall, 'schema'> {
  const tool = supervisor?.current?.tools.find(({ definition }) => definition.function.name === name)
  return tool ? { schema: tool.definition.function.parameters } : {}
}
