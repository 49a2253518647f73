// One agent and the same questions with several models: a script, the local planner, and a real model when named.
import { type ChatModel, chatModel } from '@capstan/core'
import { type Service, startService } from '@capstan/service'
import { scriptedModel } from '@capstan/testing'
import { afterAll, beforeAll, expect } from 'vitest'
import { describeEval } from 'vitest-evals'
import { painter } from '../../1-start/first-test/weather-painter.js'
import { agentHarness } from './agent-harness.js'
import { rightCalls, rightWords } from './judges.js'
import { cases, type WeatherCase } from './weather-cases.js'

// #region models
const { CAPSTAN_MODEL: real } = process.env
if (!real)
  console.warn('No real model is evaluated. Set CAPSTAN_MODEL to its name, and OPENAI_API_KEY to its key.')

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

interface Candidate {
  readonly name: string
  readonly model: (one: WeatherCase) => ChatModel
  /** Runs of each case: a model that answers differently each time needs more than one. */
  readonly rounds: number
  /** The lowest accepted mean of all scores. */
  readonly least: number
  readonly skip?: boolean
}

const candidates: readonly Candidate[] = [
  { name: 'a script', model: ({ script }) => scriptedModel(script), rounds: 1, least: 1 },
  { name: 'the planner', model: () => chatModel('planner', service), rounds: 1, least: 0.8 },
  { name: real ?? 'a real model', model: () => chatModel(real ?? ''), rounds: 3, least: 0.8, skip: !real },
]
// #endregion

// #region evaluate
for (const { name, model, rounds, least, skip = false } of candidates) {
  const harness = agentHarness<WeatherCase>(name, (one, options) =>
    painter.run(one.ask, { ...options, model: model(one) }),
  )
  // Unless every case must pass, each score is recorded, and only the mean has to reach `least`.
  const threshold = least === 1 ? 1 : null
  const suite = { harness, judges: [rightCalls], judgeThreshold: threshold, skipIf: () => skip }
  describeEval(`the weather painter with ${name}`, suite, (it) => {
    const asked = Array.from({ length: rounds }, () => cases).flat()
    const scores: { ask: string; score: number }[] = []

    it.for(asked)('$ask', { timeout: 60_000 }, async (one, { run, task }) => {
      const result = await run(one)
      expect(result.errors).toEqual([])
      if (one.says.length > 0) await expect(result).toSatisfyJudge(rightWords, { threshold })
      scores.push({ ask: one.ask, score: task.meta.eval?.avgScore ?? 0 })
    })

    it.skipIf(least === 1)(`scores ${least} or more on average`, () => {
      const mean = scores.reduce((sum, { score }) => sum + score, 0) / asked.length
      const lines = scores.map(({ ask, score }) => `${score.toFixed(2)}  ${ask}`)
      expect(mean, `the scores were\n${lines.join('\n')}\nwhose mean`).toBeGreaterThanOrEqual(least)
    })
  })
}
// #endregion
