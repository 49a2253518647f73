import { randomUUID } from 'node:crypto'
import type { Decision } from '@capstan/core'
import { HttpError } from '@capstan/http/parts'
import { readInbox } from '../inbox.js'
import { liveStream } from '../live-stream.js'
import { field, readBody, requiredField } from '../read-body.js'
import type { Route, RouteContext } from '../router.js'
import { agentsOf, currentOf, type StudioParts } from '../studio-parts.js'
import { noContent, numberOf } from './run-routes.js'

/** Returns the routes for the agent file, its agents and tools, the live stream and pending calls. */
export function agentRoutes(parts: StudioParts): readonly Route[] {
  return [
    { method: 'GET', path: '/api/studio', answer: async () => Response.json(await parts.about()) },
    {
      method: 'GET',
      path: '/api/live',
      answer({ url: { searchParams }, request }) {
        const after = numberOf(searchParams, 'after') ?? -1
        const last = Number(request.headers.get('last-event-id') ?? Number.NaN)
        const watched = { run: searchParams.get('run') ?? undefined, after: Math.max(after, last || -1) }
        return liveStream(parts, watched, request.signal)
      },
    },
    {
      method: 'GET',
      path: '/api/agents/:name',
      answer({ params: { name = '' } }) {
        const { answers } = currentOf(parts)
        const found = Object.hasOwn(answers, name) ? answers[name] : undefined
        if (!found) throw new HttpError(404, 'not_found', `The file exports no agent "${name}".`)
        return Response.json(found)
      },
    },
    { method: 'GET', path: '/api/tools', answer: () => Response.json(currentOf(parts).tools) },
    { method: 'POST', path: '/api/tools/:name/calls', answer: (context) => callTool(parts, context) },
    { method: 'GET', path: '/api/inbox', answer: async () => Response.json(await readInbox(parts)) },
    {
      method: 'POST',
      path: '/api/durable/:name/:run/decisions',
      answer: (context) => decideDurable(parts, context),
    },
  ]
}

async function callTool(
  parts: StudioParts,
  { params: { name = '' }, request }: RouteContext,
): Promise<Response> {
  const body = await readBody(request)
  const agent = field(body, 'agent', 'string')
  const run = randomUUID()
  const call = { run, name, arguments: body.arguments ?? {}, ...(agent === undefined ? {} : { agent }) }
  await agentsOf(parts).begin('callTool', call)
  parts.changes.emit('runs')
  return Response.json({ id: run }, { status: 201 })
}

async function decideDurable(
  parts: StudioParts,
  { params: { name = '', run = '' }, request }: RouteContext,
): Promise<Response> {
  const body = await readBody(request)
  await agentsOf(parts).ask('decideDurable', {
    name,
    run,
    callId: requiredField(body, 'callId', 'string'),
    decision: requiredField(body, 'decision', 'object') as unknown as Decision,
  })
  return noContent()
}
