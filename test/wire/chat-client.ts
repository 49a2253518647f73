import { Agent, type ChatModel, chatModel, jsonSchema, taintTracking, tool, wireTap } from '@capstan/core'
import { CallDeltas } from './call-deltas.js'
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
  const deltas = new CallDeltas()
  const agent = new Agent({
    model,
    tools: question.tools.map(toTool),
    limits: { steps: 6 },
    // A call beside what the server found would wait for an approval.
    middleware: [taintTracking({ ask: false })],
    observe(event) {
      if (question.stream) deltas.observe(event)
      if (event.type === 'text-calls') textCalls += 1
      if (event.type === 'text-delta') streamed += event.text
    },
  })
  const { text, signal, stream, noted = () => {} } = question
  const tap = wireTap({ sent: () => ({ headers() {}, received() {}, noted, ended() {} }) })
  const through = (own: ChatModel): ChatModel =>
    deltas.of({ ...own, complete: (request, sink) => own.complete({ ...request, tap }, sink) })
  const options = { signal, model: through }
  const running = stream ? agent.stream(text, options).result : agent.run(text, options)
  const { text: said, refusal, incomplete, stopReason } = await running
  if (deltas.faults.length > 0) throw new Error(`The deltas of calls differ: ${deltas.faults.join('; ')}`)
  const isCut = incomplete === true || stopReason === 'length' || stopReason === 'content_filter'
  return { text: said, refusal, incomplete: isCut, streamed, textCalls }
}

function toTool({ name, description, parameters, execute }: WireTool) {
  return tool({ name, description, parameters: jsonSchema(parameters), execute })
}
