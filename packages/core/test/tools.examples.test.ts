import { Agent, agentTool, chatModel } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from './scripted-server.js'
import { borrow, borrowByHand, clerk, giveBack, type Library } from './tools.examples.js'

const library: Library = { borrow: async () => ({ until: '2026-02-14' }) }

test('the tool of the page reports its progress and returns a loan', async () => {
  const calls = [{ name: 'borrow_book', arguments: { title: 'Emma' } }]
  await using server = await startScriptedServer([{ calls }, { text: 'Done.' }])
  const progress: unknown[] = []
  const { toolCalls } = await new Agent({ model: chatModel('m', server), tools: [borrow] }).run(
    'Emma, please.',
    {
      context: { library },
      observe: (event) => {
        if (event.type === 'tool-progress') progress.push(event.value)
      },
    },
  )
  expect(progress).toEqual(['looking for Emma'])
  expect(toolCalls).toMatchObject([
    { status: 'ok', result: { title: 'Emma', weeks: 2, until: '2026-02-14' } },
  ])
})

test('the tool with limits of the page runs two calls with one target', async () => {
  const lines = ['Milk.', 'Bread.'].map((line) => reply.call('add_note', { path: 'list.txt', line }))
  const model = scriptedModel([...lines, reply.text('Added.')])
  const { toolCalls } = await clerk.run('Add milk and bread to the list.', { model })
  expect(toolCalls.map(({ content }) => content)).toEqual([
    'Added "Milk." to list.txt.',
    'Added "Bread." to list.txt.',
  ])
})

test('calls the tool of the page directly', async () => {
  expect(await borrowByHand(library)).toBe('Emma, until 2026-02-14')
})

test('the JSON Schema of the page types the arguments and validates them', async () => {
  expect(await giveBack.call({ title: 'Emma', isDamaged: true })).toEqual({ title: 'Emma', fee: 12 })
  await expect(giveBack.call({ title: '' })).rejects.toMatchObject({ code: 'invalid_arguments' })
  expectTypeOf(giveBack.call).parameter(0).toEqualTypeOf<{ title: string; isDamaged?: boolean }>()
})

test('the rejection on the page is what the model reads', async () => {
  const calls = [{ name: 'borrow_book', arguments: { title: 'Emma', weeks: 'two' } }]
  await using server = await startScriptedServer([{ calls }, { text: 'I am sorry.' }])
  const { messages } = await new Agent({ model: chatModel('m', server), tools: [borrow] }).run(
    'Emma, please.',
    {
      context: { library },
    },
  )
  const answer = messages.find(({ role }) => role === 'tool')
  await expect(`${answer?.content}\n`).toMatchFileSnapshot('tools.rejection.txt')
})

// #region agent
const critic = new Agent({ name: 'critic', model: 'gpt-5-mini', instructions: 'You rate texts.' })
const rateText = agentTool(critic, {
  name: 'rate_text',
  description: 'Rates a text',
  parameters: z.object({ text: z.string(), isStrict: z.boolean().default(false) }),
  toInput: ({ text, isStrict }) => `Rate this text${isStrict ? ' strictly' : ''}: ${text}`,
  output: z.object({ score: z.int().describe('From 1 to 5') }),
})
// #endregion

test('an agent tool has typed arguments and a typed result', async () => {
  const model = scriptedModel([
    reply.call('rate_text', { text: 'Hello.' }),
    reply.text('{"score": 4}', { asked: 'Rate this text: Hello.' }),
    reply.text('It is good.'),
  ])
  const { toolCalls } = await new Agent({ model, tools: [rateText] }).run('Rate it.', { model })
  const [first] = toolCalls
  if (!first || first.dynamic || first.status !== 'ok') throw new Error('The call did not succeed.')
  expectTypeOf(first.result.score).toBeNumber()
  expect(first.result.score).toBe(4)
})
