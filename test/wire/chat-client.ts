import { Agent, type ChatModel, chatModel, jsonSchema, taintTracking, tool, wireTap } from '@capstan/core'
import type { WireClient, WireQuestion, WireReport, WireTool } from './wire-client.js'

/** Our own client: `chatModel`. */
export const chatClient: WireClient = {
  name: 'chatModel',
  reportsCodes: true,
  tellsNotes: true,
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
    // A call beside what the server found would wait for an approval.
    middleware: [taintTracking({ ask: false })],
    observe({ type, ...event }) {
      if (type === 'text-calls') textCalls += 1
      if (type === 'text-delta') streamed += (event as { readonly text: string }).text
    },
  })
  const { text, signal, stream, noted = () => {} } = question
  const tap = wireTap({ sent: () => ({ headers() {}, received() {}, noted, ended() {} }) })
  const through = (own: ChatModel): ChatModel => ({
    ...own,
    complete: (request, sink) => own.complete({ ...request, tap }, sink),
  })
  const options = { signal, model: through }
  const running = stream ? agent.stream(text, options).result : agent.run(text, options)
  const { text: said, refusal, incomplete, stopReason } = await running
  const isCut = incomplete === true || stopReason === 'length' || stopReason === 'content_filter'
  return { text: said, refusal, incomplete: isCut, streamed, textCalls }
}

function toTool({ name, description, parameters, execute }: WireTool) {
  return tool({ name, description, parameters: jsonSchema(parameters), execute })
}
