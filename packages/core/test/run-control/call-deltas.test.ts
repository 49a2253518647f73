import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, type ChatModel, chatModel, partialCalls, type RunEvent, tool } from '../../src/index.js'
import { type Line, startScriptedServer } from '../scripted-server.js'

const ran: unknown[] = []
const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ at: z.string(), n: z.int().optional() }),
  execute: (args, { callId }) => {
    ran.push([callId, args])
    return 'a gate'
  },
})

interface Piece {
  readonly index?: number
  readonly id?: string
  readonly name?: string
  readonly text?: string
}

const chunkOf = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const callChunk = ({ index = 0, id, name, text = '' }: Piece) =>
  chunkOf({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] })

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** Streams pieces of calls, and then ends the reply, or breaks it off. */
const calls =
  (pieces: readonly Piece[], end: 'end' | 'break' = 'end'): Line =>
  (_request, response) => {
    begin(response)
    const text = pieces.map(callChunk).join('')
    if (end === 'end') response.end(`${text}${chunkOf({}, 'tool_calls')}data: [DONE]\n\n`)
    else response.write(text, () => response.destroy())
  }

/** A run, the pieces of its calls by their ids, and what ran. */
async function streamed(script: readonly Line[], over: Partial<ChatModel> = {}) {
  ran.length = 0
  await using server = await startScriptedServer([...script, { text: 'Done.' }])
  const agent = new Agent({ model: { ...chatModel('m', server), ...over }, tools: [look] })
  const run = agent.stream('Go.')
  const pieces: Record<string, string[]> = {}
  const events: RunEvent[] = []
  for await (const event of run) {
    events.push(event)
    if (event.type === 'call-delta') {
      pieces[event.callId] ??= []
      pieces[event.callId]?.push(event.arguments)
    }
  }
  const ready = events.flatMap((event) => (event.type === 'call-ready' ? [event.callId] : []))
  return { pieces, ready, events, ran: [...ran], result: await run.result }
}

test('pieces of a call come while it is written, with its id, its name, and its arguments so far', async () => {
  let goOn = () => {}
  const seen = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const line: Line = async (_request, response) => {
    begin(response)
    response.write(callChunk({ id: 'c1', name: 'look' }) + callChunk({ text: '{"at":"the ga' }))
    // The rest is not written before the beginning was read.
    await seen
    response.end(`${callChunk({ text: 'te","n":12}' })}${chunkOf({}, 'tool_calls')}data: [DONE]\n\n`)
    await once(response, 'close')
  }
  await using server = await startScriptedServer([line, { text: 'Done.' }])
  const run = new Agent({ model: chatModel('m', server), tools: [look] }).stream('Go.', { keepEvents: 1000 })
  const partials: unknown[] = []
  for await (const { callId, partial } of partialCalls(run, 'look')) {
    partials.push([callId, partial])
    goOn()
  }
  expect(partials).toEqual([
    ['c1', { at: 'the ga' }],
    ['c1', { at: 'the gate', n: 12 }],
    ['c1', { at: 'the gate', n: 12 }],
  ])
  const deltas = []
  for await (const event of run) if (event.type === 'call-delta') deltas.push(event)
  expect(deltas).toMatchObject([
    { callId: 'c1', name: 'look', index: 0, arguments: '{"at":"the ga' },
    { callId: 'c1', name: 'look', index: 0, arguments: 'te","n":12}' },
  ])
})

test('calls that are written side by side stay apart', async () => {
  const { pieces, ran } = await streamed([
    calls([
      { id: 'a', name: 'look', text: '{"at"' },
      { index: 1, id: 'b', name: 'look', text: '{"at":' },
      { text: ':"x"}' },
      { index: 1, text: '"y"}' },
    ]),
  ])
  expect(pieces).toEqual({ a: ['{"at"', ':"x"}'], b: ['{"at":', '"y"}'] })
  expect(ran).toEqual([
    ['a', { at: 'x' }],
    ['b', { at: 'y' }],
  ])
})

test('an id that comes late has the pieces before it', async () => {
  const late = [{ name: 'look', text: '{"at"' }, { text: ':' }, { id: 'a', text: '"x' }, { text: '"}' }]
  expect((await streamed([calls(late)])).pieces).toEqual({ a: ['{"at":"x', '"}'] })
})

