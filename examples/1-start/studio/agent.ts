// The agent of `npm run studio`: weather, images, speech, a booking that needs approval, a tool that fails, an inner agent.
import { Agent, agentTool, tool } from '@capstan/core'
import { mediaTools } from '@capstan/media'
import type { StudioSettings } from '@capstan/studio'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('The city, by its usual name') }),
  effects: 'read',
  execute: ({ city }) => ({ city, conditions: 'light snow', degrees: -2 }),
})

const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking',
  parameters: z.object({ booking: z.string().describe('Its number, such as B-17') }),
  needsApproval: true,
  execute: ({ booking }) => ({ booking, cancelled: true }),
})

let asked = 0
const traffic = tool({
  name: 'get_traffic',
  description: 'Traffic on the way to a place. Fails every other time',
  parameters: z.object({ place: z.string().describe('Where to') }),
  effects: 'read',
  execute: ({ place }) => {
    asked += 1
    if (asked % 2 === 1) throw new Error('The traffic service does not answer.')
    return { place, minutes: 25 }
  },
})

const forecaster = new Agent({
  name: 'forecaster',
  model: 'planner',
  instructions: 'You look up the weather.',
  tools: [weather],
})

export default new Agent({
  name: 'traveller',
  model: 'planner',
  instructions: 'You help travellers with your tools. Do what is asked, then answer briefly.',
  tools: [
    weather,
    cancelBooking,
    traffic,
    agentTool(forecaster, { name: 'ask_forecaster', description: 'Asks an agent that knows the weather' }),
    ...mediaTools(),
  ],
})

export const studio: StudioSettings = {
  prompts: ['Look up the weather in Oslo and draw it', 'Cancel booking B-17', 'Say "Hello, Oslo" aloud'],
}
