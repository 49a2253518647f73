import type { RunEvent } from '@capstan/core'
import { expect, test } from 'vitest'
import type { ShownCall } from './call-tree.js'
import { columnsOf } from './format.js'
import { callLines, toReporter } from './run-view.js'
import { plain, toScreen } from './terminal.js'

type Told = Partial<RunEvent> & { readonly type: RunEvent['type'] } & Record<string, unknown>

test('whatever is said of a call, its line fits into the terminal', () => {
  const texts = ['', 'a', '天気'.repeat(50), 'long '.repeat(50), '👩‍👩‍👧'.repeat(30)]
  const views = [40, 41, 80, 300].map((columns) => ({ paint: plain, columns, now: 5000 }))
  const calls = texts.flatMap((name) =>
    texts.flatMap((given) =>
      texts.flatMap((told): ShownCall[] => [
        { id: 'a', name, arguments: given, state: 'error', content: told, calls: [] },
        { id: 'a', name, arguments: given, state: 'runs', since: 0, progress: told, calls: [] },
      ]),
    ),
  )
  const nested = calls.map((call) => ({ ...call, calls: [{ ...call, calls: [{ ...call, calls: [call] }] }] }))
  for (const view of views)
    for (const line of nested.flatMap((call) => callLines(call, view)))
      expect(columnsOf(line), line).toBeLessThanOrEqual(view.columns)
})

/** What is written of events, words and lines in one. */
function reported(...events: readonly Told[]): string {
  let said = ''
  const stream = { write: (text: string) => (said += text) }
  const reporter = toReporter(toScreen({ out: stream, err: stream }, plain))
  for (const event of events) reporter.take({ runId: 'r', seq: 0, step: 0, ...event } as RunEvent)
  reporter.end()
  return said
}

const ready = (callId: string, more = {}): Told => ({
  type: 'call-ready',
  callId,
  name: callId,
  arguments: '{}',
  ...more,
})
const start = (callId: string, more = {}): Told => ({
  type: 'tool-start',
  callId,
  name: callId,
  arguments: {},
  ...more,
})
const end = (callId: string, more = {}): Told => ({
  type: 'tool-end',
  callId,
  name: callId,
  status: 'ok',
  ms: 5,
  content: '',
  artifacts: [],
  ...more,
})

test('calls are told in the order in which they were made, whichever ends first', () => {
  const said = reported(ready('a'), ready('b'), start('a'), start('b'), end('b'), end('a'))
  expect(said).toBe('✔ a {} 5 ms\n✔ b {} 5 ms\n')
})

test('calls of an agent that answers a call stand under it, at any depth', () => {
  const [inA, inB] = [{ parentCallId: 'a' }, { parentCallId: 'a/b' }]
  const said = reported(
    start('a'),
    start('b', inA),
    start('c', inB),
    end('c', inB),
    end('b', inA),
    end('a', { ms: 0 }),
  )
  expect(said).toBe('✔ a {}\n  ✔ b {} 5 ms\n    ✔ c {} 5 ms\n')
})

test('ids with slashes name what they name', () => {
  const said = reported(
    start('x/0'),
    start('y/0', { parentCallId: 'x/0' }),
    end('y/0', { parentCallId: 'x/0' }),
    end('x/0'),
  )
  expect(said).toBe('✔ x/0 {} 5 ms\n  ✔ y/0 {} 5 ms\n')
})

test('an id that comes again is another call', () => {
  expect(reported(start('a'), end('a'), start('a'), end('a', { ms: 6 }))).toBe('✔ a {} 5 ms\n✔ a {} 6 ms\n')
})

test('a call that did not go well says how, and is told all its arguments have room for', () => {
  const failed = { status: 'error', content: 'Error: no such\nplace', ms: 3 }
  expect(reported(start('a'), end('a', failed))).toBe('✖ a {} error: no such place\n')
})

test('what a call made is named', () => {
  const made = { artifacts: [{ id: 'img_a' }, { id: 'img_b' }] }
  expect(reported(start('a'), end('a', made))).toBe('✔ a {} 5 ms -> img_a, img_b\n')
})

test('a call that never ended is told at the end', () => {
  expect(reported(ready('a'), { type: 'call-pending', callId: 'a', name: 'a', arguments: { b: 1 } })).toBe(
    '? a {"b":1} waits\n',
  )
})

test('words come as they come, and lines do not stand within them', () => {
  const said = reported({ type: 'text-delta', text: 'I look' }, start('a'), end('a'), {
    type: 'text-delta',
    text: 'Seen.',
  })
  expect(said).toBe('I look\n✔ a {} 5 ms\nSeen.')
})

test('words of a model that does not stream are told once, those of inner agents not at all', () => {
  const message = { role: 'assistant', content: 'Whole.' } as const
  const streamed = [
    { type: 'text-delta', text: 'Whole.' } as const,
    { type: 'message-added', message } as const,
  ]
  expect(reported({ type: 'message-added', message })).toBe('Whole.')
  expect(reported(...streamed)).toBe('Whole.')
  expect(reported({ type: 'text-delta', text: 'no', parentCallId: 'a' })).toBe('')
})

test('arguments give way to what is told of the end, in the width that there is', () => {
  const said = reported(
    start('a', { arguments: { text: 'x y '.repeat(100) } }),
    end('a', { status: 'error', content: 'why '.repeat(100) }),
  )
  const [line = ''] = said.split('\n')
  expect(line.length).toBeLessThanOrEqual(120)
  expect(line).toMatch(/^✖ a \{"text":"x y .+… error: why .+…$/)
})

test.each([
  [
    { type: 'retry-scheduled', code: 'timeout', message: 'Too late.', delayMs: 1500, attempt: 1 },
    'timeout: Too late. The answer is asked for anew in 1.5 s.',
  ],
  [
    { type: 'retry-scheduled', code: 'api', message: 'No.', delayMs: 0, attempt: 1, model: 'other' },
    'api: No. The answer is asked for anew of other in 0 ms.',
  ],
  [{ type: 'repair-applied', name: 'a', repairs: ['a fence'] }, 'arguments of a mended: a fence'],
  [{ type: 'limit-reached', limit: 'steps' }, 'limit reached: steps'],
  [
    { type: 'stuck-detected', stage: 'tell', names: ['a', 'b'] },
    'the same calls again (a, b): the model is told',
  ],
  [
    { type: 'run-tainted', by: 'read' },
    'read brought words of strangers: calls that change things are asked about',
  ],
  [{ type: 'landing-failed', code: 'api', message: 'No.' }, 'no last answer: api: No.'],
  [{ type: 'handed-off', to: 'other' }, 'other goes on'],
  [{ type: 'context-trimmed', before: 1200, after: 3 }, 'the model is shown 3 of 1 200 messages'],
] as const)('%j is noted in a line', (event, line) => {
  expect(reported(event)).toBe(`! ${line}\n`)
})