test.each([
  ['without an id', [undefined, undefined], ['call_0_0', 'call_0_1']],
  ['with the id of another one', ['a', 'a'], ['a', 'a_2']],
  ['with an id that is made for another one', [undefined, 'call_0_0'], ['call_0_0_2', 'call_0_0']],
])('a call %s has its final id', async (_how, given, ids) => {
  const both = given.flatMap((id, index): Piece[] => [
    { index, ...(id ? { id } : {}), name: 'look', text: '{"at":' },
    { index, text: `"${index}"}` },
  ])
  const { pieces, ran, ready } = await streamed([calls(both)])
  expect(Object.entries(pieces).map(([id, texts]) => [id, texts.join('')])).toEqual(
    expect.arrayContaining([
      [ids[0], '{"at":"0"}'],
      [ids[1], '{"at":"1"}'],
    ]),
  )
  expect(ready).toEqual(ids)
  expect(ran).toEqual([
    [ids[0], { at: '0' }],
    [ids[1], { at: '1' }],
  ])
})

test.each([
  ['another id', 'b', 'b'],
  ['the same id', 'a', 'a_2'],
])('a retried reply starts its calls anew: %s', async (_how, id, final) => {
  const { pieces, ready, ran, events, result } = await streamed([
    calls([{ id: 'a', name: 'look', text: '{"at":"wro' }], 'break'),
    calls([{ id, name: 'look', text: '{"at":' }, { text: '"x"}' }]),
  ])
  expect(events.map(({ type }) => type)).toContain('retry-scheduled')
  expect(pieces.a).toEqual(['{"at":"wro'])
  expect(pieces[final]?.join('')).toBe('{"at":"x"}')
  expect(ready).toEqual([final])
  expect(ran).toEqual([[final, { at: 'x' }]])
  expect(JSON.stringify(result.messages)).not.toContain('wro')
})

test('a call that was written as text comes in one piece', async () => {
  const text = '<tool_call>{"name": "look", "arguments": {"at": "x"}}</tool_call>'
  await using server = await startScriptedServer([{ text }, { text: 'Done.' }])
  const model = chatModel('m', { ...server, textCalls: 'run' })
  const { complete } = model
  const { pieces, ran } = await streamed([], { complete })
  expect(pieces).toEqual({ call_0_0: ['{"at": "x"}'] })
  expect(ran).toEqual([['call_0_0', { at: 'x' }]])
})

test('a call whose deltas are not what its reply has gets another id', async () => {
  const { pieces, ready, ran } = await streamed([], {
    complete: ofOwn([{ id: 'a', arguments: '{"at":"y"' }], { id: 'a', arguments: '{"at":"x"}' }),
  })
  expect(pieces).toEqual({ a: ['{"at":"y"'], a_2: ['{"at":"x"}'] })
  expect([ready, ran]).toEqual([['a_2'], [['a_2', { at: 'x' }]]])
})

test('a model whose deltas have no ids is read by the index', async () => {
  const { pieces, ran } = await streamed([], {
    complete: ofOwn([{ arguments: '{"at":' }, { arguments: '"x"}' }], { id: 'a', arguments: '{"at":"x"}' }),
  })
  expect(pieces).toEqual({ a: ['{"at":"x"}'] })
  expect(ran).toEqual([['a', { at: 'x' }]])
})

/** A model of one's own with one call, whose deltas are given. */
function ofOwn(
  deltas: readonly { readonly id?: string; readonly arguments: string }[],
  { id, arguments: args }: { readonly id: string; readonly arguments: string },
): ChatModel['complete'] {
  return async ({ messages }, sink) => {
    if (messages.at(-1)?.role === 'tool') return { message: { role: 'assistant', content: 'Done.' } }
    for (const delta of deltas) sink?.({ type: 'call', index: 0, name: 'look', ...delta })
    const called = { id, type: 'function', function: { name: 'look', arguments: args } } as const
    return { message: { role: 'assistant', content: null, tool_calls: [called] }, finishReason: 'tool_calls' }
  }
}
