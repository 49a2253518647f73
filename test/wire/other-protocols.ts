import { client as anthropicMessages } from './messages/anthropic-client.js'
import { messagesCases } from './messages/cases/all-cases.js'
import { messagesClient } from './messages/messages-client.js'
import { allResponsesCases } from './responses/cases/all-responses-cases.js'
import { client as openaiResponses } from './responses/openai-responses-client.js'
import { responsesClient } from './responses/responses-client.js'
import type { WireCase } from './wire-case.js'
import type { WireClient } from './wire-client.js'

/** The cases of a protocol, our client, and the official one, which is shown beside it. */
interface OtherProtocol {
  readonly name: string
  readonly cases: readonly WireCase[]
  readonly own: WireClient
  readonly official: WireClient
}

/** The protocols beside chat completions. */
export const otherProtocols: readonly OtherProtocol[] = [
  { name: 'Responses', cases: allResponsesCases, own: responsesClient, official: openaiResponses },
  { name: 'Messages', cases: messagesCases, own: messagesClient, official: anthropicMessages },
]
