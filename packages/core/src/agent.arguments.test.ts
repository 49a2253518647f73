import { expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../test/scripted-server.js'
import { Agent, chatModel, type Repair, type RunEvent, safeRepair, tool, without } from './index.js'

const book = tool({
  name: 'book',
  description: 'Books a room',
  parameters: z.object({
    room: z.enum(['red', 'blue']),
    guests: z.int(),
    quiet: z.boolean().optional(),
    names: z.array(z.string()).optional(),
    note: z.string().optional(),
  }),
  execute: (args) => args,
})

/** Runs one call with these arguments; tells how it went and what was mended. */
async function called(text: string, repair?: Repair) {
  await using server = await startScriptedServer([
    { calls: [{ name: 'book', arguments: text }] },
    { text: 'ok' },
  ])
  const events: RunEvent[] = []
  const agent = new Agent({
    model: chatModel('m', server),
    tools: [book],
    observe: (event) => events.push(event),
    ...(repair ? { repair } : {}),
  })
  const { toolCalls, usage } = await agent.run('Go.')
  const repairs = events.flatMap((event) => (event.type === 'repair-applied' ? event.repairs : []))
  return { call: toolCalls[0], repairs, counted: usage.repairs, sent: server.requests[1]?.body.messages[1] }
}

test('what does not fit goes back with the place, what was expected, what came, and the expected type', async () => {
  const { call, counted } = await called('{"room":"green","guests":"2"}')
  expect(call?.status).toBe('rejected')
  expect(call?.content).toContain('room: Invalid option: expected one of "red"|"blue" (given: "green")')
  expect(call?.content).toContain('guests: Invalid input: expected number, received string (given: "2")')
  expect(call?.content).toContain('Expected: { room: "red" | "blue", guests: integer, ')
  expect(counted).toBe(0)
})

test.each([
  ['a code fence', '```json\n{"room":"red","guests":2}\n```', { room: 'red', guests: 2 }],
  ['a trailing comma', '{"room":"red","guests":2,}', { room: 'red', guests: 2 }],
  [
    "Python's literals and quotes",
    "{'room': 'red', 'guests': 2, 'quiet': True}",
    { room: 'red', guests: 2, quiet: true },
  ],
  ['a number in quotes', '{"room":"red","guests":"2"}', { room: 'red', guests: 2 }],
  [
    'a truth value in quotes',
    '{"room":"red","guests":2,"quiet":"false"}',
    { room: 'red', guests: 2, quiet: false },
  ],
  ['null for what is optional', '{"room":"red","guests":2,"note":null}', { room: 'red', guests: 2 }],
  [
    'one value for a list',
    '{"room":"red","guests":2,"names":"Ada"}',
    { room: 'red', guests: 2, names: ['Ada'] },
  ],
])(
  '%s is repaired when the agent asks for it, reported and counted; else it is rejected',
  async (_what, text, args) => {
    const mended = await called(text, safeRepair)
    expect(mended.call).toMatchObject({ status: 'ok', result: args })
    expect(mended.repairs.length).toBeGreaterThan(0)
    expect(mended.counted).toBe(1)
    expect((await called(text)).call?.status).toBe('rejected')
  },
)

test.each([
  '{"room":"red","guests":2',
  '{"room":"red","note":"cu',
  "{'room': 'red', 'guests'",
  '```json\n{"room":"red"',
])('cut text %j is never mended', async (text) => {
  const { call, repairs } = await called(text, safeRepair)
  expect(call?.status).toBe('rejected')
  expect(repairs).toEqual([])
})

test('what stands in strings is left alone', async () => {
  const text = `{"room":"red","guests":2,"note":"it's None, really, ]}",}`
  expect((await called(text, safeRepair)).call?.result).toEqual({
    room: 'red',
    guests: 2,
    note: "it's None, really, ]}",
  })
})

test('three rejections in a row of one tool end the run as stuck, with all that was said', async () => {
  const bad = { calls: [{ name: 'book', arguments: '{}' }], text: 'Once more.' }
  await using server = await startScriptedServer(Array(5).fill(bad))
  const result = await new Agent({ model: chatModel('m', server), tools: [book] }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'stuck', stepCount: 4, text: 'Once more.' })
  expect(server.requests.map(({ body }) => body.tool_choice)).toEqual(['auto', 'auto', 'auto', 'none'])
})

test('a call that fits ends the row', async () => {
  const bad = { calls: [{ name: 'book', arguments: '{}' }] }
  const good = { calls: [{ name: 'book', arguments: { room: 'red', guests: 1 } }] }
  await using server = await startScriptedServer([bad, bad, good, bad, bad, { text: 'Done.' }])
  const result = await new Agent({ model: chatModel('m', server), tools: [book] }).run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', stepCount: 6 })
})

test('calls of a name that no tool has count as well', async () => {
  await using server = await startScriptedServer(Array(5).fill({ calls: [{ name: 'nothing' }] }))
  const agent = new Agent({
    model: chatModel('m', server),
    tools: [book],
    middleware: [without('final-answer')],
  })
  const { stopReason, stepCount } = await agent.run('Go.')
  expect({ stopReason, stepCount }).toEqual({ stopReason: 'stuck', stepCount: 3 })
})

test('arguments that were cut before they began are not taken for none', async () => {
  const now = tool({ name: 'now', description: 'The time', parameters: z.object({}), execute: () => 'noon' })
  const cut = {
    choices: [
      {
        message: { tool_calls: [{ id: 'a', type: 'function', function: { name: 'now', arguments: '' } }] },
        finish_reason: 'length',
      },
    ],
  }
  await using server = await startScriptedServer([{ status: 200, body: cut }, { text: 'ok' }])
  const { toolCalls } = await new Agent({ model: chatModel('m', server), tools: [now] }).run('Time?')
  expect(toolCalls).toMatchObject([{ status: 'rejected', content: expect.stringContaining('cut off') }])
})
