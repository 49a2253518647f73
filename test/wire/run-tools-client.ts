import OpenAI from 'openai'
import type { WireClient, WireTool } from './wire-client.js'

/** Another client: the tool loop of the `openai` package. */
export const client: WireClient = {
  name: 'openai runTools',
  async run({ baseURL, apiKey, model, text, tools, stream, maxRetries, signal }) {
    const { completions } = new OpenAI({ baseURL, apiKey, maxRetries }).chat
    const asked = {
      model,
      messages: [{ role: 'user' as const, content: text }],
      tools: tools.map(toRunnable),
    }
    const options = { signal, maxChatCompletions: 6 }
    const runner = stream
      ? completions.runTools({ ...asked, stream: true }, options)
      : completions.runTools(asked, options)
    const { choices } = await runner.finalChatCompletion()
    const { message, finish_reason } = choices[0] ?? {}
    return {
      text: message?.content ?? '',
      refusal: message?.refusal ?? undefined,
      incomplete: finish_reason === 'length' || finish_reason === 'content_filter',
    }
  },
}

function toRunnable({ name, description, parameters, execute }: WireTool) {
  return {
    type: 'function' as const,
    function: { name, description, parameters: { ...parameters }, parse: JSON.parse, function: execute },
  }
}
