import { expect, test } from 'vitest'
import { type ChatMessage, toTurn } from './conversation.js'

function turnWith(answer: string) {
  const messages: ChatMessage[] = [
    { role: 'user', text: 'Draw a cat' },
    { role: 'assistant', text: '', calls: [{ id: 'a', name: 'draw', arguments: '{"prompt":"a cat"}' }] },
    { role: 'tool', callId: 'a', text: answer },
  ]
  return toTurn(messages).calls[0]
}

test('attachment lines are not part of the request', () => {
  const text = 'Edit this\n\nAttached: img_abcd2345 (image/png, 20 bytes), img_maskabcd (image/png, 9 bytes)'
  expect(toTurn([{ role: 'user', text }])).toEqual({
    request: 'Edit this',
    isCut: false,
    attachments: ['img_abcd2345', 'img_maskabcd'],
    unseen: [],
    calls: [],
    earlier: { artifacts: [], calls: [], lot: [], turns: [] },
  })
})

test('finds artifact ids in all values of a result', () => {
  const answer =
    '{"file_location":"x","images":[{"artifact":"img_abcd2345"},{"see":"aud_abcd2345 and txt_abcd2345"}]}'
  expect(turnWith(answer)?.artifacts).toEqual(['img_abcd2345', 'aud_abcd2345', 'txt_abcd2345'])
})

test.each([
  'Error: out of paint',
  'TypeError: x is not a function',
  '{"error":"out of paint"}',
  '{"ok":false,"artifact":"img_abcd2345"}',
  'Not run: the run was aborted.',
])('%s is a failure without artifacts', (answer) => {
  expect(turnWith(answer)).toMatchObject({ failed: true, artifacts: [] })
})

test.each(['{"error":null,"value":1}', 'Errors are rare here', '17', '', '{"status":"ok"}'])(
  '%s is not a failure',
  (answer) => {
    expect(turnWith(answer)?.failed).toBe(false)
  },
)

test.each([
  'Limit reached (steps). You cannot call more tools. Give your best answer from what you know, and say what is missing.',
  'Your last reply was empty. Answer now with what you know.',
])('the note of an agent for its last reply is not a request: %s', (note) => {
  const user = { role: 'user', text: 'Draw a cat' } as const
  const calls = [{ id: 'a', name: 'draw', arguments: '{}' }]
  const made: ChatMessage[] = [
    { role: 'assistant', text: '', calls },
    { role: 'tool', callId: 'a', text: '"img_abcd2345"' },
  ]
  const turn = toTurn([user, ...made, { role: 'user', text: note }])
  expect(turn).toMatchObject({ request: user.text, calls: [{ name: 'draw' }] })
  expect(toTurn([{ ...user, text: `${user.text}\n\n${note}` }]).request).toBe(user.text)
})

test('separates calls of earlier requests', () => {
  const messages: ChatMessage[] = [
    { role: 'user', text: 'Draw a cat' },
    { role: 'assistant', text: '', calls: [{ id: 'a', name: 'draw', arguments: 'not json' }] },
    { role: 'tool', callId: 'a', text: '"img_abcd2345"' },
    { role: 'assistant', text: 'Done.', calls: [] },
    { role: 'user', text: 'Vary it' },
  ]
  const turn = toTurn(messages)
  expect(turn.calls).toEqual([])
  expect(turn.earlier.artifacts).toEqual(['img_abcd2345'])
  expect(turn.earlier.calls[0]).toMatchObject({ name: 'draw', arguments: {} })
})

test('limits repeated spaces to 20', () => {
  const { request } = toTurn([{ role: 'user', text: `Draw${' '.repeat(50_000)}a${' '.repeat(3)}cat` }])
  expect(request).toBe(`Draw${' '.repeat(20)}a   cat`)
})
