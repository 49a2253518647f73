import { expect, test } from 'vitest'
import { named } from './call-context.js'
import { afterFailures, firstSearch, shortAnswers } from './prepare-step.examples.js'
import { scriptedModel } from './scripted-model.js'

const search = named('search', () => {
  throw new Error('it is dark')
})
const tools = [search, named('book', () => 1)]
const given = () => ({
  model: scriptedModel([[['search']], 'Done.']),
  strong: scriptedModel(['Done.'], 'strong'),
  tools,
})

test('the first request of the page offers one tool, and later ones all', async () => {
  const parts = given()
  await firstSearch(parts).run('Go.')
  expect(parts.model.requests.map((one) => [one.tools.length, one.toolChoice])).toEqual([
    [1, 'required'],
    [2, 'auto'],
  ])
})

test('the model of the page changes after a failed call', async () => {
  const parts = given()
  await afterFailures(parts).run('Go.')
  expect([parts.model, parts.strong].map(({ requests }) => requests.length)).toEqual([1, 1])
})

test('the long conversation of the page gets other instructions and a bound', async () => {
  const parts = given()
  const messages = Array.from({ length: 21 }, () => ({ role: 'user', content: 'Hi.' }) as const)
  await shortAnswers(parts).run(messages)
  expect(parts.model.requests[0]).toMatchObject({
    messages: [{ role: 'system', content: 'Answer in one sentence.' }, ...messages],
    settings: { max_tokens: 200 },
  })
})
