// One question, one model, one expectation: the smallest evaluation.
import { chatModel } from '@capstan/core'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, expect } from 'vitest'
import { describeEval, toolCalls } from 'vitest-evals'
import { painter } from '../../1-start/first-test/weather-painter.js'
import { agentHarness } from './agent-harness.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

// #region eval
const harness = agentHarness('painter', ({ ask }, options) =>
  painter.run(ask, { ...options, model: chatModel('planner', service) }),
)

describeEval('the painter', { harness }, (it) => {
  it('looks before it draws', async ({ run }) => {
    const result = await run({ ask: 'Draw the weather in Oslo.' })
    expect(result.errors).toEqual([])
    expect(toolCalls(result).map(({ name }) => name)).toEqual(['get_weather', 'draw'])
    expect(result.output).toContain('clear')
  })
})
// #endregion
