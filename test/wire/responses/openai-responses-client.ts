import OpenAI from 'openai'
import type {
  FunctionTool,
  Response,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import type { WireClient, WireQuestion, WireTool } from '../wire-client.js'

/** Another client: `responses.create` and `responses.stream` of the `openai` package, in a loop. */
export const client: WireClient = {
  name: 'openai responses',
  async run(question) {
    const { baseURL, apiKey, maxRetries, text, tools } = question
    const { responses } = new OpenAI({ baseURL, apiKey, maxRetries })
    const input: ResponseInputItem[] = [{ role: 'user', content: text }]
    for (let turn = 0; ; turn++) {
      const reply = await ask(responses, question, input)
      // The client hands over responses of every status: its user has to look.
      if (reply.status && !['completed', 'incomplete'].includes(reply.status))
        throw new Error(`${reply.status}: ${reply.error?.code} ${reply.error?.message}`)
      const calls = reply.output.filter((item) => item.type === 'function_call')
      if (calls.length === 0 || turn === 5 || reply.status === 'incomplete') return toReport(reply)
      input.push(...(reply.output as ResponseInputItem[]), ...calls.map((call) => answer(call, tools)))
    }
  },
}

function ask(
  responses: OpenAI.Responses,
  { model, tools, stream, signal }: WireQuestion,
  input: readonly ResponseInputItem[],
): Promise<Response> {
  const body = { model, input: [...input], tools: tools.map(toFunction), store: false }
  return stream ? responses.stream(body, { signal }).finalResponse() : responses.create(body, { signal })
}

function toFunction({ name, description, parameters }: WireTool): FunctionTool {
  return { type: 'function', name, description, parameters: { ...parameters }, strict: false }
}

function answer(
  { call_id, name, arguments: given }: ResponseFunctionToolCall,
  tools: readonly WireTool[],
): ResponseInputItem {
  const tool = tools.find((one) => one.name === name)
  const output = tool ? tool.execute(JSON.parse(given)) : `There is no tool ${name}.`
  return { type: 'function_call_output', call_id, output }
}

function toReport({ output_text, output, status }: Response) {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const refusals = parts.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
  return {
    text: output_text,
    refusal: refusals.length > 0 ? refusals.join('') : undefined,
    incomplete: status === 'incomplete',
  }
}
