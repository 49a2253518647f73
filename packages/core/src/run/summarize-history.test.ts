import { expect, test } from 'vitest'
import { scriptedModel } from '../../test/scripted-model.js'
import type { Message } from '../words/message.js'
import { summarizeHistory } from './summarize-history.js'

const user = (content: string): Message => ({ role: 'user', content })
const said = (content: string): Message => ({ role: 'assistant', content })
const exchange = (n: number) => [user(`question ${n}`), said(`answer ${n}`)]
/** Ten tokens for each message. */
const estimate = (messages: readonly Message[]) => messages.length * 10
const nobody = scriptedModel([])
const { signal } = new AbortController()
const asked = (model = nobody) => ({ estimate, model, signal })

const history = [...exchange(1), ...exchange(2), ...exchange(3), user('question 4')]
const head = (summary: string, text: string) =>
  user(`[What was said before, in short]\n${summary}\n\n[Now]\n${text}`)

test('a history that is short enough is left as it is, and nobody is asked', async () => {
  const compact = summarizeHistory({ maxTokens: 70 })
  expect(await compact({ messages: history, ...asked() })).toBe(history)
  expect(nobody.requests).toEqual([])
})

test('the oldest exchanges give way to what the model makes of them', async () => {
  const model = scriptedModel(['Two things were asked.'])
  const compact = summarizeHistory({ maxTokens: 60 })
  const shown = await compact({ messages: history, ...asked(model) })
  expect(shown).toEqual([head('Two things were asked.', 'question 3'), said('answer 3'), user('question 4')])
  expect(model.requests).toMatchObject([
    {
      messages: [
        { role: 'system' },
        user('user: question 1\nassistant: answer 1\nuser: question 2\nassistant: answer 2'),
      ],
    },
  ])
})

test('a summary stays until the history is too long with it; the next is made from it', async () => {
  const model = scriptedModel(['One.', 'Two.'])
  const compact = summarizeHistory({ maxTokens: 60 })
  const messages = [...history]
  await compact({ messages, ...asked(model) })
  messages.push(said('answer 4'), user('question 5'))
  expect(await compact({ messages, ...asked(model) })).toEqual([
    head('One.', 'question 3'),
    ...messages.slice(5),
  ])
  expect(model.requests).toHaveLength(1)
  messages.push(said('answer 5'), user('question 6'))
  const shown = await compact({ messages, ...asked(model) })
  expect(shown).toEqual([head('Two.', 'question 5'), said('answer 5'), user('question 6')])
  const [, again] = model.requests
  expect(again?.messages[1]?.content).toBe(
    'before: One.\nuser: question 3\nassistant: answer 3\nuser: question 4\nassistant: answer 4',
  )
})

test('the same conversation, shorter again, is shown with the summary that it had', async () => {
  const model = scriptedModel(['One.'])
  const compact = summarizeHistory({ maxTokens: 60 })
  await compact({ messages: history, ...asked(model) })
  const shown = await compact({ messages: history, ...asked(model) })
  expect(shown[0]).toEqual(head('One.', 'question 3'))
  expect(model.requests).toHaveLength(1)
})

test('how much is kept, who writes and what for can be said', async () => {
  const model = scriptedModel(['Hm.'])
  const options = { maxTokens: 60, keepTokens: 50, model, instructions: 'In one word.' }
  const shown = await summarizeHistory(options)({ messages: history, ...asked() })
  expect(shown).toHaveLength(5)
  expect(model.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'In one word.' })
  expect(nobody.requests).toEqual([])
})

test('a last exchange that is too long is shown whole, with what is before it in short', async () => {
  const turns = Array.from({ length: 8 }, (_, n) => said(`step ${n}`))
  const model = scriptedModel(['One.'])
  const compact = summarizeHistory({ maxTokens: 30 })
  const messages = [...exchange(1), user('Go.'), ...turns]
  for (const _ of 'ab')
    expect(await compact({ messages, ...asked(model) })).toEqual([head('One.', 'Go.'), ...turns])
  expect(model.requests).toHaveLength(1)
  const alone = [user('Go.'), ...turns]
  expect(await compact({ messages: alone, ...asked() })).toBe(alone)
})

test('the opening words of the system stay, and are in no summary', async () => {
  const system: Message = { role: 'system', content: 'Be brief.' }
  const model = scriptedModel(['One.'])
  const shown = await summarizeHistory({ maxTokens: 60 })({ messages: [system, ...history], ...asked(model) })
  expect(shown.slice(0, 2)).toEqual([system, head('One.', 'question 3')])
  expect(model.requests[0]?.messages[1]?.content).not.toContain('Be brief.')
})

test('a message in parts keeps them behind the summary', async () => {
  const parts: Message = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }
  const model = scriptedModel(['One.'])
  const shown = await summarizeHistory({ maxTokens: 20 })({
    messages: [...exchange(1), parts],
    ...asked(model),
  })
  expect(shown).toMatchObject([{ content: [{ type: 'text' }, { type: 'image_url' }] }])
})

test('a failure is thrown, and the next request tries again', async () => {
  const fails = () => Promise.reject(new Error('not now'))
  const model = scriptedModel([fails, '  ', 'One.'])
  const compact = summarizeHistory({ maxTokens: 60 })
  await expect(compact({ messages: history, ...asked(model) })).rejects.toThrow('not now')
  await expect(compact({ messages: history, ...asked(model) })).rejects.toMatchObject({
    code: 'invalid_response',
  })
  expect((await compact({ messages: history, ...asked(model) }))[0]).toEqual(head('One.', 'question 3'))
})
