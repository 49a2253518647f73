import { expect, test } from 'vitest'
import * as z from 'zod'
import { scriptedModel } from '../test/scripted-model.js'
import { Agent, agentTool, backgroundCalls, type RunEvent, tool } from './index.js'
import type { Spending } from './usage.js'

const price = { small: { inputTokens: 1, outputTokens: 2 }, painter: { images: 40 } }

const paint = (spent: Spending | undefined, more = {}) =>
  tool({
    name: 'paint',
    description: 'Paints.',
    parameters: z.object({}),
    execute: (_args, { spend }) => {
      if (spent) spend(spent)
      return 'painted'
    },
    ...more,
  })

/** The costs of the calls that ended, in their order. */
async function costsOf(agent: Agent): Promise<unknown[]> {
  const costs: unknown[] = []
  const observe = (event: RunEvent) => {
    if (event.type === 'tool-end' && !event.background) costs.push('cost' in event ? event.cost : 'absent')
  }
  await agent.run('Go.', { observe })
  return costs
}

const painting = (spent: Spending | undefined, options = {}) =>
  new Agent({
    model: scriptedModel([[['paint']], 'Done.'], 'small'),
    tools: [paint(spent)],
    price,
    ...options,
  })

test('the end of a call has the cost of what it spent', async () => {
  expect(await costsOf(painting({ images: 2, model: 'painter' }))).toEqual([80])
  expect(await costsOf(painting({ images: 2, model: 'other' }))).toEqual(['unknown'])
  expect(await costsOf(painting(undefined))).toEqual(['absent'])
  expect(await costsOf(painting({ images: 2, model: 'painter' }, { price: undefined }))).toEqual(['absent'])
})

test('the end of a call that an agent answers has the cost of its run', async () => {
  const artist = () => painting({ images: 1, model: 'painter' }, { name: 'artist' })
  const { usage } = await artist().run('A cat.')
  const tools = [agentTool(artist(), { description: 'Draws.' })]
  const model = scriptedModel([[['artist', { input: 'A cat.' }]], 'Done.'], 'small')
  const agent = new Agent({ model, tools, price })
  expect(await costsOf(agent)).toEqual([40, usage.cost])
})

test('the end of a call in the background has its cost', async () => {
  const tools = [paint({ images: 1, model: 'painter' }, { background: true })]
  const model = scriptedModel([[['paint']], 'Waits.', 'Done.'], 'small')
  expect(await costsOf(new Agent({ model, tools, price, middleware: [backgroundCalls()] }))).toEqual([40])
})
