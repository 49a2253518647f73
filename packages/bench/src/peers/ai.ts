import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, streamText, tool } from 'ai'
import type { Peer } from '../peer.js'

/** The AI SDK of Vercel. */
export const peer: Peer = {
  prepare({ baseURL, model: id, instructions, maxSteps, stream, tools: own }) {
    const model = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'none' }).chatModel(id)
    const tools = Object.fromEntries(
      own.map(({ name, description, parameters, execute }) => [
        name,
        tool({ description, inputSchema: parameters, execute: (args) => execute(args) }),
      ]),
    )
    const settings = { model, instructions, tools, stopWhen: isStepCount(maxSteps) }
    return async (prompt) => {
      if (!stream) return (await generateText({ ...settings, prompt })).text
      let text = ''
      for await (const delta of streamText({ ...settings, prompt }).textStream) text += delta
      return text
    }
  },
}
