import { beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../scripts/cases.mjs'
import { allCases } from './cases/all-cases.js'
import { chatClient } from './chat-client.js'
import { examineAll, unhurried, type Verdict } from './client-side.js'
import { lostThroughOpenai } from './lost-through-openai.js'
import { openaiClient } from './openai-client.js'

describe.each([
  { client: chatClient, lost: {} },
  { client: openaiClient, lost: lostThroughOpenai },
])('$client.name', ({ client, lost }) => {
  // Our own client reads every case. Through openai `npm test` tries every eighth, `.ci/long` all.
  const cases = allCases.filter(
    ({ id }, at) => !Object.hasOwn(lost, id) && (isLong || client === chatClient || at % 8 === 0),
  )
  let verdicts: ReadonlyMap<string, Promise<Verdict>>
  beforeAll(() => {
    // Few at once: on a busy machine each must be read before the two seconds of an error's body are over.
    const started = examineAll(unhurried(cases), client, 3)
    verdicts = new Map(cases.map(({ id }, n) => [id, started[n] as Promise<Verdict>]))
  })

  const named = cases.map(({ id, title }) => [`${id} ${title}`, id] as const)
  test.each(named)('%s', { timeout: 60_000 }, async (_name, id) => {
    const { faults } = (await verdicts.get(id)) ?? { faults: ['was not run'] }
    expect(faults).toEqual([])
  })
})
