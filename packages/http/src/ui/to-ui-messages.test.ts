import type { Message } from '@capstan/core'
import type { UIMessage as UIMessage6 } from 'ai6'
import type { UIMessage as UIMessage7 } from 'ai7'
import { expect, expectTypeOf, test } from 'vitest'
import { type StoredUiMessage, toUiMessages } from './to-ui-messages.js'

const call = (id: string, args = '{}', name = 'look') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
})

const user = (content: string, marks = {}): Message => ({ role: 'user', content, ...marks })
const said = (content: string, marks = {}): Message => ({ role: 'assistant', content, ...marks })
const called = (...calls: ReturnType<typeof call>[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
})
const result = (tool_call_id: string, content: string, marks = {}): Message => ({
  role: 'tool',
  tool_call_id,
  content,
  ...marks,
})

const partsOf = (messages: readonly Message[]) => toUiMessages(messages, { id: 'chat' }).at(-1)?.parts

test('a UI message of the AI SDK 6 and 7', () => {
  expectTypeOf<StoredUiMessage>().toExtend<UIMessage6>()
  expectTypeOf<StoredUiMessage>().toExtend<UIMessage7>()
})

test('a reply with all its steps is one message; instructions are none', () => {
  const shown = toUiMessages(
    [
      { role: 'system', content: 'Secret rules.' },
      user('Hi.'),
      called(call('a')),
      result('a', 'seen'),
      said('Hello.'),
      user('Bye.'),
    ],
    { id: 'chat' },
  )
  expect(shown.map(({ id, role }) => [id, role])).toEqual([
    ['chat-1', 'user'],
    ['chat-2', 'assistant'],
    ['chat-5', 'user'],
  ])
  expect(JSON.stringify(shown)).not.toContain('Secret')
})

test('ids stay the same when messages are appended', () => {
  const messages = [user('Hi.'), called(call('a')), result('a', 'seen'), said('Hello.'), user('Bye.')]
  const all = toUiMessages(messages, { id: 'chat' }).map(({ id }) => id)
  for (const [count] of messages.entries()) {
    const before = toUiMessages(messages.slice(0, count), { id: 'chat' }).map(({ id }) => id)
    expect(all.slice(0, before.length)).toEqual(before)
  }
})

test('stored ids and times are used', () => {
  const at = { createdAt: 1_700_000_000_000 }
  const [own, answer] = toUiMessages(
    [user('Hi.', { messageId: 'u1', ...at }), called(call('a')), result('a', 'seen', { messageId: 'r1' })],
    { id: 'chat' },
  )
  expect(own).toEqual({ id: 'u1', role: 'user', metadata: at, parts: [{ type: 'text', text: 'Hi.' }] })
  expect(answer).toMatchObject({ id: 'r1', role: 'assistant' })
})

test('a message that the run itself added is within its reply', () => {
  const shown = toUiMessages(
    [
      user('Go.', { messageId: 'u1' }),
      called(call('a')),
      result('a', 'Started.', { status: 'ok' }),
      user('Result of background call a (look): seen'),
      said('It is seen.', { messageId: 'a1' }),
      user('Again.', { messageId: 'u2' }),
      said('Fine.', { messageId: 'a2' }),
    ],
    { id: 'chat' },
  )
  expect(shown.map(({ id }) => id)).toEqual(['u1', 'a1', 'u2', 'a2'])
  expect(shown[1]?.parts.map(({ type }) => type)).toEqual(['step-start', 'tool-look', 'step-start', 'text'])
})

test.each([
  ['ok', 'seen', { state: 'output-available', output: 'seen' }],
  ['ok', '{"far":true}', { state: 'output-available', output: { far: true } }],
  ['ok', 'Error: a text about errors', { state: 'output-available' }],
  ['error', 'Error: broken', { state: 'output-error', errorText: 'Error: broken' }],
  ['rejected', 'Error: wrong', { state: 'output-error' }],
  ['cut_off', 'Error: cut', { state: 'output-error' }],
  ['not_run', 'Error: late', { state: 'output-error' }],
  [
    'denied',
    'Error: call denied: too far',
    { state: 'output-denied', approval: { id: 'chat-0:a', approved: false, reason: 'too far' } },
  ],
  // Sessions without marks.
  [undefined, 'seen', { state: 'output-available' }],
  [undefined, 'Error: broken', { state: 'output-error', errorText: 'Error: broken' }],
  [undefined, 'Error: call denied: no', { state: 'output-denied', approval: { reason: 'no' } }],
])('a result with the status %s: %s', (status, content, expected) => {
  expect(partsOf([called(call('a')), result('a', content, { status })])?.[1]).toMatchObject(expected)
})

