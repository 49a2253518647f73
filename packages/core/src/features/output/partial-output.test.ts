import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../../../scripts/cases.mjs'
import { startScriptedServer } from '../../../test/scripted-server.js'
import { Agent, chatModel } from '../../index.js'
import type { RunEvent } from '../../types/event.js'
import type { OutputSchema } from '../../types/model.js'
import { partialOutput, readOutputs } from './partial-output.js'
import { toOutputSchema } from './structured-output.js'

const forms = {
  object: toOutputSchema(z.object({}), 'f'),
  array: toOutputSchema(z.array(z.unknown()), 'f'),
}

type Happening =
  | { type: 'text-delta'; text: string }
  | { type: 'call-delta'; name: string; callId: string; arguments: string }
  | { type: 'call-ready'; name: string; callId: string; arguments: string }
  | { type: 'step-start' | 'step-end' | 'retry-scheduled' }

async function seen(happenings: readonly Happening[], form: OutputSchema): Promise<unknown[]> {
  async function* events() {
    for (const one of happenings) yield one as RunEvent
  }
  const parts: unknown[] = []
  for await (const part of readOutputs(events(), form)) parts.push(part)
  return parts
}

/** Whether a partial value can grow into the whole one. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part)
  if (typeof part !== 'object' || part === null) return Object.is(part, whole)
  if (Array.isArray(part) !== Array.isArray(whole)) return false
  const all = whole as Record<string, unknown>
  return Object.entries(part).every(([key, one]) => Object.hasOwn(all, key) && isBeginning(one, all[key]))
}

const pieces = fc.infiniteStream(fc.integer({ min: 1, max: 9 }))

function cut(text: string, lengths: Iterable<number>): string[] {
  const parts: string[] = []
  for (const length of lengths) {
    if (text === '') break
    parts.push(text.slice(0, length))
    text = text.slice(length)
  }
  return parts
}

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const values = {
  object: fc.dictionary(fc.string(), json).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  array: json,
}
const settings = fc.record({
  fence: fc.boolean(),
  words: fc.constantFrom('', 'Sure.\n', '"Well", here it is: '),
  indent: fc.constantFrom(0, 2),
  isBare: fc.boolean(),
  byCall: fc.boolean(),
})

test.each(['object', 'array'] as const)(
  'every part of an answer (the root: an %s’s, or not) is a beginning of it, however it comes',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(values[kind], settings, pieces, async (value, how, lengths) => {
        const isBare = kind === 'object' || (how.isBare && Array.isArray(value))
        const text = JSON.stringify(isBare ? value : { result: value }, null, how.indent)
        const byCall = how.byCall && !Array.isArray(JSON.parse(text))
        const parts = await seen(byCall ? called(text, lengths) : said(text, lengths, how), forms[kind])
        for (const part of parts) expect(isBeginning(part, value)).toBe(true)
        expect(parts.at(-1)).toEqual(value)
      }),
      { numRuns: cases(500) },
    )
  },
)

function called(text: string, lengths: Iterable<number>): Happening[] {
  const [name, callId] = ['final_answer', 'c0']
  return [
    { type: 'step-start' },
    { type: 'text-delta', text: 'I have it now.' },
    ...cut(text, lengths).map((one) => ({ type: 'call-delta' as const, name, callId, arguments: one })),
    { type: 'call-ready', name, callId, arguments: text },
    { type: 'step-end' },
  ]
}

function said(
  text: string,
  lengths: Iterable<number>,
  { fence, words }: { fence: boolean; words: string },
): Happening[] {
  const whole = `${words}${fence ? `\`\`\`json\n${text}\n\`\`\`\n` : text}`
  return [
    { type: 'step-start' },
    ...cut(whole, lengths).map((one) => ({ type: 'text-delta' as const, text: one })),
    { type: 'step-end' },
  ]
}

const many = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

test.each(['', 'Here it is:\n```json\n'])(
  'an array behind %j comes item by item, and is the result',
  async (before) => {
    const text = `${before}${JSON.stringify({ result: many }, null, 2)}${before && '\n```'}`
    await using server = await startScriptedServer([{ text }])
    const run = new Agent({ model: chatModel('m', server), output: z.array(z.string()) }).stream('Go.')
    const lengths = new Set<number>()
    for await (const part of partialOutput(run)) {
      expect(isBeginning(part, many)).toBe(true)
      lengths.add(part.length)
    }
    expect(lengths.size).toBeGreaterThan(4)
    expect((await run.result).orThrow().output).toEqual(many)
  },
)

test('a number is shown once it is whole', async () => {
  const happenings = cut('{"n": 1234, "m": -5}', [8, 2, 3, 6, 1]).map((text) => ({
    type: 'text-delta' as const,
    text,
  }))
  expect(await seen([...happenings, { type: 'step-end' }], forms.object)).toEqual([
    {},
    {},
    { n: 1234 },
    { n: 1234 },
    { n: 1234, m: -5 },
  ])
})

test('an object that may not be the one around the answer is shown at its end', async () => {
  const text = ['{"kind":', '"box"', ',"n":1}'].map((one) => ({ type: 'text-delta' as const, text: one }))
  expect(await seen([...text, { type: 'step-end' }], forms.array)).toEqual([{ kind: 'box', n: 1 }])
})

test('of several final answers the first is shown, and one that is asked for again begins anew', async () => {
  const delta = (callId: string, text: string) => ({
    type: 'call-delta' as const,
    name: 'final_answer',
    callId,
    arguments: text,
  })
  const ready = { type: 'call-ready', name: 'final_answer', callId: 'b', arguments: '{}' } as const
  const happenings: Happening[] = [
    delta('a', '{"a":"wro'),
    { type: 'retry-scheduled' },
    delta('b', '{"b":1'),
    delta('c', '{"c":2}'),
    delta('b', '}'),
    ready,
    ready,
    { type: 'step-end' },
  ]
  expect(await seen(happenings, forms.object)).toEqual([{ a: 'wro' }, {}, { b: 1 }, { b: 1 }])
})

test('a retried reply yields only what is new, and its other value anew', async () => {
  const say = (text: string) => ({ type: 'text-delta' as const, text })
  const retry = { type: 'retry-scheduled' } as const
  const start = [{ type: 'step-start' } as const, say('{"a":"x","b":"'), retry]
  const end = { type: 'step-end' } as const
  const same = [...start, say('{"a":"x"'), say(',"b":"y"}'), end]
  expect(await seen(same, forms.object)).toEqual([
    { a: 'x', b: '' },
    { a: 'x', b: 'y' },
    { a: 'x', b: 'y' },
  ])
  const other = [...start, say('{"c":'), say('"y"}'), end]
  expect(await seen(other, forms.object)).toEqual([{ a: 'x', b: '' }, {}, { c: 'y' }, { c: 'y' }])
})

test('the output of a model that does not stream is yielded, too', async () => {
  const run = new Agent({
    model: {
      name: 'm',
      complete: async () => ({ message: { role: 'assistant', content: '{"a":1}' } }) as never,
    },
    output: z.object({ a: z.int() }),
  }).stream('Go.')
  const parts: unknown[] = []
  for await (const part of partialOutput(run)) parts.push(part)
  expect(parts.at(-1)).toEqual({ a: 1 })
})

test('words beside calls of other tools are no answer at their end, nor is what is no object of an object’s form', async () => {
  const look = { type: 'call-ready', name: 'look', callId: 'a', arguments: '{}' } as const
  const words: Happening[] = [{ type: 'text-delta', text: '[1]' }, look, { type: 'step-end' }]
  expect(await seen(words, forms.array)).toEqual([[1]])
  expect(await seen([{ type: 'text-delta', text: '42' }, { type: 'step-end' }], forms.object)).toEqual([])
})

test('a call that comes in one piece is shown whole', async () => {
  const ready = {
    type: 'call-ready',
    name: 'final_answer',
    callId: 'a',
    arguments: '{"result":[1]}',
  } as const
  expect(await seen([{ type: 'text-delta', text: 'So:' }, ready], forms.array)).toEqual([[1]])
})
