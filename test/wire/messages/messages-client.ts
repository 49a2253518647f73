import { messagesModel } from '@capstan/core/messages'
import { runAgent } from '../chat-client.js'
import type { WireClient } from '../wire-client.js'

/** Our own client: `messagesModel`. */
export const messagesClient: WireClient = {
  name: 'messagesModel',
  reportsCodes: true,
  tellsNotes: true,
  run(question) {
    const { model, baseURL, apiKey, maxRetries, textCalls = false } = question
    return runAgent(question, messagesModel(model, { baseURL, apiKey, maxRetries, textCalls }))
  },
}
