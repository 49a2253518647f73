import { explain } from '@capstan/testing/recording'
import { withJoinedRecording } from '../../runs/joined-recording.js'
import type { StateAnswer } from '../../types.js'
import type { Route } from '../router.js'
import type { StudioParts } from '../studio-parts.js'
import { idOf, numberOf } from './run-routes.js'

/** Routes that read what was kept of a run. */
export function historyRoutes({ store, redactor }: StudioParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/runs/:run/entries',
      async answer({ params, url }) {
        const range = {
          after: numberOf(url.searchParams, 'after'),
          limit: numberOf(url.searchParams, 'limit'),
        }
        const entries = await store.entries(idOf(params), range)
        const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
        return new Response(lines, { headers: { 'content-type': 'application/jsonl; charset=utf-8' } })
      },
    },
    {
      method: 'GET',
      path: '/api/runs/:run/parts/*part',
      answer: async ({ params }) => Response.json(await store.part(idOf(params), params.part ?? '')),
    },
    {
      method: 'GET',
      path: '/api/runs/:run/exchanges',
      answer: async ({ params }) => Response.json(await store.exchanges(idOf(params))),
    },
    ...(['request', 'response'] as const).map(
      (part): Route => ({
        method: 'GET',
        path: `/api/runs/:run/exchanges/:number/${part}`,
        async answer({ params, url: { searchParams } }) {
          const range = { from: numberOf(searchParams, 'from'), to: numberOf(searchParams, 'to') }
          const bytes = await store.exchangeBytes(
            idOf(params),
            { number: Number(params.number), part },
            range,
          )
          return toText(new Uint8Array(bytes))
        },
      }),
    ),
    {
      method: 'GET',
      path: '/api/runs/:run/states/:number',
      async answer({ params }) {
        const { messages } = await store.state(idOf(params), Number(params.number))
        return Response.json({ messages: redactor.value(messages) } satisfies StateAnswer)
      },
    },
    {
      method: 'GET',
      path: '/api/runs/:run/explain',
      answer: async ({ params }) =>
        toText(await withJoinedRecording(await store.recordings(idOf(params)), (file) => explain(file))),
    },
  ]
}

/** Bytes of models and tools are never more than text. */
function toText(content: string | Uint8Array<ArrayBuffer>): Response {
  return new Response(content, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
