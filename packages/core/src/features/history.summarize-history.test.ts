import { expect, test } from 'vitest'
import { scriptedModel } from '../../test/scripted-model.js'
import type { History } from '../run/trim-messages.js'
import { estimateMessages } from '../run/trim-messages.js'
import { type Message, textOf } from '../types/message.js'
import type { ChatModel } from '../types/model.js'
import { summarizer } from './history.js'

const user = (content: string): Message => ({ role: 'user', content })
const said = (content: string): Message => ({ role: 'assistant', content })
const exchange = (n: number) => [user(`question ${n}`), said(`answer ${n}`)]
/** Ten tokens for each message. */
const estimate = (messages: readonly Message[]) => messages.length * 10
const nobody = scriptedModel([])
const { signal } = new AbortController()
const asked = (model: ChatModel = nobody) => ({ task: -1, estimate, model, ask: askOf(model), signal })
const askOf =
  (usual: ChatModel): History['ask'] =>
  async (messages, model = usual) => {
    const request = { messages, tools: [], stream: false, signal, idempotencyKey: 'k' }
    return textOf((await model.complete(request)).message.content)
  }

const history = [...exchange(1), ...exchange(2), ...exchange(3), user('question 4')]
const head = (summary: string, text: string) =>
  user(`[What was said before, in short]\n${summary}\n\n[Now]\n${text}`)

test('a history that is short enough is left as it is, and nobody is asked', async () => {
  const compact = summarizer({ maxTokens: 70 })
  expect(await compact({ messages: history, ...asked() })).toBe(history)
  expect(nobody.requests).toEqual([])
})

test('the oldest exchanges give way to what the model makes of them', async () => {
  const model = scriptedModel(['Two things were asked.'])
  const compact = summarizer({ maxTokens: 60 })
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
  const compact = summarizer({ maxTokens: 60 })
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
  const compact = summarizer({ maxTokens: 60 })
  await compact({ messages: history, ...asked(model) })
  const shown = await compact({ messages: history, ...asked(model) })
  expect(shown[0]).toEqual(head('One.', 'question 3'))
  expect(model.requests).toHaveLength(1)
})

test('how much is kept, who writes and what for can be said', async () => {
  const model = scriptedModel(['Hm.'])
  const options = { maxTokens: 60, keepTokens: 50, model, instructions: 'In one word.' }
  const shown = await summarizer(options)({ messages: history, ...asked() })
  expect(shown).toHaveLength(5)
  expect(model.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'In one word.' })
  expect(nobody.requests).toEqual([])
})

test('a last exchange that is too long is shown whole, with what is before it in short', async () => {
  const turns = Array.from({ length: 8 }, (_, n) => said(`step ${n}`))
  const model = scriptedModel(['One.'])
  const compact = summarizer({ maxTokens: 30 })
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
  const shown = await summarizer({ maxTokens: 60 })({ messages: [system, ...history], ...asked(model) })
  expect(shown.slice(0, 2)).toEqual([system, head('One.', 'question 3')])
  expect(model.requests[0]?.messages[1]?.content).not.toContain('Be brief.')
})

test('a message in parts keeps them behind the summary', async () => {
  const parts: Message = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }
  const model = scriptedModel(['One.'])
  const shown = await summarizer({ maxTokens: 20 })({
    messages: [...exchange(1), parts],
    ...asked(model),
  })
  expect(shown).toMatchObject([{ content: [{ type: 'text' }, { type: 'image_url' }] }])
})

test('a failure is thrown, and the next request tries again', async () => {
  const fails = () => Promise.reject(new Error('not now'))
  const model = scriptedModel([fails, '  ', 'One.'])
  const compact = summarizer({ maxTokens: 60 })
  await expect(compact({ messages: history, ...asked(model) })).rejects.toThrow('not now')
  await expect(compact({ messages: history, ...asked(model) })).rejects.toMatchObject({
    code: 'invalid_response',
  })
  expect((await compact({ messages: history, ...asked(model) }))[0]).toEqual(head('One.', 'question 3'))
})

test('a conversation that is loaded again is shown with the summary that it had, any other is not', async () => {
  const model = scriptedModel(['One.', 'Another.'])
  const compact = summarizer({ maxTokens: 60 })
  const shown = await compact({ messages: history, ...asked(model) })
  const loaded = JSON.parse(JSON.stringify(history)) as Message[]
  expect(await compact({ messages: loaded, ...asked(model) })).toEqual(shown)
  expect(model.requests).toHaveLength(1)
  const other = [user('another question'), ...history.slice(1)]
  expect((await compact({ messages: other, ...asked(model) }))[0]).toEqual(head('Another.', 'question 3'))
})

/** Twenty exchanges of about 130 tokens, and one of about 2600. */
const long = Array.from({ length: 20 }, (_, n) => [
  user(`question ${n}`),
  said(`answer ${n}: ${'and so on, '.repeat(n === 9 ? 800 : 40)}`),
]).flat()
const longer = [...long, user('What now?')]
const told = (text: string) => estimateMessages([user(text)])

test('what is longer than one request may be is summarised part by part, each from the one before it', async () => {
  const sent: string[] = []
  const model: ChatModel = {
    name: 'm',
    complete: async ({ messages }) => {
      expect(estimateMessages(messages)).toBeLessThanOrEqual(1500)
      sent.push(textOf(messages[1]?.content))
      return { message: { role: 'assistant', content: `Summary ${sent.length}.` } }
    },
  }
  const compact = summarizer({ maxTokens: 1500, keepTokens: 100 })
  const shown = await compact({ messages: longer, ...asked(model), estimate: estimateMessages })
  expect(shown).toEqual([head(`Summary ${sent.length}.`, 'What now?')])
  expect(sent.length).toBeGreaterThan(2)
  for (const [at, text] of sent.entries())
    if (at > 0) expect(text.startsWith(`before: Summary ${at}.\n`)).toBe(true)
  const all = sent.map((text) => text.replace(/^before: .*\n/, '')).join('\n')
  for (let n = 0; n < 20; n++) expect(all).toContain(`question ${n}`)
  expect(all.match(/and so on/g)?.length).toBeGreaterThan(19 * 40 + 795)
})

test('parts that are written are not written again when a later one fails', async () => {
  const model = scriptedModel([
    'One.',
    () => Promise.reject(new Error('not now')),
    ...Array<string>(9).fill('Two.'),
  ])
  const compact = summarizer({ maxTokens: 1500, keepTokens: 100 })
  const given = { messages: longer, ...asked(model), estimate: estimateMessages }
  await expect(compact(given)).rejects.toThrow('not now')
  await compact(given)
  expect(model.requests[2]?.messages).toEqual(model.requests[1]?.messages)
})

test('a summary that is no shorter than the history is cut', async () => {
  const model = scriptedModel(Array.from({ length: 3 }, () => 'word '.repeat(5000)))
  const compact = summarizer({ maxTokens: 1500, keepTokens: 100 })
  const messages = [...long.slice(0, 8), user(`And ${'so '.repeat(1100)}`), user('What now?')]
  const shown = await compact({ messages, ...asked(model), estimate: estimateMessages })
  expect(told(textOf(shown[0]?.content))).toBeLessThan(800)
})
