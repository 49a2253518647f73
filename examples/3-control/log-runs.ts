// A log of a run, line by line, in which a stronger model takes over after a failed call.
import '../local-service.js'
import { Agent, chatModel, logRuns, modelPerStep, ToolError, tool } from '@capstan/core'
import * as z from 'zod'

const openGate = tool({
  name: 'open_gate',
  description: 'Opens a gate',
  parameters: z.object({ gate: z.number().int().describe('Number of the gate') }),
  execute: ({ gate }) => {
    if (gate > 20) throw new ToolError(`there is no gate ${gate}`)
    return { gate, open: true }
  },
})

// Two names of one model: the local service has a single planner.
const strong = { ...chatModel('planner'), name: 'strong' }
const agent = new Agent({
  model: chatModel('planner'),
  tools: [openGate],
  middleware: [
    logRuns({ to: console.log }),
    modelPerStep((_call, run) =>
      run.toolCalls.some(({ status }) => status === 'error') ? strong : undefined,
    ),
  ],
})
await agent.run('Open gate 21. Then open gate 17.', { runId: 'evening' })
