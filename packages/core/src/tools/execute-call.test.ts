import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../../scripts/cases.mjs'
import { anyCharacter } from '../../test/any-character.js'
import { answerOf, callContextOf, callOf, named, stepOf } from '../../test/call-context.js'
import { dispatch } from './execute-call.js'
import { type Tool, type ToolContext, tool } from './tool.js'

const answerTo = (one: Tool, text?: string) =>
  answerOf(callOf(one.name, text), callContextOf([one]), stepOf())

test('a successful call has its result as text and as a value', async () => {
  const add = tool({
    name: 'add',
    description: 'D',
    parameters: z.object({ a: z.number(), b: z.number().default(1) }),
    execute: ({ a, b }) => ({ sum: a + b }),
  })
  expect(await answerTo(add, '{"a":2}')).toEqual({
    status: 'ok',
    content: '{"sum":3}',
    result: { sum: 3 },
    artifacts: [],
    ms: expect.any(Number),
  })
  const silent = await answerTo(named('silent', () => undefined))
  expect(silent).toMatchObject({ status: 'ok', content: 'Done. The tool returned no value.' })
  expect(silent).not.toHaveProperty('result')
})

test('passes run id, call id and idempotency key to the function', async () => {
  let seen: ToolContext | undefined
  const curious = named('t', (_args, ctx) => {
    seen = ctx
  })
  await answerTo(curious)
  expect(seen).toMatchObject({
    context: { user: 'Ada' },
    runId: 'run-1',
    callId: 'call_1',
    step: 3,
    idempotencyKey: 'run-1/step3/call0',
  })
})

test('rejects an unknown tool name and lists the tools', async () => {
  const callContext = callContextOf([named('a', () => 1), named('b', () => 1)])
  expect(await answerOf(callOf('c'), callContext, stepOf())).toEqual({
    status: 'rejected',
    content: 'Error: unknown tool "c". Available tools: a, b.',
    ms: 0,
  })
  expect(await answerOf(callOf('c'), callContextOf([]), stepOf())).toMatchObject({
    content: 'Error: unknown tool "c". Available tools: none.',
  })
})

test.each([
  [
    '{"city":',
    /^Error: invalid arguments for "t", the tool did not run: .*Received: \{"city":\nExpected: \{ city: string, days: number \}$/s,
  ],
  ['[1]', /the tool did not run: the arguments are an array, not one JSON object\. Received: \[1\]/],
  [
    '{"city":1}',
    /^Error: invalid arguments for "t", the tool did not run: city: .+\(given: 1\); days: .+\(given: nothing\)\nExpected: .+$/,
  ],
  ['{"city":"\ud83d"}', /^Error: [^\ud800-\udfff]*$/],
])('rejects invalid arguments and runs nothing: %j', async (text, content) => {
  const parameters = z.object({ city: z.string(), days: z.number() })
  const never = tool({ name: 't', description: 'D', parameters, execute: () => expect.unreachable() })
  expect(await answerTo(never, text)).toEqual({
    status: 'rejected',
    content: expect.stringMatching(content),
    ms: 0,
  })
})

test.each([new Error('broken'), 'broken', { message: 'broken' }])(
  'an error of the function becomes the result (case %#)',
  async (thrown) => {
    const failing = named('t', () => {
      throw thrown
    })
    expect(await answerTo(failing)).toMatchObject({ status: 'error', content: 'Error: broken' })
  },
)

test('a schema that throws is an error of the call', async () => {
  const parameters = z.object({}).refine(() => {
    throw new Error('the schema broke')
  })
  const never = tool({ name: 't', description: 'D', parameters, execute: () => expect.unreachable() })
  expect(await answerTo(never)).toEqual({ status: 'error', content: 'Error: the schema broke', ms: 0 })
})

test('a result that JSON cannot hold is an error of the call', async () => {
  const answer = await answerTo(named('t', () => ({ n: 5n })))
  expect(answer.status).toBe('error')
  expect(answer.content).toBe('Error: The tool ran, but its result is not JSON: "n" is a BigInt.')
})

test('returns a result for any call, error and return value', async () => {
  const value = fc.oneof(
    fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }),
    fc.jsonValue(),
  )
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.json(), fc.constantFrom('{}', '{"a":1', 'null'))
  const name = fc.oneof(fc.constantFrom('returns', 'throws', 'rejects', '__proto__', ''), fc.string())
  const property = fc.asyncProperty(name, text, value, async (called, given, outcome) => {
    const tools = [
      named('returns', () => outcome),
      named('throws', () => {
        throw outcome
      }),
      named('rejects', () => Promise.reject(outcome)),
    ]
    const answer = await answerOf(callOf(called, given), callContextOf(tools), stepOf())
    expect(['ok', 'error', 'rejected']).toContain(answer.status)
    expect(answer.content.isWellFormed()).toBe(true)
    expect(JSON.parse(JSON.stringify(answer))).toMatchObject({
      status: answer.status,
      content: answer.content,
    })
  })
  await fc.assert(property, { numRuns: cases(300) })
})

test('treats a returned error like a thrown one', async () => {
  const careful = named('t', () => new Error('the file is gone'))
  expect(await answerTo(careful)).toMatchObject({ status: 'error', content: 'Error: the file is gone' })
})

test('keeps the notes of calls of agents separate', async () => {
  const asked: Tool = {
    ...named('ask', () => ''),
    toInput: () => 'Go.',
  }
  const notesOf = async () => {
    const outcome = await dispatch(callOf('ask'), callContextOf([asked]), stepOf())
    return outcome.status === 'ready' ? outcome.notes : expect.unreachable('an agent runs it')
  }
  Object.assign(await notesOf(), { approved: true })
  expect(await notesOf()).toEqual({})
})
