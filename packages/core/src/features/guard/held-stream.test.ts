import { expect, test } from 'vitest'
import type { AssistantMessage } from '../../types/message.js'
import type { ModelDelta, RetryNotice } from '../../types/model.js'
import { HeldStream } from './held-stream.js'

const retry: RetryNotice = { type: 'retry', attempt: 1, delayMs: 0, code: 'api', message: 'down' }
const text = (words: string): ModelDelta => ({ type: 'text', text: words })
const call = (name: string, args: string, index = 0): ModelDelta => ({
  type: 'call',
  index,
  name,
  arguments: args,
})
const reply = (content: string, ...calls: readonly (readonly [string, string])[]): AssistantMessage => ({
  role: 'assistant',
  content,
  ...(calls.length > 0
    ? {
        tool_calls: calls.map(([name, args], at) => ({
          id: `c${at}`,
          type: 'function',
          function: { name, arguments: args },
        })),
      }
    : {}),
})

/** A stream, with what it passed on and what was judged. Verdicts are given one by one, or are all the same. */
function held(verdict?: boolean) {
  const passed: string[] = []
  const judged: string[] = []
  const waiting: ((isAllowed: boolean) => void)[] = []
  const to = (delta: ModelDelta) => {
    if (delta.type === 'text' || delta.type === 'reasoning') passed.push(delta.text)
    else passed.push(delta.type === 'retry' ? 'retry' : `${delta.name} ${delta.arguments}`)
  }
  const stream = new HeldStream(to, {
    isAnswer: (name) => name === 'final_answer',
    judge(so) {
      judged.push(so)
      if (verdict !== undefined) return Promise.resolve(verdict)
      return new Promise((resolve) => waiting.push(resolve))
    },
  })
  const take = (...deltas: readonly ModelDelta[]) => {
    for (const delta of deltas) stream.sink(delta)
  }
  return { stream, passed, judged, waiting, take }
}

test.each([
  ['One. Two', 'One. '],
  ['One.\nTwo', 'One.\n'],
  ['"One!" Two', '"One!" '],
  ['One?) Two', 'One?) '],
  ['One\nTwo', 'One\n'],
  ['一。二', '一。'],
  ['3.14 and 2.71', ''],
  ['One.', ''],
])('of %j it releases %j', async (words, released) => {
  for (const deltas of [[words], [...words]]) {
    const { stream, passed, take } = held(true)
    take(...deltas.map(text))
    expect(await stream.settled()).toBe(released)
    expect(passed.join('')).toBe(released)
  }
})

test('asks the judge once at a time, about all text so far', async () => {
  const { stream, judged, waiting, take, passed } = held()
  take(text('One. '), text('Two. '), text('Three. '))
  expect(judged).toEqual(['One. '])
  waiting[0]?.(true)
  await expect.poll(() => judged).toEqual(['One. ', 'One. Two. Three. '])
  waiting[1]?.(true)
  await stream.settled()
  expect(passed).toEqual(['One. ', 'Two. Three. '])
})

test('a denial holds everything back until the end', async () => {
  const { stream, judged, take, passed } = held(false)
  take(text('One. '))
  await stream.settled()
  take(text('Two. '), call('look', '{}'))
  expect(await stream.settled()).toBe('')
  expect([judged, passed]).toEqual([['One. '], []])
  stream.release(reply('One. Two. ', ['look', '{}']))
  expect(passed).toEqual(['One. Two. ', 'look {}'])
})

test('calls wait for the text before them, and pass at once without any', async () => {
  const { stream, waiting, take, passed } = held()
  take(call('look', ''), call('look', '{}'))
  expect(passed).toEqual(['look ', 'look {}'])
  take(text('Hm'), call('seek', '{}', 1))
  expect(passed).toHaveLength(2)
  waiting[0]?.(true)
  await stream.settled()
  expect(passed.slice(2)).toEqual(['Hm', 'seek {}'])
})

test('a call with the answer waits for the end, and is one delta', () => {
  const { stream, take, passed } = held(true)
  take(call('final_answer', ''), call('final_answer', '{"a":'), call('final_answer', '17}'))
  expect(passed).toEqual([])
  stream.release(reply('', ['final_answer', '{"a":0}']))
  expect(passed).toEqual(['final_answer {"a":0}'])
})

test('a retry drops what is held back, and the verdict on it', async () => {
  const { stream, waiting, take, passed, judged } = held()
  take(text('One. '), retry, text('Two. '))
  waiting[0]?.(true)
  await expect.poll(() => judged).toEqual(['One. ', 'Two. '])
  waiting[1]?.(true)
  expect(await stream.settled()).toBe('Two. ')
  expect(passed).toEqual(['retry', 'Two. '])
})

test('nothing passes once it is closed', async () => {
  const { stream, waiting, take, passed } = held()
  take(text('One. '))
  stream.close()
  waiting[0]?.(true)
  await stream.settled()
  expect(passed).toEqual([])
})

test('text that does not stay is void, with the calls behind it', async () => {
  const { stream, take, passed } = held(true)
  take(text('One. '), call('look', '{}'))
  await stream.settled()
  stream.release(reply('None.', ['look', '{}']))
  expect(passed).toEqual(['One. ', 'look {}', 'retry', 'None.', 'look {}'])
  stream.void()
  expect(passed).toHaveLength(5)
})

test('a reply that was not streamed stays so', () => {
  const { stream, passed } = held(true)
  stream.release(reply('One.'))
  stream.void()
  expect(passed).toEqual([])
})

test('reasoning is dropped', () => {
  const { take, passed } = held(true)
  take({ type: 'reasoning', text: 'Hm. ' })
  expect(passed).toEqual([])
})
