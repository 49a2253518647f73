// Structured output: validated against a schema, typed, and readable while the model writes it.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, partialOutput } from '@capstan/core'
import * as z from 'zod'

const output = z.object({
  guest: z.string().describe('Name of the guest'),
  nights: z.int().describe('How many nights'),
  room: z.enum(['single', 'double']).describe('Kind of room'),
})

const agent = new Agent({ model: 'planner', output })
const run = agent.stream('Give the final answer for the guest Ada Lovelace: 3 nights in a double room.')
let parts = 0
for await (const part of partialOutput(run)) if (part.guest !== undefined) parts++
const booking = (await run.result).orThrow().output
console.log(booking)
console.log(`${booking.guest}: ${booking.nights} nights, seen in ${parts > 1 ? 'parts' : 'one piece'}`)
