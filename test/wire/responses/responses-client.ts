import { responsesModel } from '@capstan/core/responses'
import { runAgent } from '../chat-client.js'
import type { WireClient } from '../wire-client.js'

/** Our own client: `responsesModel`. */
export const responsesClient: WireClient = {
  name: 'responsesModel',
  reportsCodes: true,
  tellsNotes: true,
  run(question) {
    const { model, baseURL, apiKey, maxRetries, textCalls = false } = question
    return runAgent(question, responsesModel(model, { baseURL, apiKey, maxRetries, textCalls }))
  },
}
