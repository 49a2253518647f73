import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { anyCharacter } from '../../test/any-character.js'
import { Agent, chatModel, isCapstanError, jsonSchema, tool } from '../index.js'

// Whatever a server sends, in whatever pieces: a call runs as it was made, or something says why not.
const numRuns = cases(2500, 30)
const unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)
process.on('unhandledRejection', note)

afterAll(() => {
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

interface Sent {
  readonly id: string
  readonly args: Record<string, unknown>
}

const encode = (text: string) => new TextEncoder().encode(text)
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const piece = (calls: object[]) => event({ choices: [{ index: 0, delta: { tool_calls: calls } }] })
const end = `${event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}data: [DONE]\n\n`

/** Runs an agent whose first answer is these bytes in these pieces, and whose second is "done". */
async function ran(pieces: readonly Uint8Array[]) {
  const answers = [pieces, [encode('{"choices":[{"message":{"content":"done"},"finish_reason":"stop"}]}')]]
  const executed: unknown[] = []
  const note = tool({
    name: 'note',
    description: 'Notes',
    parameters: jsonSchema({ type: 'object' }),
    execute: (args) => void executed.push(args),
  })
  const send = async () => new Response(streamOf(answers.shift() ?? []))
  const model = chatModel('m', { baseURL: 'http://a.test', apiKey: '', maxRetries: 0, fetch: send })
  const outcome = await new Agent({ model, tools: [note] }).stream('Go.').result.catch((error) => error)
  return { executed, outcome }
}

function streamOf(pieces: readonly Uint8Array[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const one of pieces) controller.enqueue(one)
      controller.close()
    },
  })
}

const args = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
})
const sent = fc
  .uniqueArray(args, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) })
  .map((all): Sent[] =>
    all.map((one, index) => ({ id: `call_${index}`, args: JSON.parse(JSON.stringify(one)) })),
  )

/** Fragments of every call, mixed in any order that keeps each call's own. */
const interleaved = sent.chain((calls) =>
  fc
    .array(fc.nat(calls.length - 1), { minLength: calls.length * 4, maxLength: calls.length * 8 })
    .map((order) => {
      const left = calls.map(({ args }) => JSON.stringify(args).match(/.{1,7}/gsu) ?? [])
      const opened = calls.map(({ id }, index) =>
        piece([{ index, id, function: { name: 'note', arguments: '' } }]),
      )
      const next = (index: number) => {
        const fragment = left[index]?.shift()
        return fragment === undefined ? '' : piece([{ index, function: { arguments: fragment } }])
      }
      const all = (index: number): string => {
        const one = next(index)
        return one === '' ? '' : one + all(index)
      }
      return { calls, text: [...opened, ...order.map(next), ...calls.map((_, index) => all(index))].join('') }
    }),
)

const cut = (bytes: Uint8Array, places: readonly number[]) => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((stop, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], stop))
}

test('any interleaving of the calls, cut anywhere, runs each call once, as it was made', async () => {
  const property = fc.asyncProperty(interleaved, fc.array(fc.nat(5000)), async ({ calls, text }, places) => {
    const { executed, outcome } = await ran(cut(encode(text + end), places))
    expect(executed).toEqual(calls.map(({ args }) => args))
    expect(outcome.text).toBe('done')
  })
  await fc.assert(property, { numRuns })
}, 120_000)

test('a last message that says the calls again, under any ids, changes nothing', async () => {
  const ids = fc.constantFrom(
    (id: string) => id,
    (id: string) => `other_${id}`,
    () => undefined,
  )
  const property = fc.asyncProperty(
    interleaved,
    ids,
    fc.boolean(),
    async ({ calls, text }, idOf, isSpaced) => {
      const tool_calls = calls.map(({ id, args }) => ({
        id: idOf(id),
        function: { name: 'note', arguments: JSON.stringify(args, null, isSpaced ? 1 : undefined) },
      }))
      const last = event({
        choices: [{ index: 0, delta: {}, message: { tool_calls }, finish_reason: 'stop' }],
      })
      const { executed, outcome } = await ran([encode(text + last)])
      expect(executed).toEqual(calls.map(({ args }) => args))
      expect(outcome.text).toBe('done')
    },
  )
  await fc.assert(property, { numRuns: numRuns / 5 })
}, 120_000)

test('a stream that ends too early runs nothing, or all of it', async () => {
  const property = fc.asyncProperty(interleaved, fc.nat(5000), async ({ calls, text }, place) => {
    const bytes = encode(text + end)
    const { executed, outcome } = await ran([bytes.slice(0, place % bytes.length)])
    if (executed.length === 0) expect(isCapstanError(outcome)).toBe(true)
    else expect(executed).toEqual(calls.map(({ args }) => args))
  })
  await fc.assert(property, { numRuns })
}, 120_000)

test('random bytes end in an answer or in an error of ours, and run nothing', async () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: anyCharacter }).map(encode))
  const property = fc.asyncProperty(
    fc.constantFrom('', 'data: ', '{"choices":['),
    bytes,
    async (start, rest) => {
      const { executed, outcome } = await ran([encode(start), rest])
      expect(executed).toEqual([])
      expect(isCapstanError(outcome) || typeof outcome.text === 'string').toBe(true)
    },
  )
  await fc.assert(property, { numRuns })
}, 120_000)

test('random JSON in the place of any part ends in an answer or an error of ours', async () => {
  const part = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', [], {}, 'note', 0))
  const call = fc.record({ index: part, id: part, function: fc.record({ name: part, arguments: part }) })
  const message = fc.record({ content: part, tool_calls: fc.oneof(part, fc.array(call)), refusal: part })
  const messages = { delta: fc.oneof(part, message), message: fc.oneof(part, message), tool_calls: part }
  const choice = fc.record({ index: part, ...messages, finish_reason: part }, { requiredKeys: [] })
  const chunk = fc.oneof(part, fc.record({ choices: fc.oneof(part, fc.array(choice)), usage: part }))
  const property = fc.asyncProperty(fc.array(chunk), fc.boolean(), async (chunks, whole) => {
    const text = whole ? JSON.stringify(chunks[0] ?? null) : chunks.map(event).join('') + end
    const { outcome } = await ran([encode(text)])
    expect(isCapstanError(outcome) || typeof outcome.text === 'string').toBe(true)
  })
  await fc.assert(property, { numRuns })
}, 120_000)
