import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent, type DataParts, dataParts, type RunEvent, type ToolContext, tool } from '../index.js'

const parts = dataParts({
  weather: z.object({ city: z.string(), degrees: z.number().default(0) }),
  late: z.string().refine(async (text) => text !== 'no'),
})

type Work = (ctx: ToolContext) => unknown

/** Runs an agent whose tool does some work. Returns the run's events and the call's content. */
async function runOf(work: Work) {
  const look = tool({
    name: 'look',
    description: 'Looks',
    parameters: z.object({}),
    execute: async (_, ctx) => {
      await work(ctx)
      return 'seen'
    },
  })
  const run = new Agent({ model: scriptedModel([[['look', {}]], 'Done.']), tools: [look] }).stream('Go.')
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  const [call] = (await run.result).toolCalls
  return { events, call, sent: events.filter(({ type }) => type === 'data-part') }
}

test('a part is an event of its call, with the value that its schema returns', async () => {
  const { events, sent, call } = await runOf((ctx) => parts.send(ctx, 'weather', { city: 'Oslo' }))
  expect(sent).toMatchObject([
    { name: 'look', part: 'weather', value: { city: 'Oslo', degrees: 0 }, step: 0 },
  ])
  expect(call?.content).toBe('seen')
  const order = events.map(({ type }) => type)
  expect(order.indexOf('data-part')).toBeGreaterThan(order.indexOf('tool-start'))
  expect(order.indexOf('data-part')).toBeLessThan(order.indexOf('tool-end'))
  expect(JSON.stringify(events.filter(({ type }) => type === 'message-added'))).not.toContain('Oslo')
})

test('a part that is not awaited is sent at once', async () => {
  const { sent } = await runOf((ctx) => void parts.send(ctx, 'weather', { city: 'Oslo' }))
  expect(sent).toHaveLength(1)
})

test('id and transient are fields of the event', async () => {
  const { sent } = await runOf(async (ctx) => {
    await parts.send(ctx, 'weather', { city: 'Oslo' }, { id: 'oslo', transient: true })
    await parts.send(ctx, 'late', 'yes')
  })
  expect(sent).toMatchObject([
    { part: 'weather', id: 'oslo', transient: true },
    { part: 'late', value: 'yes' },
  ])
  expect(sent[1]).not.toHaveProperty('id')
})

const misfits: readonly (readonly [string, Work, RegExp])[] = [
  [
    'a value that does not fit',
    (ctx) => parts.send(ctx, 'weather', { city: 7 as never }),
    /^The part "weather" does not match its schema: city: .*\(given: 7\)\.$/,
  ],
  [
    'a value that an asynchronous schema refuses',
    (ctx) => parts.send(ctx, 'late', 'no'),
    /^The part "late" does not match its schema/,
  ],
  [
    'more than 64 kB',
    (ctx) => parts.send(ctx, 'weather', { city: 'ø'.repeat(33_000) }),
    /^The part "weather" has 66023 bytes; the maximum is 65536\. Store the data as an artifact\.$/,
  ],
  [
    'a part that is not declared',
    (ctx) => parts.send(ctx, 'toString' as 'weather', { city: 'Oslo' }),
    /^The part "toString" is not declared/,
  ],
  [
    'an unknown option',
    (ctx) => parts.send(ctx, 'weather', { city: 'Oslo' }, { key: 'a' } as object),
    /has no option "key"/,
  ],
]

test.each(misfits)('%s is the error of the call, and is not sent', async (_what, work, message) => {
  const { sent, call, events } = await runOf(work)
  expect(sent).toEqual([])
  expect(call).toMatchObject({ status: 'error' })
  const end = events.find(({ type }) => type === 'tool-end')
  expect(end).toHaveProperty('error.code', 'invalid_request')
  expect(end).toHaveProperty('error.message', expect.stringMatching(message))
})

test('exactly 64 kB are sent', async () => {
  const { sent } = await runOf((ctx) => parts.send(ctx, 'late', 'x'.repeat(65_534)))
  expect(sent).toHaveLength(1)
})

test('what is wrong and not awaited ends nothing', async () => {
  const { sent, call } = await runOf((ctx) => void parts.send(ctx, 'weather', { city: 7 as never }))
  expect(sent).toEqual([])
  expect(call).toMatchObject({ status: 'ok' })
})

test.each(['progress', 'time', 'artifact', 'Weather', '1a', '', 'a b', 'a_b', '-a'])(
  'a part may not be named "%s"',
  (name) => {
    expect(() => dataParts({ [name]: z.string() })).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(`"${name}"`) }),
    )
  },
)

test('a part needs a schema', () => {
  expect(() => dataParts({ weather: { city: 'text' } as never })).toThrow(/needs a schema/)
})

test('values are typed by the schemas', () => {
  expectTypeOf(parts).toEqualTypeOf<DataParts<(typeof parts)['schemas']>>()
  const send = (ctx: ToolContext) => {
    void parts.send(ctx, 'weather', { city: 'Oslo' })
    // @ts-expect-error: a city is a string.
    void parts.send(ctx, 'weather', { city: 1 })
    // @ts-expect-error: no such part.
    void parts.send(ctx, 'wether', { city: 'Oslo' })
  }
  expectTypeOf(send).toBeFunction()
})
