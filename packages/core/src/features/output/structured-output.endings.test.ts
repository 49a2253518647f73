import { expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../../test/scripted-server.js'
import { Agent, allowOnly, chatModel, handoff, tool } from '../../index.js'

const output = z.object({ n: z.number() })
const answer = { calls: [{ name: 'final_answer', arguments: { n: 1 } }] }
const danger = tool({
  name: 'danger',
  description: 'Does harm',
  parameters: z.object({}),
  execute: () => expect.unreachable('it was not offered'),
})
const told = tool({
  name: 'tell',
  description: 'Tells',
  parameters: z.object({}),
  returnDirect: true,
  execute: () => 'told',
})

test('an empty answer has not the form either', async () => {
  await using server = await startScriptedServer([{ text: '' }, answer])
  const result = await new Agent({ model: chatModel('m', server), output }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', output: { n: 1 } })
  expect(server.requests[1]?.body.messages.at(-1)?.content).toContain('the reply is empty')
})

test('a tool that returns directly is no answer in the form', async () => {
  await using server = await startScriptedServer([{ calls: [{ name: 'tell' }] }, answer])
  const result = await new Agent({ model: chatModel('m', server), tools: [told], output }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', output: { n: 1 }, stepCount: 2 })
})

test('the form is that of the agent that was asked, whoever answers', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'transfer_to_other' }] },
    { text: 'Hi.' },
    answer,
  ])
  const other = new Agent({ name: 'other', model: chatModel('m', server), tools: [told] })
  const agent = new Agent({ name: 'first', model: chatModel('m', server), tools: [handoff(other)], output })
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'done', output: { n: 1 } })
})

test.each([{ tools: [] }, { toolChoice: 'none' as const }])(
  'a step that offers nothing (%j) still lets the model answer, and nothing else run',
  async (changes) => {
    const refusal = { error: { message: 'response_format is not supported' } }
    const calls = [{ name: 'danger' }, ...answer.calls]
    await using server = await startScriptedServer([{ status: 400, body: refusal }, { calls }])
    const model = chatModel('m', { baseURL: server.baseURL, apiKey: server.apiKey, dialect: 'openai' })
    const agent = new Agent({ model, tools: [danger], output, prepareStep: () => changes })
    const result = await agent.run('Go.')
    expect(result).toMatchObject({ stopReason: 'done', output: { n: 1 } })
    expect(result.toolCalls).toMatchObject([{ name: 'danger', status: 'rejected' }, { status: 'ok' }])
    expect(server.requests[1]?.body.tools).toHaveLength(1)
  },
)

test('it can be forced where a step offers other tools only', async () => {
  await using server = await startScriptedServer([{ text: 'One.' }, answer])
  const agent = new Agent({
    model: chatModel('m', server),
    tools: [told],
    output,
    prepareStep: () => ({ tools: ['tell'] }),
  })
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'done', output: { n: 1 } })
  expect(server.requests[1]?.body.tool_choice).toMatchObject({ function: { name: 'final_answer' } })
})

test('every correction forces it, also after a tool of the user’s was forced', async () => {
  const words = { text: 'One.' }
  await using server = await startScriptedServer([{ calls: [{ name: 'tell' }] }, words, words, answer])
  const agent = new Agent({ model: chatModel('m', server), tools: [told], output, toolChoice: 'tell' })
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'done' })
  const forced = { type: 'function', function: { name: 'final_answer' } }
  expect(server.requests.map(({ body }) => body.tool_choice).slice(1)).toEqual(['auto', forced, forced])
})

test('no policy and no limit on calls holds it back', async () => {
  await using server = await startScriptedServer([answer])
  const agent = new Agent({
    model: chatModel('m', server),
    output,
    policy: allowOnly([]),
    limits: { toolCalls: 0 },
  })
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'done', output: { n: 1 } })
})

test('what a server cut or held back ends as that, not as another form', async () => {
  for (const finish of ['length', 'content_filter']) {
    await using server = await startScriptedServer([{ text: '{"n":', finish }])
    const result = await new Agent({ model: chatModel('m', server), output }).run('Go.')
    expect(result.stopReason).toBe(finish)
  }
})

test('a schema whose own code fails on words is told to the model, and ends nothing', async () => {
  const picky = z.object({
    n: z.number().transform((n) => {
      if (n > 1) throw new Error('n is too large')
      return n
    }),
  })
  await using server = await startScriptedServer([{ text: '{"n":2}' }, answer])
  const result = await new Agent({ model: chatModel('m', server), output: picky }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', output: { n: 1 } })
  expect(server.requests[1]?.body.messages.at(-1)?.content).toContain('n is too large')
})
