import { type OutputItem, ResponseWriter } from '@capstan/protocols/responses-reply'
import type { Endpoint } from '../http/endpoint.js'
import { toId } from './draft.js'
import { type ReplyDependencies, replyEndpoint } from './reply.js'
import { parseResponsesRequest } from './responses-request.js'

/** Replies to a request for a response, either completely or as a stream of events. Nothing is stored permanently. */
export function responsesEndpoint(dependencies: ReplyDependencies): Endpoint {
  const items = rememberItems()
  return replyEndpoint(dependencies, {
    parse: (fields) => parseResponsesRequest(fields, items.find),
    asked: ({ input, instructions, tools }) => [input ?? '', instructions ?? '', tools ?? []],
    tooLong: () => [
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'input',
    ],
    writer: ({ request, seed, model }) => {
      const counts = { msg: 0, rs: 0, fc: 0 }
      return new ResponseWriter({
        id: `resp_${seed.slice(0, 48)}`,
        model,
        settings: request.settings,
        newId: (prefix) => toId(`${prefix}_`, seed, counts[prefix]++),
        onEnd: (written) => {
          if (request.remember) items.add(written)
        },
      })
    },
    prefixes: ['call_', 'fc_'],
  })
}

const mostText = 4_000_000

/**
 * Keeps the items of recent responses, up to 4 million characters, because some clients later send only an item's id.
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
