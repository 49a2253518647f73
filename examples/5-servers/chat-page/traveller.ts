// The agent of the page: weather, images, speech, and a postcard that is sent only after an approval.
import { Agent, type AnyAgent, chatModel, tool } from '@capstan/core'
import { mediaTools } from '@capstan/media'
import * as z from 'zod'
import { getWeather } from '../../1-start/illustrator/tools.js'

const sendPostcard = tool({
  name: 'send_postcard',
  description: 'Sends a postcard to somebody',
  parameters: z.object({
    to: z.string().describe('Name of the person'),
    message: z.string().describe('What the postcard says'),
  }),
  needsApproval: true,
  execute: ({ to }) => ({ to, sent: true }),
})

export function toTraveller(service: { readonly baseURL: string; readonly apiKey: string }): AnyAgent {
  return new Agent({
    name: 'traveller',
    model: chatModel('planner', service),
    tools: [getWeather, sendPostcard, ...mediaTools({ client: service })],
  })
}
