import { Agent, OpenAIChatCompletionsModel, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import type { Peer } from '../peer.js'

/** The agents SDK of OpenAI, on chat completions. */
export const peer: Peer = {
  prepare({ baseURL, model, instructions, maxSteps: maxTurns, stream, tools: own }) {
    const client = new OpenAI({ baseURL, apiKey: 'none' })
    const agent = new Agent({
      name: 'Bench',
      instructions,
      model: new OpenAIChatCompletionsModel(client, model),
      tools: own.map(({ name, description, parameters, execute }) =>
        tool({ name, description, parameters, execute: (args) => execute(args) }),
      ),
    })
    const runner = new Runner({ tracingDisabled: true })
    return async (prompt) => {
      if (!stream) return (await runner.run(agent, prompt, { maxTurns })).finalOutput ?? ''
      const result = await runner.run(agent, prompt, { maxTurns, stream })
      let text = ''
      for await (const delta of result.toTextStream()) text += delta
      await result.completed
      return text
    }
  },
}
