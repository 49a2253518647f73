// An agent that only books if its instructions say so. Its tools append what they did to a file.
import { appendFileSync } from 'node:fs'
import { Agent, type ChatModel, tool } from '@capstan/core'
import { z } from 'zod'

const note = (text: string) => {
  if (process.env.LEDGER) appendFileSync(process.env.LEDGER, `${text}\n`)
}
const city = z.object({ city: z.string() })
const weather = tool({
  name: 'get_weather',
  description: 'Weather in a city',
  parameters: city,
  effects: 'read',
  execute: ({ city }) => {
    note(`weather ${city}`)
    return { city, degrees: -2 }
  },
})
const book = tool({
  name: 'book',
  description: 'Books a room in a city',
  parameters: city,
  execute: ({ city }) => {
    note(`book ${city}`)
    return { booked: city }
  },
})

const model: ChatModel = {
  name: 'planted',
  async complete({ messages }) {
    note('asked')
    const last = messages.at(-1)
    if (last?.role === 'tool') return { message: { role: 'assistant', content: `So: ${last.content}` } }
    const name = JSON.stringify(messages[0]).includes('Book at once') ? 'book' : 'get_weather'
    const call = {
      id: 'call_1',
      type: 'function' as const,
      function: { name, arguments: '{"city":"Oslo"}' },
    }
    return { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' }
  },
}

export default new Agent({ model, tools: [weather, book], instructions: 'Be kind.' })
