import { Agent, tool } from '@capstan/core'
import { deferred } from '@capstan/tools/search'
import * as z from 'zod'

const floor = z.object({ floor: z.string().describe('Name of the floor, such as "attic"') })
const switches = Array.from({ length: 150 }, (_, at) =>
  tool({
    name: `switch_lamp_${at}`,
    description: `Switches lamp number ${at} of a floor on or off.`,
    parameters: floor,
    execute: () => 'on',
  }),
)
const look = tool({
  name: 'look_around',
  description: 'Tells which lamps of a floor are on.',
  parameters: floor,
  execute: () => 'none',
})

export default new Agent({ name: 'house', model: 'planner', tools: [look, deferred(switches)] })
