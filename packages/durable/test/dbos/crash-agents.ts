import { Agent, type AnyAgent, tool } from '@capstan/core'
import * as z from 'zod'
import { plannedModel } from '../planned-model.js'

/** The agents that test workers execute. All their effects happen in an external service. */
export function crashAgents(origin: string): Readonly<Record<'payer' | 'poison' | 'slow', AnyAgent>> {
  const note = async (key: string, args: unknown) => {
    const response = await fetch(`${origin}/tool`, {
      method: 'POST',
      headers: { 'x-worker': String(process.pid) },
      body: JSON.stringify({ key, args }),
    })
    return response.text()
  }
  const pay = tool({
    name: 'pay',
    description: 'Pays a bill',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: (args, { idempotencyKey }) => note(idempotencyKey, args),
  })
  const crash = tool({
    name: 'crash',
    description: 'Ends the process',
    parameters: z.object({}),
    execute: (): string => process.exit(1),
  })
  const wait = tool({
    name: 'wait',
    description: 'Takes its time',
    parameters: z.object({ turn: z.number() }),
    execute: (args, { idempotencyKey }) => note(idempotencyKey, args),
  })
  const turns = Array.from({ length: 40 }, (_, turn) => [{ name: 'wait', arguments: { turn } }])
  return {
    payer: new Agent({
      name: 'payer',
      model: plannedModel([[{ name: 'pay', arguments: { amount: 12 } }]]),
      tools: [pay],
    }) as unknown as AnyAgent,
    poison: new Agent({
      name: 'poison',
      model: plannedModel([[{ name: 'crash' }]]),
      tools: [crash],
    }) as unknown as AnyAgent,
    slow: new Agent({
      name: 'slow',
      model: plannedModel(turns),
      tools: [wait],
      limits: { steps: 50 },
    }) as unknown as AnyAgent,
  }
}
