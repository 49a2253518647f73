import { expect, test } from 'vitest'
import type { RunEvent } from '../../index.js'
import { TextReader } from './partial-output.js'

type Told = Partial<RunEvent> & { readonly type: RunEvent['type'] } & Record<string, unknown>

const step = { type: 'step-start' } as const
const retry = { type: 'retry-scheduled' } as const
const said = (text: string, more = {}): Told => ({ type: 'text-delta', text, ...more })
const thought = (text: string): Told => ({ type: 'reasoning-delta', text })
const whole = (content: unknown): Told => ({
  type: 'message-added',
  message: { role: 'assistant', content } as never,
})

/** Returns the pieces as text: `|` precedes one that starts a new text, and `(...)` surrounds reasoning. */
function read(...events: readonly Told[]): readonly string[] {
  const reader = new TextReader()
  return events
    .flatMap((event) => reader.event({ runId: 'r', seq: 0, step: 0, ...event } as RunEvent))
    .map(({ kind, text, startsNew }) => `${startsNew ? '| ' : ''}${kind === 'text' ? text : `(${text})`}`)
}

/** Returns the pieces for these deltas; `null` is a failure after which the reply restarts. */
function readWords(words: readonly (string | null)[], ...more: readonly Told[]): readonly string[] {
  return read(step, ...words.map((word) => (word === null ? retry : said(word))), ...more)
}

test.each([
  [
    ['It ', 'is'],
    ['| It ', 'is'],
  ],
  [
    ['It ', null, 'It ', 'is'],
    ['| It ', 'is'],
  ],
  [
    ['It is', null, 'I', 't', ' is four'],
    ['| It is', ' four'],
  ],
  [
    ['It is', null, 'It was', ' four'],
    ['| It is', '| It was', ' four'],
  ],
  [['It is', null, 'It'], ['| It is']],
  [
    ['It ', null, 'It ', null, 'It is'],
    ['| It ', 'is'],
  ],
  [[null, 'It is'], ['| It is']],
])('reads %j as %j', (words, pieces) => {
  expect(readWords(words)).toEqual(pieces)
})

test.each([
  ['nothing', [], 'It is', ['| It is']],
  ['a part', ['It '], 'It is', ['| It ', 'is']],
  ['all', ['It is'], 'It is', ['| It is']],
  ['more than all', ['It is '], 'It is', ['| It is ']],
  ['something else', ['Well, '], 'It is', ['| Well, ', '| It is']],
  ['a part, and then less of it', ['It is', null, 'It '], 'It is four', ['| It is', ' four']],
  ['a part, and then nothing', ['It is', null], 'It is four', ['| It is', ' four']],
  ['a part, and then something else', ['It is', null], 'Four', ['| It is', '| Four']],
])('after %s, only the rest of a complete reply is new', (_, words, content, pieces) => {
  expect(readWords(words, whole(content))).toEqual(pieces)
  expect(readWords(words, whole([{ type: 'text', text: content }]))).toEqual(pieces)
})

test('a new reply may begin like the last one', () => {
  expect(read(step, said('It is'), whole('It is'), step, said('It is'))).toEqual(['| It is', '| It is'])
})

test('text and reasoning are apart, and a retry repeats both', () => {
  const reply = [thought('Hm'), said('It'), thought('.')]
  expect(read(step, ...reply, retry, ...reply, said(' is'))).toEqual(['| (Hm)', '| It', '(.)', ' is'])
})

test('leaves out child runs, and messages of others', () => {
  const child = { parentCallId: 'c' }
  const tool = { role: 'tool', tool_call_id: 'c', content: 'A result.' } as const
  const events = [
    step,
    said('It '),
    { ...step, ...child },
    said('No.', child),
    { ...retry, ...child },
    said('is'),
  ]
  expect(read(...events, { type: 'message-added', message: tool })).toEqual(['| It ', 'is'])
})

test('has the text of the reply so far, and the number of each', () => {
  const reader = new TextReader()
  const tell = (event: Told) => reader.event({ runId: 'r', seq: 0, step: 0, ...event } as RunEvent)
  for (const event of [step, said('It '), retry, said('It is')]) tell(event)
  expect(reader.text).toBe('It is')
  tell({ ...step, step: 1 })
  expect(reader.text).toBe('')
  expect(tell(said('Four.', { step: 1 }))).toEqual([
    { kind: 'text', text: 'Four.', step: 1, startsNew: true },
  ])
})
