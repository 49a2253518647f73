// Tests of the team: a scripted model decides, the agents, their tools and limits are real. No service, no key.
import { fileURLToPath } from 'node:url'
import { checkTools, reply, scriptedModel } from '@capstan/testing'
import { replayRun } from '@capstan/testing/recording'
import '@capstan/testing/vitest'
import { expect, test } from 'vitest'
import { findFact, getPrice, makeTeam, publish } from '../team-budget/team.js'

// The price table knows this name.
const name = 'planner'

test('the editor asks both agents at once, and the publisher continues', async () => {
  const { editor, spent } = makeTeam(name)
  // Agents that work at the same time need a script each.
  const models = new Map([
    [
      'editor',
      scriptedModel(
        [
          reply.calls(
            reply.call('researcher', { input: 'Bergen?' }),
            reply.call('printer', { input: '20 copies?' }),
          ),
          reply.call('transfer_to_publisher', {}, { asked: '60 euros.' }),
        ],
        { name },
      ),
    ],
    [
      'researcher',
      scriptedModel([reply.call('find_fact', { city: 'Bergen' }), reply.text('From 1006.')], { name }),
    ],
    ['printer', scriptedModel([reply.call('get_price', { copies: 20 }), reply.text('60 euros.')], { name })],
    [
      'publisher',
      scriptedModel([reply.call('publish_article', { title: 'Bergen' }), reply.text('Done.')], { name }),
    ],
  ])
  const result = await editor.run('Write about Bergen.', {
    model: (own, agent) => models.get(agent) ?? own,
  })
  expect(result).toHaveCalledTools(['researcher', 'printer', 'transfer_to_publisher', 'publish_article'])
  expect(result.state.agent).toBe('publisher')
  for (const model of models.values()) expect(model).toBeUsedUp()
  expect(spent).toMatchObject({
    editor: { requests: 2 },
    researcher: { requests: 2 },
    printer: { requests: 2 },
  })
  const together = Object.values(spent).reduce((sum, { cost }) => sum + cost, 0)
  expect(result.usage.cost).toBeCloseTo(together, 9)
})

test('the printer stops at two calls, and the editor reads so', async () => {
  const three = [1, 2, 3].map((copies) => reply.call('get_price', { copies }))
  const script = [
    reply.call('printer', { input: 'All prices?' }),
    reply.calls(...three),
    reply.text('3 and 6 euros.'),
    reply.text('I know two prices.', { asked: /did not finish: toolCalls/ }),
  ]
  const result = await makeTeam(name).editor.run('All prices?', { model: scriptedModel(script, { name }) })
  expect(result.toolCalls[0]?.status).toBe('error')
  expect(result).toStopWith('done')
})

test('a reply that uses up the money is the last one', async () => {
  const dear = reply.call(
    'researcher',
    { input: 'Bergen?' },
    { tokens: { inputTokens: 5000, outputTokens: 2000 } },
  )
  const model = scriptedModel([dear], { name })
  const result = await makeTeam(name).editor.run('Write about Bergen.', { model })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'cost' })
})

test('a model can use the tools', () => {
  expect(checkTools([findFact, getPrice, publish]).findings).toEqual([])
})

test('the recorded run is still the run of this team', async () => {
  const file = fileURLToPath(new URL('task.jsonl', import.meta.url))
  const [again] = await replayRun(file, { agent: makeTeam('planner').editor })
  expect(again).toStopWith('done')
})
