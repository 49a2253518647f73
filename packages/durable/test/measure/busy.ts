import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type ChatModel, tool } from '@capstan/core'
import * as z from 'zod'

const turns = 4
const callsPerTurn = 3

/** The number of steps per run. */
export const busySteps = turns * (1 + callsPerTurn) + 1

/** An agent whose model takes 15 ms and whose tools take 10 ms. */
export function makeBusy() {
  const model: ChatModel = {
    name: 'brief',
    async complete({ messages }) {
      await sleep(15)
      const turn = messages.filter(({ role }) => role === 'assistant').length
      if (turn === turns) return { message: { role: 'assistant', content: 'Done.' } }
      const calls = Array.from({ length: callsPerTurn }, (_, at) => ({
        id: `c${turn}-${at}`,
        type: 'function' as const,
        function: { name: 'work', arguments: JSON.stringify({ part: turn * callsPerTurn + at }) },
      }))
      return { message: { role: 'assistant', content: null, tool_calls: calls } }
    },
  }
  const work = tool({
    name: 'work',
    description: 'Works on a part',
    parameters: z.object({ part: z.number() }),
    execute: async ({ part }) => {
      await sleep(10)
      return { part, result: 'x'.repeat(200) }
    },
  })
  return new Agent({ name: 'busy', model, tools: [work] })
}
