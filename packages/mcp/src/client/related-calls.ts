// Finds the call that a question belongs to. Over HTTP, a question arrives in the response to the request of its call.
import { isRecord, tryJson } from '@capstan/core/internal'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** The `_meta` field with the call's id. It is removed before the request is sent. */
export const callMark = 'capstan/call'

type RequestId = string | number

/** The calls that may ask questions on one connection. */
export class RelatedCalls {
  /** Calls by request id. */
  readonly #calls = new Map<RequestId, unknown>()
  /** Calls by question id. */
  readonly #asked = new Map<RequestId, unknown>()

  /** Wraps a transport so that it records which call each request belongs to. */
  watch<T extends Transport>(transport: T): T {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(this.#unmarked(message), options)
    return transport
  }

  /**
   * Records the question in an event, if the event contains one. `request` is the id of the request to which the
   * event's stream is the response.
   */
  received(event: string, request: RequestId): void {
    const call = this.#calls.get(request)
    if (call === undefined || !event.includes('elicitation/create')) return
    const data = /^data:(.*)$/m.exec(event)?.[1]
    const { method, id } = Object(tryJson(data ?? '')) as { readonly method?: unknown; readonly id?: unknown }
    if (method === 'elicitation/create' && isRequestId(id)) setBounded(this.#asked, id, call)
  }

  /**
   * Returns the id of the call that a question belongs to, and forgets the question. Undefined if the call is unknown.
   */
  callOf(question: RequestId): unknown {
    const call = this.#asked.get(question)
    this.#asked.delete(question)
    return call
  }

  #unmarked(message: JSONRPCMessage): JSONRPCMessage {
    const { id, params } = message as { readonly id?: RequestId; readonly params?: unknown }
    const { _meta, ...others } = isRecord(params) ? params : {}
    if (id === undefined || !isRecord(_meta) || !(callMark in _meta)) return message
    const { [callMark]: call, ...meta } = _meta
    setBounded(this.#calls, id, call)
    return {
      ...message,
      params: { ...others, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
    } as never
  }
}

/** Sets an entry. If there are too many, drops the oldest one, because servers may never respond to some requests. */
function setBounded(map: Map<RequestId, unknown>, id: RequestId, call: unknown): void {
  map.set(id, call)
  const [oldest] = map.keys()
  if (map.size > maxKnown && oldest !== undefined) map.delete(oldest)
}

const maxKnown = 10_000

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number'
}
