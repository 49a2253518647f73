import { Agent, type ChatModel, chatModel, jsonSchema, tool } from '@capstan/core'
import type { WireClient, WireQuestion, WireReport, WireTool } from './wire-client.js'

/** Our own client: `chatModel`. */
export const chatClient: WireClient = {
  name: 'chatModel',
  reportsCodes: true,
  run(question) {
    const { model, baseURL, apiKey, maxRetries, textCalls = false } = question
    return runAgent(question, chatModel(model, { baseURL, apiKey, maxRetries, textCalls }))
  },
}

/** Puts a question to an agent over any model. */
export async function runAgent(question: WireQuestion, model: ChatModel): Promise<WireReport> {
  let textCalls = 0
  let streamed = ''
  const agent = new Agent({
    model,
    tools: question.tools.map(toTool),
    limits: { steps: 6 },
    observe({ type, ...event }) {
      if (type === 'text-call') textCalls += 1
      if (type === 'text-delta') streamed += (event as { readonly text: string }).text
    },
  })
  const { text, signal, stream } = question
  const running = stream ? agent.stream(text, { signal }).result : agent.run(text, { signal })
  const { text: said, refusal, incomplete, stopReason } = await running
  const isCut = incomplete === true || stopReason === 'length' || stopReason === 'content_filter'
  return { text: said, refusal, incomplete: isCut, streamed, textCalls }
}

function toTool({ name, description, parameters, execute }: WireTool) {
  return tool({ name, description, parameters: jsonSchema(parameters), execute })
}