test.each(['{"city": "Os', '[1]', '"text"', 'null'])('unreadable arguments: %s', (text) => {
  const part = { type: 'tool-look', toolCallId: 'a', state: 'output-error', rawInput: text }
  expect(partsOf([called(call('a', text))])?.[1]).toMatchObject({
    ...part,
    errorText: 'The arguments are not a JSON object.',
  })
  const failed = result('a', 'Error: invalid arguments', { status: 'rejected' })
  expect(partsOf([called(call('a', text)), failed])?.[1]).toMatchObject({
    ...part,
    errorText: 'Error: invalid arguments',
  })
})

test('a call without a result waits for it; empty arguments are an empty object', () => {
  expect(partsOf([called(call('a', ' '))])?.[1]).toEqual({
    type: 'tool-look',
    toolCallId: 'a',
    state: 'input-available',
    input: {},
  })
})

test('results belong to the calls of their step: models repeat ids', () => {
  const parts = partsOf([
    called(call('a')),
    result('a', 'first'),
    called(call('a')),
    result('a', 'second'),
    user('Again.'),
    called(call('a')),
    result('a', 'third'),
  ])
  expect(parts?.[1]).toMatchObject({ output: 'third' })
  const before = toUiMessages(
    [called(call('a')), result('a', 'first'), called(call('a')), result('a', 'second')],
    { id: 'chat' },
  )[0]?.parts
  expect(before?.map((part) => ('output' in part ? part.output : part.type))).toEqual([
    'step-start',
    'first',
    'step-start',
    'second',
  ])
})

test('pending calls that the session does not have yet are a reply of their own', () => {
  const pending = [
    { callId: 'a', name: 'look', arguments: {}, kind: 'approval', approvalId: 'run:a' },
    { callId: 'b/c', name: 'book', arguments: { city: 'Oslo' }, kind: 'approval', approvalId: 'run:b/c' },
    { callId: 'd', name: 'position', arguments: {}, kind: 'result', approvalId: 'run:d' },
  ] as const
  const shown = toUiMessages([user('Go.')], { id: 'chat', pending })
  expect(shown[1]).toMatchObject({
    id: 'chat-1',
    role: 'assistant',
    metadata: { runId: 'run' },
    parts: [
      { type: 'step-start' },
      { type: 'tool-look', state: 'approval-requested', approval: { id: 'run:a' } },
      { type: 'dynamic-tool', toolName: 'book', state: 'approval-requested', input: { city: 'Oslo' } },
      { type: 'tool-position', state: 'input-available' },
      { type: 'data-approval', id: 'run:a' },
      { type: 'data-approval', id: 'run:b/c' },
    ],
  })
})

test('files of messages and results, each once a reply', () => {
  const image = { artifact: 'img_aaaaaaaa', mediaType: 'image/png', size: 70 }
  const reference = JSON.stringify({ artifact: 'img_bbbbbbbb', mediaType: 'image/webp', width: 1 })
  const messages: readonly Message[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } },
      ],
      media: [image, { mediaType: 'image/png', size: 9, limit: 'images' }],
    },
    called(call('a'), call('b')),
    result('a', `[${reference},${reference}]`, { status: 'ok' }),
    result('b', `Done.\n${reference}`, { status: 'ok', media: [{ artifact: 'aud_cccccccc', show: true }] }),
    { role: 'assistant', content: 'Look.', media: [{ artifact: 'img_dddddddd', mediaType: 'image/png' }] },
  ]
  const [own, answer] = toUiMessages(messages, { id: 'chat', artifactUrl: (id) => `https://cdn.test/${id}` })
  expect(own?.parts).toEqual([
    { type: 'file', url: 'https://cdn.test/img_aaaaaaaa', mediaType: 'image/png' },
    { type: 'file', url: 'https://pictures.test/a.png', mediaType: 'image/*' },
    { type: 'text', text: 'What is it?' },
  ])
  expect(answer?.parts.filter(({ type }) => type === 'file')).toEqual([
    { type: 'file', url: 'https://cdn.test/img_bbbbbbbb', mediaType: 'image/webp' },
    { type: 'file', url: 'https://cdn.test/aud_cccccccc', mediaType: 'audio/*' },
    { type: 'file', url: 'https://cdn.test/img_dddddddd', mediaType: 'image/png' },
  ])
  expect(answer?.parts.at(-1)).toMatchObject({ type: 'file', url: 'https://cdn.test/img_dddddddd' })
})

test('a failed result names no files', () => {
  const content = 'Error: {"artifact":"img_bbbbbbbb","mediaType":"image/png"} is broken'
  expect(partsOf([called(call('a')), result('a', content, { status: 'error' })])).toHaveLength(2)
})
