import { reply, scriptedModel } from '@capstan/testing'
import { expect } from 'vitest'
import { describeEval } from 'vitest-evals'
import { painter } from '../../1-start/first-test/weather-painter.js'
import { agentHarness } from './agent-harness.js'
import { rightCalls, rightWords } from './judges.js'
import type { WeatherCase } from './weather-cases.js'

const harness = agentHarness<WeatherCase>('a script', ({ ask, script }, options) =>
  painter.run(ask, { ...options, model: scriptedModel([...script, reply.text('A clear sky.')]) }),
)
const look = reply.call('get_weather', { city: 'Oslo' })
const draw = reply.call('draw', { prompt: 'A clear sky' })
const looking = { name: 'get_weather', arguments: { city: 'Oslo' } }
const drawing = { name: 'draw', arguments: { prompt: /clear/ } }

const answers = [
  { title: 'what is wanted', calls: [looking, drawing], script: [look, draw], score: 1 },
  { title: 'no call where none is needed', calls: [], script: [], score: 1 },
  { title: 'a call where none is needed', calls: [], script: [look], score: 0 },
  { title: 'no call where one is needed', calls: [looking], script: [], score: 0 },
  { title: 'a call too many', calls: [drawing], script: [look, draw], score: 0.5 },
  { title: 'the other order', calls: [looking, drawing], script: [draw, look], score: 0.5 },
  {
    title: 'another argument',
    calls: [{ name: 'get_weather', arguments: { city: 'Rome' } }],
    script: [look],
    score: 0,
  },
]

describeEval('right calls', { harness, judges: [rightCalls], judgeThreshold: null }, (it) => {
  it.for(answers)('$title is worth $score', async ({ calls, script, score }, { run, task }) => {
    await run({ ask: 'Draw.', calls, says: [], script })
    expect(task.meta.eval?.avgScore).toBe(score)
  })
})

describeEval('a threshold', { harness, judges: [rightCalls], judgeThreshold: 0.6 }, (it) => {
  it('fails what is worth less, and says what was wanted', async ({ run }) => {
    const answer = run({ ask: 'Draw.', calls: [drawing], says: [], script: [look, draw] })
    await expect(answer).rejects.toThrow(
      /Score: 0.50 below threshold: 0.60[\s\S]*wanted: draw\({ prompt: \/clear\/ }\); made: get_weather/,
    )
  })
})

describeEval('right words', { harness }, (it) => {
  it('a pattern that is not in the words takes its share', async ({ run, task }) => {
    const result = await run({ ask: 'Draw.', calls: [], says: [/clear/, /sky/, /rain/, /Oslo/], script: [] })
    await expect(result).toSatisfyJudge(rightWords, { threshold: 0.5 })
    expect(task.meta.eval?.scores).toEqual([
      { name: 'right words', score: 0.5, metadata: { rationale: 'not said: /rain/, /Oslo/' } },
    ])
  })
})
