import { Disconnect } from '../http/disconnect.js'
import { bendBytes, halfOf, inPieces, instead } from './bend.js'
import type { Quirk } from './quirk.js'

const page = Buffer.from('<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>\n')
const html = { bytes: page, mediaType: 'text/html; charset=utf-8' }
const failure = (message: string, type: string) => ({
  json: { error: { message, type, code: null, param: null } },
})

/** Quirks of any answer: what servers and what stands before them do to a whole exchange. */
export const answerQuirks = {
  'rate-limit': {
    does: '429 with `Retry-After: 1`',
    trouble: instead({
      status: 429,
      headers: { 'retry-after': '1' },
      ...failure('Slow down.', 'rate_limit_error'),
    }),
  },
  'server-error': {
    does: '500 with an error in JSON',
    trouble: instead({ status: 500, ...failure('Something broke.', 'server_error') }),
  },
  overloaded: {
    does: '503 with an error that is a plain string',
    trouble: instead({ status: 503, json: { error: 'overloaded' } }),
  },
  'html-error': { does: '502 with an HTML page', trouble: instead({ status: 502, ...html }) },
  'html-page': { does: '200 with an HTML page', trouble: instead(html) },
  'error-in-ok': {
    does: '200 with an error in place of the answer',
    trouble: instead(failure('Something broke.', 'server_error')),
  },
  'empty-body': {
    does: '200 with nothing',
    trouble: instead({ bytes: new Uint8Array(), mediaType: 'application/json' }),
  },
  reset: {
    does: 'the connection is reset before the answer',
    trouble: async () => {
      throw new Disconnect('reset')
    },
  },
  'cut-body': {
    does: 'half the answer, streamed or not, and then the connection ends',
    trouble: bendBytes(({ bytes, mediaType }) => ({ stream: halfOf(bytes), mediaType })),
  },
  'slow-bytes': {
    does: 'the answer in small pieces, cut anywhere, also within a letter',
    trouble: bendBytes(({ bytes, mediaType }) => ({ stream: inPieces(bytes), mediaType })),
  },
  'wrong-content-type': {
    does: 'the answer as `text/plain`',
    trouble: bendBytes(({ bytes }) => ({ bytes, mediaType: 'text/plain' })),
  },
} as const satisfies Record<string, Quirk>
