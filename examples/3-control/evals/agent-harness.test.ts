import type { Limits } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { type HarnessRun, toolCalls } from 'vitest-evals'
import { painter } from '../../1-start/first-test/weather-painter.js'
import { agentHarness } from './agent-harness.js'

const look = reply.call('get_weather', { city: 'Oslo' })

test('it tells words, calls with their results, tokens and artifacts', async () => {
  const run = await evaluate([reply.calls(look, reply.call('draw', { prompt: 'rain' })), reply.text('Done.')])
  expect(run).toMatchObject({
    output: 'Done.',
    errors: [],
    usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30, toolCalls: 2 },
  })
  const images = Object.values(run.artifacts ?? {})
  expect(images).toMatchObject([{ kind: 'image', width: 320 }])
  const ok = { status: 'ok' }
  expect(toolCalls(run)).toMatchObject([
    { ...ok, name: 'get_weather', arguments: { city: 'Oslo' }, result: { city: 'Oslo', sky: 'clear' } },
    { ...ok, name: 'draw', arguments: { prompt: 'rain' }, result: images[0] },
  ])
})

test('a call that no tool took has failed, with the words that the model read', async () => {
  const run = await evaluate([reply.call('paint', { with: 'oil' }), reply.text('I cannot.')])
  const error = { type: 'rejected', message: expect.stringContaining('get_weather') }
  expect(toolCalls(run)).toMatchObject([
    { name: 'paint', arguments: { with: 'oil' }, status: 'error', error },
  ])
})

test('a run that is not done is an error of the result', async () => {
  const run = await evaluate([look, look], { steps: 1 })
  expect(run.errors).toEqual([{ type: 'limit', message: 'The run ended as limit.' }])
  expect(toolCalls(run)).toHaveLength(1)
})

test('a model that cannot be asked fails the evaluation', async () => {
  await expect(evaluate([reply.fail('auth')])).rejects.toMatchObject({ code: 'auth' })
})

function evaluate(script: readonly ScriptStep[], limits: Limits = {}): Promise<HarnessRun<string>> {
  const harness = agentHarness('painter', ({ ask }, options) =>
    painter.run(ask, { ...options, limits, model: scriptedModel(script) }),
  )
  return harness.run({ ask: 'Paint it.' }, { artifacts: {}, setArtifact: () => {} })
}
