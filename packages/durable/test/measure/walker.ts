import { Agent, type ChatModel, tool } from '@capstan/core'
import * as z from 'zod'

/** The number of steps in a run. Each is a model reply with one call. */
const turns = 20

/** The number of host steps from a run's first request to its last one. */
export const stepsBetween = 2 * turns

/** The time from a run's first request to its last one. */
export interface Span {
  readonly ms: number
  readonly cpuMs: number
}

/** An agent whose model and tool take no time, so that its runs measure the host. Records the time of each run. */
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
