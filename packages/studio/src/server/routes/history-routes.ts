import type { WireNote } from '@capstan/core'
import { invalidRequest } from '@capstan/http/parts'
import { compareRuns, explain, explainNote } from '@capstan/testing/recording'
import { withJoinedRecording } from '../../runs/joined-recording.js'
import type { Comparison, Exchange, StateAnswer } from '../../types.js'
import type { Route } from '../router.js'
import type { StudioParts } from '../studio-parts.js'
import { idOf, numberOf } from './run-routes.js'

/** Returns the routes that read a kept run: its entries, exchanges, states and recordings. */
export function historyRoutes(parts: StudioParts): readonly Route[] {
  const { store, redactor } = parts
  return [
    ...recordingRoutes(parts),
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
      answer: async ({ params }) => Response.json((await store.exchanges(idOf(params))).map(withSentences)),
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
  ]
}

/** Returns the routes that use recordings to explain and compare runs. */
function recordingRoutes({ store }: StudioParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/runs/:run/explain',
      answer: async ({ params }) =>
        toText(await withJoinedRecording(await store.recordings(idOf(params)), (file) => explain(file))),
    },
    {
      method: 'GET',
      path: '/api/comparison',
      async answer({ url: { searchParams } }) {
        const [a, b] = [searchParams.get('a'), searchParams.get('b')]
        if (!a || !b) throw invalidRequest('A comparison needs two runs. Write: ?a=ID&b=ID')
        return Response.json(await compare(store, a, b))
      },
    },
  ]
}

async function compare(store: StudioParts['store'], a: string, b: string): Promise<Comparison> {
  const [left, right] = await Promise.all([store.recordings(a), store.recordings(b)])
  return withJoinedRecording(left, (one) => withJoinedRecording(right, (other) => compareRuns(one, other)))
}

/** Adds an explanation to each note, as a sentence. The page also shows the text before and after the correction. */
function withSentences(exchange: Exchange): Exchange {
  const notes = exchange.notes.map((note) => {
    const { code } = note as { readonly code: WireNote['code'] }
    return { ...note, sentence: explainNote({ code }) }
  })
  return { ...exchange, notes }
}

/** Returns a plain text response. The browser must not interpret bytes from models and tools in any other way. */
function toText(content: string | Uint8Array<ArrayBuffer>): Response {
  return new Response(content, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
