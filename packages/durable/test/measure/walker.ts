import { Agent, type ChatModel, tool } from '@capstan/core'
import * as z from 'zod'

/** Steps of a run, each a model reply with one call. */
const turns = 20

/** Host steps from the first request of a run to its last. */
export const stepsBetween = 2 * turns

/** Time from the first request of a run to its last. */
export interface Span {
  readonly ms: number
  readonly cpuMs: number
}

/** An agent whose model and tool take no time: the time of its runs is the host's. Records it for each run. */
export function makeWalker() {
  const spans: Span[] = []
  let from = mark()
  const model: ChatModel = {
    name: 'instant',
    async complete({ messages }) {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      if (turn === 0) from = mark()
      if (turn < turns) return { message: toCall(turn) }
      const to = mark()
      spans.push({ ms: to.ms - from.ms, cpuMs: to.cpuMs - from.cpuMs })
      return { message: { role: 'assistant', content: 'Done.' } }
    },
  }
  const step = tool({
    name: 'step',
    description: 'Takes a step',
    parameters: z.object({ turn: z.number() }),
    execute: ({ turn }) => turn,
  })
  return { agent: new Agent({ name: 'walker', model, tools: [step], limits: { steps: turns + 2 } }), spans }
}

function toCall(turn: number) {
  const call = { name: 'step', arguments: JSON.stringify({ turn }) }
  return {
    role: 'assistant' as const,
    content: null,
    tool_calls: [{ id: `c${turn}`, type: 'function' as const, function: call }],
  }
}

function mark(): Span {
  const { user, system } = process.cpuUsage()
  return { ms: performance.now(), cpuMs: (user + system) / 1000 }
}
