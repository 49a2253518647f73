import { Agent, chatModel } from '@capstan/core'
import { expect, test } from 'vitest'
import { startScriptedServer } from './scripted-server.js'
import { borrow, borrowByHand, type Library } from './tools.examples.js'

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

test('calls the tool of the page directly', async () => {
  expect(await borrowByHand(library)).toBe('Emma, until 2026-02-14')
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
