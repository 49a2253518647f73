import { Agent, chatModel, tool } from '@capstan/core'
import type { Peer } from '../peer.js'

/** Capstan with its defaults: validation, limits, the artifact store, and one listener. */
export const peer: Peer = {
  prepare({ baseURL, model, instructions, tools, stream, maxSteps }) {
    const seen = new Set<string>()
    const agent = new Agent({
      model: chatModel(model, { baseURL, apiKey: 'none' }),
      instructions,
      tools: tools.map((one) => tool(one)),
      limits: { steps: maxSteps },
      observe: ({ type }) => seen.add(type),
    })
    if (!stream) return async (prompt) => (await agent.run(prompt)).orThrow().text
    return async (prompt) => {
      const run = agent.stream(prompt)
      let text = ''
      for await (const part of run.textStream) text += part
      ;(await run.result).orThrow()
      return text
    }
  },
}
