import { expect, test } from 'vitest'
import * as z from 'zod'
import { wireCall } from '../../test/chunks.js'
import { runOf } from '../../test/run-of.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent, type Message, type RunEvent, type RunState, tool } from '../index.js'

const callsOf = (...texts: readonly string[]) => texts.map((text, at) => wireCall(`call_${at}`, 'f', text))

test('returns stored arguments by call', () => {
  const run = runOf([])
  const calls = callsOf('{"a":1}', '{}')
  run.rememberArguments(calls, [{ a: 1 }, {}])
  expect([0, 1, 2].map((at) => run.parsedArguments(calls, at))).toEqual([{ a: 1 }, {}, undefined])
  expect(runOf([]).parsedArguments(calls, 0)).toBeUndefined()
})

test('returns nothing for other or changed calls', () => {
  const run = runOf([])
  const calls = callsOf('{"a":1}', '{}')
  run.rememberArguments(calls, [{ a: 1 }, {}])
  expect(run.parsedArguments([...calls], 1)).toBeUndefined()
  put(calls[0], '{"a":2}')
  expect([0, 1].map((at) => run.parsedArguments(calls, at))).toEqual([undefined, {}])
  const more = callsOf('{}')
  run.rememberArguments(more, [{}])
  more.push(...callsOf('{}'))
  expect(run.parsedArguments(more, 1)).toBeUndefined()
  expect(run.parsedArguments(calls, 1)).toBeUndefined()
})

/** Replaces the arguments of a call, which callers should not do. */
function put(call: { readonly function: object } | undefined, text: string): void {
  Object.assign(call?.function ?? {}, { arguments: text })
}

function putInto(message: Message | undefined, text: string): void {
  if (message?.role === 'assistant') put(message.tool_calls?.[0], text)
}

/** An agent whose tool records its arguments, and changes them. */
function noting(options: { onCheckpoint?(state: RunState): void; observe?(event: RunEvent): void } = {}) {
  const seen: string[] = []
  const f = tool({
    name: 'f',
    description: 'Notes',
    parameters: z.object({ a: z.object({ x: z.unknown() }) }),
    execute({ a }) {
      seen.push(JSON.stringify(a))
      a.x = 'by the tool'
      return 'done'
    },
  })
  const model = scriptedModel([[['f', { a: { x: 1 } }]], 'Done.', 'Done again.'])
  return { seen, agent: new Agent({ model, tools: [f], ...options }) }
}

const changing = {
  onCheckpoint: (text: string) => ({
    onCheckpoint: ({ messages }: RunState) => putInto(messages.at(-1), text),
  }),
  observe: (text: string) => ({
    observe: (event: RunEvent) => {
      if (event.type === 'message-added') putInto(event.message, text)
    },
  }),
}

test.each(['onCheckpoint', 'observe'] as const)(
  'validates arguments that %s changes again, and records them as the tool got them',
  async (by) => {
    for (const [text, reason] of [
      ['[hidden]', 'the arguments are not JSON'],
      ['"hidden"', 'not one JSON object'],
      ['{"a":{"x":1},"a":{"x":2}}', 'occurs twice'],
    ] as const) {
      const { agent, seen } = noting(changing[by](text))
      const { stopReason, toolCalls } = await agent.run('Go.')
      expect(stopReason).toBe('done')
      expect(toolCalls).toMatchObject([{ status: 'rejected', arguments: text }])
      expect(toolCalls[0]?.content).toContain(reason)
      expect(seen).toEqual([])
    }
    const { agent, seen } = noting(changing[by]('{"a":{"x":2}}'))
    expect((await agent.run('Go.')).toolCalls).toMatchObject([{ status: 'ok', arguments: { a: { x: 2 } } }])
    expect(seen).toEqual(['{"x":2}'])
  },
)

test('changes to the arguments in a result do not reach other runs of the same calls', async () => {
  const states: RunState[] = []
  const { agent, seen } = noting({ onCheckpoint: (state) => void states.push(state) })
  const [record] = (await agent.run('Go.')).toolCalls
  Object.assign(record?.arguments ?? {}, { a: 'changed' })
  const open = states.find(({ messages }) => messages.at(-1)?.role === 'assistant')
  const { toolCalls } = await agent.run(open as RunState)
  expect(toolCalls).toMatchObject([{ status: 'ok', arguments: { a: { x: 1 } } }])
  expect(seen).toEqual(['{"x":1}', '{"x":1}'])
})
