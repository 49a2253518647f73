import { expect, test } from 'vitest'
import * as z from 'zod'
import { wireCall } from '../../test/chunks.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent, type Message, type RunEvent, type RunState, tool } from '../index.js'
import { argumentsOf } from './parse-arguments.js'

const callsOf = (...texts: readonly string[]) => texts.map((text, at) => wireCall(`call_${at}`, 'f', text))

test('arguments are parsed once while their text is the same, and frozen', () => {
  const [call] = callsOf('{"a":{"b":1}}')
  if (!call) throw new Error('There is no call.')
  const first = argumentsOf(call)
  expect(first).toMatchObject({ ok: true, value: { a: { b: 1 } } })
  expect(argumentsOf(call)).toBe(first)
  expect(() => Object.assign(first.ok ? Object(first.value.a) : {}, { b: 2 })).toThrow(TypeError)
  put(call, '{"a":2}')
  expect(argumentsOf(call)).toMatchObject({ ok: true, value: { a: 2 } })
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

test('the arguments in a result are frozen, and other runs of the same calls have them', async () => {
  const states: RunState[] = []
  const { agent, seen } = noting({ onCheckpoint: (state) => void states.push(state) })
  const [record] = (await agent.run('Go.')).toolCalls
  expect(() => Object.assign(record?.arguments ?? {}, { a: 'changed' })).toThrow(TypeError)
  const open = states.find(({ messages }) => messages.at(-1)?.role === 'assistant')
  const { toolCalls } = await agent.run(open as RunState)
  expect(toolCalls).toMatchObject([{ status: 'ok', arguments: { a: { x: 1 } } }])
  expect(seen).toEqual(['{"x":1}', '{"x":1}'])
})
