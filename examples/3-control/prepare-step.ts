// prepareStep: the first request offers one tool, and after a failed call a stronger model takes over.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, chatModel, ToolError, tool } from '@capstan/core'
import * as z from 'zod'
import { weather } from '../tools.js'

const openGate = tool({
  name: 'open_gate',
  description: 'Opens a gate of the harbour',
  parameters: z.object({ gate: z.int().describe('Number of the gate') }),
  execute({ gate }) {
    if (gate > 20) throw new ToolError(`There is no gate ${gate}.`)
    return { gate, open: true }
  },
})

// The local service has one planner, so both names mean the same model.
const strong = { ...chatModel('planner'), name: 'strong' }
const agent = new Agent({
  model: chatModel('planner'),
  tools: [weather, openGate],
  prepareStep({ step, toolCalls }) {
    if (step === 0) return { tools: ['get_weather'], toolChoice: 'required' }
    if (toolCalls.some(({ status }) => status === 'error')) return { model: strong }
    return undefined
  },
})
const { steps } = await agent.run('Get the weather in Oslo, then open gate 21.')
for (const { step, model, toolCalls, text } of steps)
  console.log(step, model, toolCalls.map(({ name, status }) => `${name} ${status}`).join(', ') || text)
