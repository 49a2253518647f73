import { randomUUID } from 'node:crypto'
import type { Decisions, Limits } from '@capstan/core'
import { HttpError, invalidRequest } from '@capstan/http/parts'
import type { RunFilter } from '../../store/run-store.js'
import type { ForkRequest, RunSummary, StartRun } from '../../types.js'
import { field, readBody, requiredField } from '../read-body.js'
import type { Route, RouteContext } from '../router.js'
import { agentsOf, type StudioParts } from '../studio-parts.js'

/** Returns the routes that list, start and control runs. */
export function runRoutes(parts: StudioParts): readonly Route[] {
  const { store } = parts
  return [
    { method: 'POST', path: '/api/runs', answer: ({ request }) => startRun(parts, request) },
    {
      method: 'GET',
      path: '/api/runs',
      answer: async ({ url }) => Response.json(await store.list(filterOf(url.searchParams))),
    },
    {
      method: 'GET',
      path: '/api/runs/:run',
      answer: async ({ params }) => Response.json(await findRun(parts, idOf(params))),
    },
    { method: 'PATCH', path: '/api/runs/:run', answer: (context) => changeRun(parts, context) },
    {
      method: 'DELETE',
      path: '/api/runs/:run',
      async answer({ params }) {
        await store.remove(idOf(params))
        parts.changes.emit('runs')
        return noContent()
      },
    },
    ...controlRoutes(parts),
  ]
}

function controlRoutes(parts: StudioParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/runs/:run/stop',
      async answer({ params }) {
        await agentsOf(parts).stop(idOf(params))
        return noContent()
      },
    },
    {
      method: 'POST',
      path: '/api/runs/:run/messages',
      async answer({ params, request }) {
        await agentsOf(parts).send(idOf(params), requiredField(await readBody(request), 'text', 'string'))
        return noContent()
      },
    },
    {
      method: 'POST',
      path: '/api/runs/:run/decisions',
      async answer({ params, request }) {
        const body = await readBody(request)
        const decisions = requiredField(body, 'decisions', 'object') as unknown as Decisions
        const allowChangedTools = field(body, 'allowChangedTools', 'boolean') ?? false
        const given = { run: await ownRun(parts, idOf(params)), decisions, allowChangedTools }
        return Response.json(await agentsOf(parts).begin('decide', given), { status: 202 })
      },
    },
    {
      method: 'POST',
      path: '/api/runs/:run/resume',
      async answer({ params, request }) {
        const limits = field(await readBody(request), 'limits', 'object') as Limits | undefined
        const run = await ownRun(parts, idOf(params))
        await agentsOf(parts).begin('resume', { run, ...(limits ? { limits } : {}) })
        return new Response(null, { status: 202 })
      },
    },
  ]
}

async function startRun(parts: StudioParts, request: Request): Promise<Response> {
  const run = randomUUID()
  const started = toStartRun(await readBody(request))
  for (const id of [started.fork?.run, started.after]) if (id !== undefined) await ownRun(parts, id)
  await agentsOf(parts).begin('start', { run, request: started })
  parts.changes.emit('runs')
  return Response.json({ id: run }, { status: 201 })
}

type Body = Readonly<Record<string, unknown>>

/** Checks the fields of a body, and returns the known ones. @throws HttpError 400 for a missing or invalid field */
function toStartRun(body: Body): StartRun {
  const attachments = field(body, 'attachments', 'list')
  if (attachments?.some((id) => typeof id !== 'string'))
    throw invalidRequest('The field "attachments" must be an array of artifact ids.')
  const effects = field(body, 'effects', 'string')
  if (effects !== undefined && effects !== 'run' && effects !== 'ask')
    throw invalidRequest('The field "effects" must be "run" or "ask".')
  const fork = field(body, 'fork', 'object')
  const texts = ['input', 'after', 'instructions', 'model'] as const
  const objects = ['settings', 'limits'] as const
  return {
    agent: requiredField(body, 'agent', 'string'),
    ...(attachments ? { attachments: attachments as readonly string[] } : {}),
    ...(effects ? { effects } : {}),
    ...(fork ? { fork: toFork(fork) } : {}),
    ...Object.fromEntries(
      [
        ...texts.map((name) => [name, field(body, name, 'string')]),
        ...objects.map((name) => [name, field(body, name, 'object')]),
      ].filter(([, value]) => value !== undefined),
    ),
  }
}

function toFork(body: Body): ForkRequest {
  const messages = field(body, 'messages', 'list')
  for (const message of messages ?? []) {
    const { index, calls = [] } = Object(message)
    if (!Number.isInteger(index) || !Array.isArray(calls))
      throw invalidRequest(
        'Each item of "messages" needs "index" (the number of its message). Its "calls", if any, must be an array.',
      )
  }
  return {
    run: requiredField(body, 'run', 'string'),
    checkpoint: requiredField(body, 'checkpoint', 'number'),
    ...(messages ? { messages: messages as NonNullable<ForkRequest['messages']> } : {}),
  }
}

async function changeRun(parts: StudioParts, { params, request }: RouteContext): Promise<Response> {
  const body = await readBody(request)
  const isPinned = field(body, 'isPinned', 'boolean')
  const title = field(body, 'title', 'string')
  const isTrusted = field(body, 'isTrusted', 'boolean')
  await parts.store.change(idOf(params), {
    ...(isPinned === undefined ? {} : { isPinned }),
    ...(title === undefined ? {} : { title }),
    ...(isTrusted ? { isTrusted } : {}),
  })
  parts.changes.emit('runs')
  return noContent()
}

/** Returns a run's summary. @throws HttpError 404 if there is no such run */
export async function findRun({ store }: StudioParts, id: string): Promise<RunSummary> {
  const found = await store.get(id)
  if (found) return found
  throw new HttpError(404, 'not_found', `There is no run "${id}".`)
}

/**
 * Checks that a run may be repeated or continued, because the file's policies and tools will get the run's content.
 * Returns the run's id.
 * @throws HttpError 409 `foreign_run` if another studio recorded the run and the user has not allowed it
 */
export async function ownRun({ store }: StudioParts, id: string): Promise<string> {
  const found = await store.get(id)
  if (!found?.isForeign) return id
  const text = `A different studio recorded the run "${id}". Check its content, then allow it before you continue or repeat it.`
  throw new HttpError(409, 'foreign_run', text)
}

function filterOf(query: URLSearchParams): RunFilter {
  const text = (name: string) => query.get(name) || undefined
  return {
    agent: text('agent'),
    status: text('status') as RunFilter['status'],
    kind: text('kind') as RunFilter['kind'],
    text: text('text'),
    tool: text('tool'),
    before: text('before'),
    limit: numberOf(query, 'limit'),
  }
}

/** Returns a whole number in a query. Undefined if the value is missing or is not a whole number. */
export function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined
}

export function idOf({ run = '' }: RouteContext['params']): string {
  return run
}

export function noContent(): Response {
  return new Response(null, { status: 204 })
}
