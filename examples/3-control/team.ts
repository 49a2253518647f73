// An agent as a tool of another agent, with a call that needs approval.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, agentTool, type RunState } from '@capstan/core'
import { cancelBooking } from '../tools.js'

const frontDesk = new Agent({ name: 'front_desk', model: 'planner', tools: [cancelBooking] })
const manager = new Agent({
  name: 'manager',
  model: 'planner',
  tools: [agentTool(frontDesk, { description: 'Asks the front desk, which cancels bookings' })],
  limits: { toolCalls: 10 },
  observe: (event) => {
    const indent = event.parentCallId ? '  ' : ''
    if (event.type === 'tool-start') console.log(`${indent}${event.name}`, event.arguments)
  },
})

const asked = await manager.run('Ask the front desk: "Cancel booking B-17."')
const [call] = asked.pending ?? []
console.log(asked.stopReason, call?.agent, call?.name, call?.arguments)

const stored = JSON.stringify(asked.state)
const decisions = call ? { [call.callId]: { type: 'approve' as const } } : {}
const done = await manager.run(JSON.parse(stored) as RunState, { decisions })
console.log(done.text)
console.log(`${done.usage.requests} requests, ${done.usage.toolCalls} calls`)
