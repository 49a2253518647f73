// The agent of agent.test.ts: two tools, and a model that the test replaces.
import { Agent, chatModel, tool } from '@capstan/core'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, sky: 'clear' }),
})

const draw = tool({
  name: 'draw',
  description: 'Draws a picture',
  parameters: z.object({ prompt: z.string().describe('What to draw') }),
  execute: ({ prompt }, { artifacts }) =>
    artifacts.put(new TextEncoder().encode(toSvg(prompt)), {
      kind: 'image',
      mediaType: 'image/svg+xml',
      width: 320,
      height: 200,
    }),
})

export const painter = new Agent({ model: chatModel('gpt-5-mini'), tools: [weather, draw] })

function toSvg(prompt: string): string {
  const color = /clear|sun/.test(prompt) ? 'skyblue' : 'grey'
  return `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200"><rect width="320" height="200" fill="${color}"/></svg>`
}
