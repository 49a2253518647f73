import type { Endpoint } from '../http/endpoint.js'
import { type ReplyDependencies, replyEndpoint } from './reply.js'
import { type OutputItem, toItems, toResponse, toResponseEvents } from './responses-reply.js'
import { parseResponsesRequest } from './responses-request.js'

/** Replies to a request for a response, complete or as a stream of events. Nothing is stored. */
export function responsesEndpoint(dependencies: ReplyDependencies): Endpoint {
  const items = rememberItems()
  return replyEndpoint(dependencies, {
    parse: (fields) => parseResponsesRequest(fields, items.find),
    asked: ({ input, instructions, tools }) => [input ?? '', instructions ?? '', tools ?? []],
    whole: (reply) => {
      if (reply.request.remember) items.add(toItems(reply))
      return toResponse(reply)
    },
    stream: (reply) => {
      if (reply.request.remember) items.add(toItems(reply))
      return toResponseEvents(reply)
    },
  })
}

const mostText = 4_000_000

/**
 * Remembers the items of recent responses, up to 4 million characters: some clients send the id of an item in
 * its place.
 */
function rememberItems(most = mostText) {
  const sizes = new Map<string, { readonly item: OutputItem; readonly size: number }>()
  let total = 0
  const drop = (id: string) => {
    total -= sizes.get(id)?.size ?? 0
    sizes.delete(id)
  }
  return {
    find: (id: string) => sizes.get(id)?.item as Readonly<Record<string, unknown>> | undefined,
    add(items: readonly OutputItem[]) {
      for (const item of items) {
        const size = JSON.stringify(item).length
        drop(item.id)
        sizes.set(item.id, { item, size })
        total += size
      }
      for (const id of sizes.keys()) if (total > most) drop(id)
    },
  }
}
