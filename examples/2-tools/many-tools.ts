// Many tools in a small prompt: the model searches for the tools that it needs. Later requests contain them.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, tool } from '@capstan/core'
import { deferred } from '@capstan/tools/search'
import * as z from 'zod'

const devices = ['lamp', 'heating', 'curtain', 'fan', 'oven', 'radio', 'sprinkler', 'doorbell', 'freezer']

/** Two tools for each device of a house. */
const house = devices.flatMap((device) => [
  tool({
    name: `switch_${device}`,
    description: `Switches the ${device} of a floor`,
    parameters: z.object({ floor: z.string().describe('Name of the floor') }),
    execute: ({ floor }) => `the ${device} of the ${floor} is on`,
  }),
  tool({
    name: `read_${device}_meter`,
    description: `Reads how much electricity the ${device} has used`,
    parameters: z.object({ floor: z.string().describe('Name of the floor') }),
    effects: 'read',
    execute: ({ floor }) => ({ floor, kWh: device.length }),
  }),
])

// #region deferred
const agent = new Agent({ model: 'planner', tools: [deferred(house, { group: 'house' })] })
// #endregion
const { text, steps } = await agent.run(
  'Call find_tools with the query "heating", then switch the heating of the floor "attic".',
  {
    observe: (event) => {
      if (event.type === 'tools-revealed') console.log(`found by "${event.query}": ${event.names.join(', ')}`)
    },
  },
)
for (const { toolCalls } of steps)
  for (const { name, content } of toolCalls) console.log(`${name}: ${content}`)
console.log(text)
