import { expect, test } from 'vitest'
import { Agent, without } from '../../src/index.js'
import { named } from '../call-context.js'
import { call, calls, counted, scenario } from '../run-control/scenario.js'
import { expectSound } from '../run-control/soundness.js'
import { startStrictServer } from '../run-control/strict-server.js'
import type { SeenRequest } from '../scripted-server.js'

const search = call('search', { q: 'x' })
const nothing = { text: '' }

/** A request for words alone, whose last message says why. */
const forWords = expect.toSatisfy(
  ({ messages, tool_choice: choice }: SeenRequest['body']) =>
    choice === 'none' &&
    messages.at(-1)?.role === 'user' &&
    /last reply was empty/.test(String(messages.at(-1)?.content)),
)

scenario('an answer that says nothing is not kept, and asked for once more without calls', {
  script: [nothing, 'Here I am.'],
  asked: [{ messages: [{ role: 'user' }] }, forWords],
  expect: { stopReason: 'done', text: 'Here I am.', stepCount: 2, messages: [{}, { content: 'Here I am.' }] },
})

scenario('so is one of nothing but spaces, and one after calls', {
  script: [calls(search), { text: ' \n ' }, 'It is about x.'],
  asked: [{}, {}, forWords],
  expect: { stopReason: 'done', text: 'It is about x.', usage: { requests: 3 } },
  ran: ['search {"q":"x"}'],
})

scenario('two silences are an end without words, which says so', {
  script: [nothing, nothing],
  expect: { stopReason: 'done', text: '', incomplete: true, messages: [{ role: 'user' }] },
})

scenario('two silences after calls, too', {
  script: [calls(search), nothing, { text: ' ' }],
  expect: { stopReason: 'done', text: '', incomplete: true, messages: [{}, {}, { role: 'tool' }] },
})

scenario('words that came with calls are no answer to fall back on', {
  script: [{ ...calls(search), text: 'I look.' }, nothing, nothing],
  expect: { stopReason: 'done', text: '', incomplete: true },
})

scenario('without a final answer nothing more is asked', {
  script: [nothing],
  agent: { middleware: [without('final-answer')] },
  expect: { stopReason: 'done', text: '', incomplete: true },
})

scenario('a silent final answer at a limit is an end without words, which says so', {
  script: [calls(search), nothing],
  agent: { limits: { steps: 1 } },
  expect: { stopReason: 'limit', limit: 'steps', text: '', incomplete: true },
})

scenario('so is a final answer at a limit that fails', {
  script: [calls(search), { status: 401, error: { message: 'no' } }],
  agent: { limits: { steps: 1 } },
  expect: { stopReason: 'limit', text: '', incomplete: true },
  events: [{ type: 'final-answer-failed', code: 'auth' }],
})

scenario('a silence that a server has a word for is that end', {
  script: [{ text: '', finish: 'content_filter' }],
  expect: { stopReason: 'content_filter', text: '' },
})

scenario('when asking again fails, the run ends without words, and an event says why', {
  script: [nothing, { status: 401, error: { message: 'no' } }],
  expect: { stopReason: 'done', text: '', incomplete: true },
  events: [{ type: 'final-answer-failed', code: 'auth' }],
})

scenario("calls in the second answer are nobody's: it was asked for words", {
  script: [nothing, { ...calls(search), text: 'Words.' }],
  expect: { stopReason: 'done', text: 'Words.' },
  ran: [],
})

scenario('a limit ends the run as a limit, its silent final answer aside; more room asks with tools again', {
  script: [calls(search), nothing, calls(call('search', { q: 'y' })), 'It is about y.'],
  run: { limits: { steps: 1 } },
  expect: { stopReason: 'limit', limit: 'steps', text: '' },
  next: [{ run: { limits: { steps: 5 } }, expect: { stopReason: 'done', text: 'It is about y.' } }],
  ran: ['search {"q":"x"}', 'search {"q":"y"}'],
})

scenario('both answers are counted', {
  script: [counted(nothing, [7, 0]), counted('Here I am.', [9, 3])],
  expect: { usage: { requests: 2, inputTokens: 16, outputTokens: 3, unreported: 0 } },
})

scenario('an abort while it is asked for once more can be gone on with', {
  script: [nothing, 'never', calls(search), 'It is about x.'],
  abortAt: 'never',
  expect: { stopReason: 'aborted', text: '' },
  next: [{ expect: { stopReason: 'done', text: 'It is about x.' } }],
})

test('at a limit, words of an earlier step are the text, and nothing is marked', async () => {
  await using server = await startStrictServer([{ ...calls(search), text: 'I look.' }, nothing])
  const agent = new Agent({ model: server.model, tools: [named('search', () => 'x')], limits: { steps: 1 } })
  const result = await agent.run('Go.')
  expect(result).toMatchObject({ stopReason: 'limit', text: 'I look.' })
  expect(result).not.toHaveProperty('incomplete')
})

test('streams the text of the second reply only', async () => {
  await using server = await startStrictServer([nothing, { text: 'Here I am.' }])
  const run = new Agent({ model: server.model }).stream('Hello?')
  let words = ''
  for await (const text of run.textStream) words += text
  expect(words).toBe('Here I am.')
  const result = await run.result
  expect(result).toMatchObject({ stopReason: 'done', text: 'Here I am.' })
  expect(result.incomplete).toBeUndefined()
  expectSound(result)
})
