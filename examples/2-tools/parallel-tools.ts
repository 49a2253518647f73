// Parallel tool calls: the calls of one reply run concurrently; their results keep the order of the calls.
import '../local-service.js'
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

let running = 0

const distance = tool({
  name: 'get_distance',
  description: 'Distance by rail from Paris to a city, in kilometres',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  async execute({ city }) {
    running += 1
    console.log(`asked for ${city}: ${running} at once`)
    await new Promise((resolve) => setTimeout(resolve, 30))
    running -= 1
    return { city, kilometres: { Lyon: 427, Marseille: 750, Lille: 225 }[city] ?? null }
  },
})

const agent = new Agent({ model: 'planner', tools: [distance] })
const { text, stepCount } = await agent.run('What is the distance to Lyon, Marseille and Lille?')
console.log(text)
console.log(`${stepCount} requests to the model`)
