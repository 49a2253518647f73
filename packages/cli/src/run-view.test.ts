import type { RunEvent } from '@capstan/core'
import { expect, test } from 'vitest'
import type { CallNode } from './call-tree.js'
import { displayWidth } from './format.js'
import { createRunView, formatCall } from './run-view.js'
import { createTerminal, noPaint } from './terminal.js'

type Told = Partial<RunEvent> & { readonly type: RunEvent['type'] } & Record<string, unknown>

test('fits the line of any call into the terminal', () => {
  const texts = ['', 'a', '天気'.repeat(50), 'long '.repeat(50), '👩‍👩‍👧'.repeat(30)]
  const views = [40, 41, 80, 300].map((columns) => ({ paint: noPaint, columns, now: 5000 }))
  const calls = texts.flatMap((name) =>
    texts.flatMap((given) =>
      texts.flatMap((told): CallNode[] => [
        { id: 'a', name, arguments: given, state: 'error', content: told, calls: [] },
        { id: 'a', name, arguments: given, state: 'running', since: 0, progress: told, calls: [] },
      ]),
    ),
  )
  const nested = calls.map((call) => ({ ...call, calls: [{ ...call, calls: [{ ...call, calls: [call] }] }] }))
  for (const view of views)
    for (const line of nested.flatMap((call) => formatCall(call, view)))
      expect(displayWidth(line), line).toBeLessThanOrEqual(view.columns)
})

