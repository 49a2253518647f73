// Prints the events of a run as a tree. Consecutive deltas are one line; the events of a tool are indented below its call.
import '../local-service.js'
import { Agent, type RunEvent, tool } from '@capstan/core'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  async *execute({ city }) {
    yield `looking at the sky over ${city}`
    return { city, degrees: city.length }
  },
})

const agent = new Agent({ model: 'planner', tools: [weather] })
let last: string | undefined
for await (const event of agent.stream('What is the weather in Oslo and Rome?')) {
  if (event.type !== last || !event.type.endsWith('-delta')) console.log(toLine(event))
  last = event.type
}

function toLine(event: RunEvent): string {
  return '  '.repeat(depthOf(event.type)) + event.type + describe(event)
}

function depthOf(type: RunEvent['type']): number {
  if (type.startsWith('run-')) return 0
  if (type.startsWith('step-')) return 1
  return type.startsWith('tool-') ? 3 : 2
}

function describe(event: RunEvent): string {
  if (event.type === 'message-added') return ` (${event.message.role})`
  if (event.type === 'call-ready') return ` ${event.name} ${event.arguments}`
  if (event.type === 'tool-start') return ` ${JSON.stringify(event.arguments)}`
  if (event.type === 'tool-progress') return ` ${JSON.stringify(event.value)}`
  if (event.type === 'tool-end') return ` ${event.status} ${event.content}`
  if (event.type === 'run-end') return ` ${event.stopReason}`
  return event.type.endsWith('-delta') ? ' ...' : ''
}
