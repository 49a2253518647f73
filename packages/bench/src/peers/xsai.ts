import { generateText } from '@xsai/generate-text'
import { streamText } from '@xsai/stream-text'
import { tool } from '@xsai/tool'
import type { Peer } from '../peer.js'

/** xsAI: small functions on fetch. It passes the model's arguments to a tool without validation. */
export const peer: Peer = {
  async prepare({ baseURL, model, instructions, maxSteps, stream, tools: own }) {
    // Not strict: a strict tool has no optional fields.
    const tools = await Promise.all(
      own.map(({ name, description, parameters, execute }) =>
        tool({ name, description, parameters, execute: (args) => execute(args), strict: false }),
      ),
    )
    const settings = { baseURL, apiKey: 'none', model, maxSteps, tools }
    return async (prompt) => {
      const messages = [
        { role: 'system' as const, content: instructions },
        { role: 'user' as const, content: prompt },
      ]
      if (!stream) return (await generateText({ ...settings, messages })).text ?? ''
      let text = ''
      for await (const delta of streamText({ ...settings, messages }).textStream) text += delta
      return text
    }
  },
}
