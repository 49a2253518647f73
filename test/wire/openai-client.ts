import { openaiModel } from '@capstan/core/openai'
import OpenAI from 'openai'
import { runAgent } from './chat-client.js'
import type { WireClient } from './wire-client.js'

/** Our own client over a given `openai` client: `openaiModel`. */
export const openaiClient: WireClient = {
  name: 'openaiModel',
  reportsCodes: true,
  run(question) {
    const { model, baseURL, apiKey, maxRetries, textCalls = false } = question
    const client = new OpenAI({ baseURL, apiKey })
    return runAgent(question, openaiModel(client, model, { maxRetries, textCalls }))
  },
}
