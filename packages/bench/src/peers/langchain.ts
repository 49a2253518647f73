import { ChatOpenAI } from '@langchain/openai'
import { AIMessageChunk, createAgent, tool } from 'langchain'
import type { BenchTool, Peer } from '../peer.js'

/** The agent of LangChain, which is a graph of LangGraph. */
export const peer: Peer = {
  prepare({ baseURL, model, instructions, maxSteps, stream, tools }) {
    const agent = createAgent({
      model: new ChatOpenAI({ model, apiKey: 'none', configuration: { baseURL } }),
      tools: tools.map(toTool),
      systemPrompt: instructions,
    })
    // The graph counts a reply and its tool calls as two steps.
    const recursionLimit = 2 * maxSteps
    return async (prompt) => {
      const input = { messages: [{ role: 'user', content: prompt }] }
      if (!stream) return (await agent.invoke(input, { recursionLimit })).messages.at(-1)?.text ?? ''
      let text = ''
      for await (const [message] of await agent.stream(input, { recursionLimit, streamMode: 'messages' }))
        if (AIMessageChunk.isInstance(message)) text += message.text
      return text
    }
  },
}

function toTool({ name, description, parameters, execute }: BenchTool) {
  return tool((args: Record<string, unknown>) => execute(args), { name, description, schema: parameters })
}
