import type { Encoder } from './encoder.js'
import { toErrorBody } from './http-error.js'
import { toPublicEvent } from './public-event.js'
import { toPublicResult } from './public-result.js'
import type { StreamEvent } from './sse.js'

/** A run in its own events, each by its number, and at last its result. */
export const runEvents: Encoder<StreamEvent> = {
  first: () => [],
  event: (event) => [{ id: String(event.seq), event: event.type, data: toPublicEvent(event) }],
  end: (result) => [{ event: 'result', data: toPublicResult(result) }],
  failed: ({ status, code, message }) => [{ event: 'error', data: toErrorBody(status, code, message) }],
}