/** Returns the output for some events, text and lines together. */
function reported(...events: readonly Told[]): string {
  let said = ''
  const stream = { write: (text: string) => (said += text) }
  const reporter = createRunView(createTerminal({ out: stream, err: stream }, noPaint))
  for (const event of events) reporter.handle({ runId: 'r', seq: 0, step: 0, ...event } as RunEvent)
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

test('prints calls in the order in which they were made', () => {
  const said = reported(ready('a'), ready('b'), start('a'), start('b'), end('b'), end('a'))
  expect(said).toBe('✔ a {} 5 ms\n✔ b {} 5 ms\n')
})

test('indents calls of an agent under the call that it answers, at any depth', () => {
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

test('accepts ids with slashes', () => {
  const said = reported(
    start('x/0'),
    start('y/0', { parentCallId: 'x/0' }),
    end('y/0', { parentCallId: 'x/0' }),
    end('x/0'),
  )
  expect(said).toBe('✔ x/0 {} 5 ms\n  ✔ y/0 {} 5 ms\n')
})

test('treats a repeated id as another call', () => {
  expect(reported(start('a'), end('a'), start('a'), end('a', { ms: 6 }))).toBe('✔ a {} 5 ms\n✔ a {} 6 ms\n')
})

test('prints how a failed call ended, and shortens it to one line', () => {
  const failed = { status: 'error', content: 'Error: no such\nplace', ms: 3 }
  expect(reported(start('a'), end('a', failed))).toBe('✖ a {} error: no such place\n')
})

test('lists the artifacts of a call', () => {
  const made = { artifacts: [{ id: 'img_a' }, { id: 'img_b' }] }
  expect(reported(start('a'), end('a', made))).toBe('✔ a {} 5 ms -> img_a, img_b\n')
})

test('a call that nothing has asked about is not pending', () => {
  // Also beside a pending call of the same reply, and on a terminal before its function starts.
  const pending: Told = { type: 'call-pending', callId: 'b', name: 'b', arguments: {} }
  expect(reported(ready('a'), ready('b'), pending)).toBe('? a {}\n? b {} pending\n')
  const call = { id: 'a', name: 'a', arguments: '{}', state: 'ready', calls: [] } as const
  expect(formatCall(call, { paint: noPaint, columns: 80, now: 0 })).toEqual(['⠋ a {}'])
})

test('prints an unfinished call at the end', () => {
  expect(reported(ready('a'), { type: 'call-pending', callId: 'a', name: 'a', arguments: { b: 1 } })).toBe(
    '? a {"b":1} pending\n',
  )
})

test('streams text, and starts each line at a line start', () => {
  const said = reported({ type: 'text-delta', text: 'I look' }, start('a'), end('a'), {
    type: 'text-delta',
    text: 'Seen.',
  })
  expect(said).toBe('I look\n✔ a {} 5 ms\nSeen.')
})

test('prints the text of a model that does not stream once, and none of child agents', () => {
  const message = { role: 'assistant', content: 'Whole.' } as const
  const streamed = [
    { type: 'text-delta', text: 'Whole.' } as const,
    { type: 'message-added', message } as const,
  ]
  expect(reported({ type: 'message-added', message })).toBe('Whole.')
  expect(reported(...streamed)).toBe('Whole.')
  expect(reported({ type: 'text-delta', text: 'no', parentCallId: 'a' })).toBe('')
})

test('prints once what a retried reply repeats, and other text on a line of its own', () => {
  const step = { type: 'step-start' } as const
  const say = (text: string) => ({ type: 'text-delta', text }) as const
  const retry = { type: 'retry-scheduled', code: 'network', message: 'Cut.', delayMs: 0, attempt: 1 } as const
  const line = '\n! network: Cut. Retrying in 0 ms.\n'
  expect(reported(step, say('It is'), retry, say('It '), say('is four.'))).toBe(`It is${line} four.`)
  expect(reported(step, say('It is'), retry, say('Four.'))).toBe(`It is${line}Four.`)
  expect(reported(step, say('It is.'), step, say('So.'))).toBe('It is.\nSo.')
})

test('shortens arguments in favour of the end of a call', () => {
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
    'timeout: Too late. Retrying in 1.5 s.',
  ],
  [
    { type: 'retry-scheduled', code: 'api', message: 'No.', delayMs: 0, attempt: 1, model: 'other' },
    'api: No. Retrying with other in 0 ms.',
  ],
  [{ type: 'repair-applied', name: 'a', repairs: ['a fence'] }, 'repaired the arguments of a: a fence'],
  [{ type: 'limit-reached', limit: 'steps' }, 'limit reached: steps'],
  [
    { type: 'stuck-detected', stage: 'warn', names: ['a', 'b'] },
    'repeated calls (a, b): the model was warned',
  ],
  [{ type: 'tools-revealed', names: ['a', 'b'], query: 'letters' }, 'tools found: a, b'],
  [
    { type: 'run-tainted', by: 'read' },
    'read returned untrusted text: calls with side effects need approval',
  ],
  [{ type: 'final-answer-failed', code: 'api', message: 'No.' }, 'no final answer: api: No.'],
  [{ type: 'handed-off', to: 'other' }, 'handed off to other'],
  [{ type: 'middleware', name: 'tool-retry', action: 'retry' }, 'tool-retry: retry'],
  [{ type: 'context-trimmed', before: 1200, after: 3 }, 'the model gets 3 of 1 200 messages'],
  [
    { type: 'effects-left-behind', calls: [{ callId: 'c', name: 'send', arguments: '{}' }] },
    'the branch drops calls whose effects remain: send',
  ],
  [
    { type: 'prefix-broken', at: 'tools[2]', because: 'long-results' },
    'the server cannot use its cache from tools[2] on: long-results',
  ],
] as const)('prints %j on one line', (event, line) => {
  expect(reported(event)).toBe(`! ${line}\n`)
})

test('a background call has one line, when its outcome is there', () => {
  const said = reported(
    ready('draw'),
    end('draw', { background: true, ms: 0 }),
    start('draw'),
    ready('look'),
    start('look'),
    end('look'),
    end('draw', { ms: 5 }),
  )
  const lines = said.split('\n').filter((line) => /draw|look/.test(line))
  expect(lines).toEqual([expect.stringContaining('draw'), expect.stringContaining('look')])
})
