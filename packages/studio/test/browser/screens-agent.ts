/** The tests' agent file. The agent makes the calls in the user's message, and repeats their results. */
export const agentSource = `
import { Agent, tool, ToolError } from '@capstan/core'
import * as z from 'zod'

/** For "call NAME JSON; call NAME JSON", makes the calls one after the other, then replies with the last result. */
const model = {
  name: 'obedient',
  async complete({ messages }, sink) {
    const usage = { inputTokens: 50, outputTokens: 20, totalTokens: 70 }
    const text = (one) => (typeof one.content === 'string' ? one.content : JSON.stringify(one.content))
    const asked = text(messages.findLast(({ role }) => role === 'user')).split('; ')
    const after = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
    const made = after.filter(({ role }) => role === 'assistant').length
    const [, name, json] = /^call (\\w+) ?(.*)/s.exec(asked[made] ?? '') ?? []
    if (name) {
      const call = { id: 'call_' + messages.length, type: 'function', function: { name, arguments: json || '{}' } }
      return { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls', usage }
    }
    const how = messages.find(({ role }) => role === 'system')?.content ?? ''
    const content = how + ' I read: ' + text(messages.at(-1))
    sink?.({ type: 'text', text: content })
    return { message: { role: 'assistant', content }, finishReason: 'stop', usage }
  },
}

const get_weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('The city'), day: z.string().optional() }),
  effects: 'read',
  execute: ({ city }) => {
    console.log('asked for ' + city)
    if (city === 'Atlantis') throw new ToolError('There is no Atlantis.')
    return { city, degrees: 7 }
  },
})
const pay = tool({
  name: 'pay',
  description: 'Pays a bill',
  parameters: z.object({ amount: z.number().int().min(1).describe('In euros'), note: z.string().nullable().describe('A note') }),
  needsApproval: true,
  execute: ({ amount, note }) => ({ paid: amount, note }),
})
const ask_user = tool({
  name: 'ask_user',
  description: 'Asks the user something',
  parameters: z.object({ question: z.string().describe('The question') }),
})
const draw = tool({
  name: 'draw',
  description: 'Draws a picture, or changes one',
  parameters: z.object({ prompt: z.string().describe('What it shows'), image: z.string().optional().describe('The id of a picture to change') }),
  effects: 'read',
  execute: async ({ prompt, image }, { artifacts }) => {
    const colours = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
    const bytes = Buffer.concat([colours, Buffer.from(prompt)])
    const parents = image ? { parents: [image] } : {}
    const made = await artifacts.put(bytes, { kind: 'image', mediaType: 'image/png', width: 1, height: 1, origin: { prompt }, ...parents })
    return { image: made.id }
  },
})
const wait = tool({
  name: 'wait',
  description: 'Waits until the run is stopped',
  parameters: z.object({}),
  effects: 'read',
  execute: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
})

const tools = [get_weather, pay, ask_user, draw, wait]
export default new Agent({ name: 'helper', instructions: 'Be brief.', model, tools })
`

/** A file with a tool for each of the tests' schemas, except those that tools cannot have, such as a union. */
export const formsSource = `
import { jsonSchema, tool } from '@capstan/core'
import { formCases } from '../fixtures/form-schemas.js'

export const tools = formCases.flatMap(({ name, schema }, at) =>
  schema.type !== 'object' ? [] : tool({ name: 'form_' + at, description: name, parameters: jsonSchema(schema), effects: 'read', execute: (given) => given }),
)
`
