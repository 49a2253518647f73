import OpenAI from 'openai'
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction'
import * as z from 'zod'
import type { BenchTool, Peer } from '../peer.js'

type Arguments = Record<string, unknown>

/** The loop in OpenAI's SDK. */
export const peer: Peer = {
  prepare({ baseURL, model, instructions, maxSteps, stream, tools: own }) {
    const client = new OpenAI({ baseURL, apiKey: 'none' })
    const tools = own.map(toTool)
    const options = { maxChatCompletions: maxSteps }
    return async (prompt) => {
      const messages = [
        { role: 'system' as const, content: instructions },
        { role: 'user' as const, content: prompt },
      ]
      if (!stream) {
        const runner = client.chat.completions.runTools({ model, messages, tools }, options)
        return (await runner.finalContent()) ?? ''
      }
      const runner = client.chat.completions.runTools({ model, messages, tools, stream }, options)
      let text = ''
      runner.on('content', (delta) => {
        text += delta
      })
      await runner.done()
      return text
    }
  },
}

/** Does not use `zodFunction`, which rejects optional fields. */
function toTool({
  name,
  description,
  parameters,
  execute,
}: BenchTool): RunnableToolFunctionWithParse<Arguments> {
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: z.toJSONSchema(parameters, { io: 'input' }) as Arguments,
      parse: (text) => parameters.parse(JSON.parse(text)),
      function: (args) => execute(args),
    },
  }
}
