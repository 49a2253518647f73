import type { RunEvent } from '@capstan/core'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { fromLangchainTools } from '../../src/frameworks.js'
import { runCalls } from './run-calls.js'

type Config = Readonly<Record<string, unknown>> & {
  readonly writer: (value: unknown) => void
  readonly callbacks: readonly { handleToolEvent(event: unknown): void }[]
}

/** A tool as `tool()` of LangChain makes it; `prove-peers.ts` has theirs. */
function structured(name: string, invoke: (input: unknown, config: Config) => unknown, others = {}) {
  return {
    name,
    description: name,
    schema: z.object({}) as unknown,
    invoke: async (input: never, config?: never) => invoke(input, config as never),
    ...others,
  }
}

test('arguments are checked, and parsed once by the tool', async () => {
  const schema = z.object({ at: z.coerce.date() })
  const tools = fromLangchainTools([
    structured('year', (input) => schema.parse(input).at.getUTCFullYear(), { schema }),
    structured('old', (input) => input, { schema: z3.object({ word: z3.string() }) }),
    structured('json', (input) => input, {
      schema: { type: 'object', properties: { n: { type: 'number' } } },
    }),
  ])
  const calls = [
    ['year', { at: '2026-11-30' }],
    ['old', { word: 'w' }],
    ['json', { n: 1 }],
  ] as const
  expect((await runCalls(tools, calls)).results).toEqual([2026, { word: 'w' }, { n: 1 }])
  const wrong = await runCalls(tools, [['year', { at: 'x' }], ['old'], ['json', { n: '1' }]])
  expect(wrong.toolCalls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

test('a function gets the runtime, and what it writes and yields is progress', async () => {
  const seen: unknown[] = []
  const tools = fromLangchainTools([
    structured('look', (_input, { signal, context, configurable, toolCallId, state, writer, callbacks }) => {
      writer('looking')
      callbacks[0]?.handleToolEvent({ at: 1 })
      seen.push(context, configurable, toolCallId, Object(state).messages, Object(signal).aborted)
    }),
  ])
  const { events } = await runCalls(tools, [['look']], { context: { user: 'ann' } })
  expect(seen).toEqual([
    { user: 'ann' },
    { user: 'ann' },
    'call_1_1',
    [{ role: 'user', content: 'Go' }],
    false,
  ])
  const progress = (events as RunEvent[]).flatMap((one) => (one.type === 'tool-progress' ? [one.value] : []))
  expect(progress).toEqual(['looking', { at: 1 }])
})

test('of content and artifact the model gets the content', async () => {
  const answer = { lc_direct_tool_output: true, content: 'made 2', artifact: [0, 1] }
  const pair = structured('pair', (input) => Object(input).type === 'tool_call' && answer, {
    responseFormat: 'content_and_artifact',
  })
  const { toolCalls } = await runCalls(fromLangchainTools([pair]), [['pair']])
  expect(toolCalls).toMatchObject([{ content: 'made 2', result: { content: 'made 2', artifact: [0, 1] } }])
})

test('returnDirect ends the run with the result', async () => {
  const { text, steps } = await runCalls(
    fromLangchainTools([structured('end', () => 'the end', { returnDirect: true })]),
    [['end']],
  )
  expect([text, steps.length]).toEqual(['the end', 1])
})

test('messages of errors are errors, and a Command is refused', async () => {
  const tools = fromLangchainTools([
    structured('fails', () => ({ lc_direct_tool_output: true, content: 'broken', status: 'error' })),
    structured('command', () => ({ lg_name: 'Command', lc_direct_tool_output: true })),
  ])
  const { toolCalls } = await runCalls(tools, [['fails'], ['command']])
  expect(toolCalls.map(({ status }) => status)).toEqual(['error', 'error'])
  expect(toolCalls.map(({ content }) => content)).toEqual([
    'Error: broken',
    expect.stringContaining('changes the state of a graph'),
  ])
})
