// The events of a run as a tree: deltas in a row are one line, a tool's own events stand under its call.
import type { RunEvent } from '@capstan/core'
import { Agent, chatModel, tool } from '@capstan/core'
import { startService } from '@capstan/service'
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

async function main(): Promise<void> {
  const service = await startService()
  const agent = new Agent({ model: chatModel('planner', service), tools: [weather] })
  let last: string | undefined
  for await (const event of agent.stream('What is the weather in Oslo and Rome?')) {
    if (event.type !== last || !event.type.endsWith('-delta')) console.log(toLine(event))
    last = event.type
  }
  await service.close()
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

main()
