import { Agent, type AnyAgent, agentTool, type RunEvent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Entry } from '../../types.js'
import { spentWords } from './format.js'
import { tokensOf } from './rows.js'
import { eventHandlers } from './run-events.js'
import type { RunNode } from './run-nodes.js'
import { RunTree } from './run-tree.js'

const getWeather = tool({
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 4 }),
})

async function entriesOf(agent: AnyAgent, input: string): Promise<Entry[]> {
  const events: RunEvent[] = []
  await agent.run(input, { observe: (event: RunEvent) => events.push(event) }).catch(() => {})
  return events.map((event, seq) => ({ seq, t: seq, event }))
}

function treeOf(entries: readonly Entry[]): RunTree {
  const tree = new RunTree()
  for (const entry of entries) tree.add(entry)
  return tree
}

/** Returns a tree as indented lines. */
function linesOf(nodes: readonly RunNode[], indent = ''): string[] {
  return nodes.flatMap((node) => {
    const name =
      node.kind === 'call' || node.kind === 'note' ? ('name' in node ? node.name : node.title) : node.kind
    return [`${indent}${name} ${node.status}`, ...linesOf(node.children, `${indent}  `)]
  })
}

describe('a tree of a real run', () => {
  test('has calls below their step, and the end last', async () => {
    const model = scriptedModel([
      reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('get_weather', { city: 'Rome' })),
      reply.text('Cold.'),
    ])
    const tree = treeOf(await entriesOf(new Agent({ model, tools: [getWeather] }), 'Weather?'))
    expect(linesOf(tree.root.children)).toEqual([
      'step ok',
      '  get_weather ok',
      '  get_weather ok',
      'step ok',
      'end ok',
    ])
    const [first, second] = tree.root.children
    expect(first?.kind === 'step' && first.children[0]).toMatchObject({
      arguments: { city: 'Oslo' },
      index: 0,
    })
    expect(second).toMatchObject({ text: 'Cold.', step: 1 })
  })

  test('has the steps of an agent below the call that it answers', async () => {
    const inner = new Agent({
      name: 'painter',
      model: scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('Grey.')]),
      tools: [getWeather],
    })
    const paint = agentTool(inner, { name: 'paint', description: 'Paints' })
    const model = scriptedModel([reply.call('paint', { input: 'Oslo' }), reply.text('Done.')])
    const tree = treeOf(await entriesOf(new Agent({ name: 'outer', model, tools: [paint] }), 'Paint Oslo'))
    expect(linesOf(tree.root.children)).toEqual([
      'step ok',
      '  paint ok',
      '    step ok',
      '      get_weather ok',
      '    step ok',
      'step ok',
      'end ok',
    ])
    const call = tree.root.children[0]?.children[0]
    expect(call).toMatchObject({ kind: 'call', agent: 'painter' })
  })

  test('shows a call that waits, its decision, and the round after it', async () => {
    const send = tool({
      name: 'send',
      description: 'Sends',
      parameters: z.object({ to: z.string() }),
      needsApproval: true,
      execute: () => 'sent',
    })
    const events: RunEvent[] = []
    const model = scriptedModel([reply.call('send', { to: 'Ada' }), reply.text('Sent.')])
    const agent = new Agent({ model, tools: [send] })
    const observe = (event: RunEvent) => events.push(event)
    const result = await agent.run('Send', { observe })
    const call = result.pending?.[0]
    const count = events.length
    const tree = treeOf(events.map((event, seq) => ({ seq, t: seq, event })))
    expect(tree.waiting.map(({ name }) => name)).toEqual(['send'])
    expect(tree.root.status).toBe('waiting')
    // The pending step has not ended, but its reply already counts.
    expect(tree.root.children.map(tokensOf)).toEqual([15, 15])
    const decisions = { [call?.callId ?? '']: { type: 'approve' as const } }
    tree.add({ seq: count, t: count, round: 1, decisions })
    await agent.run(result.state, { decisions, observe })
    for (const [index, event] of events.slice(count).entries())
      tree.add({ seq: count + 1 + index, t: count + 1 + index, event })
    expect(tree.waiting).toEqual([])
    expect(linesOf(tree.root.children)).toEqual([
      'step ok',
      '  send ok',
      'end note',
      'decided note',
      'step ok',
      'end ok',
    ])
    expect(tree.root.children.map(tokensOf)).toEqual([15, 15, undefined, 15, 30])
    const [, end] = tree.root.children
    expect(end).toMatchObject({ kind: 'end', text: 'The run waited for a decision.' })
  })
})

test('a call that was denied says so', async () => {
  const send = tool({
    name: 'send',
    description: 'Sends',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'sent',
  })
  const events: RunEvent[] = []
  const observe = (event: RunEvent) => events.push(event)
  const model = scriptedModel([reply.call('send', {}), reply.text('So it is.')])
  const agent = new Agent({ model, tools: [send] })
  const result = await agent.run('Send', { observe })
  const callId = result.pending?.[0]?.callId ?? ''
  const decisions = { [callId]: { type: 'deny' as const, reason: 'No' } }
  const count = events.length
  await agent.run(result.state, { decisions, observe })
  const entries = events.map((event, seq) => ({ seq: seq < count ? seq : seq + 1, t: seq, event }))
  const tree = treeOf([
    ...entries.slice(0, count),
    { seq: count, t: count, round: 1, decisions },
    ...entries.slice(count),
  ])
  expect(tree.call(callId)).toMatchObject({ status: 'denied', decision: { reason: 'No' } })
})

test('a pending call of an agent is found by its path, although it has the id of the outer call', () => {
  const event = (body: object) => ({ event: { runId: 'r', seq: 0, step: 0, ...body } as RunEvent })
  const contents = [
    event({ type: 'tool-start', callId: 'c1', name: 'paint', arguments: {} }),
    event({ type: 'call-ready', callId: 'c1', name: 'send', arguments: '{}', parentCallId: 'c1' }),
    event({ type: 'call-pending', callId: 'c1/c1', name: 'send', kind: 'approval', parentCallId: 'c1' }),
  ]
  const tree = treeOf(contents.map((content, seq) => ({ seq, t: seq, ...content })))
  expect(linesOf(tree.root.children)).toEqual([
    'step running',
    '  paint running',
    '    step running',
    '      send waiting',
  ])
  expect(tree.call('c1/c1')?.status).toBe('waiting')
})

test('entries that were added before are passed over', async () => {
  const entries = await entriesOf(new Agent({ model: scriptedModel([reply.text('Hi.')]) }), 'Hello')
  const once = linesOf(treeOf(entries).root.children)
  expect(linesOf(treeOf([...entries, ...entries]).root.children)).toEqual(once)
})

test('lines of the console stand at their call, requests at their step, and a lost run ends', () => {
  const event = (body: object) => ({ event: { runId: 'r', seq: 0, step: 0, ...body } as RunEvent })
  const contents = [
    { checkpoint: 3, step: 0 },
    event({ type: 'run-start', agent: 'a' }),
    event({ type: 'step-start' }),
    { exchange: 0, is: 'sent' as const },
    { exchange: 0, is: 'ended' as const },
    event({ type: 'tool-start', callId: 'c1', name: 'f', arguments: {} }),
    { console: 'log' as const, text: 'in it', callId: 'c1' },
    { console: 'error' as const, text: 'outside' },
    { lost: { exitCode: 3 } },
  ]
  const tree = treeOf(contents.map((content, seq) => ({ seq, t: seq, ...content })))
  expect(linesOf(tree.root.children)).toEqual([
    'step cut_off',
    '  request ok',
    '  f cut_off',
    '  console.error problem',
    'end problem',
  ])
  expect(tree.root.children[0]).toMatchObject({ checkpoint: 3 })
  expect(tree.call('c1')?.console).toEqual([{ level: 'log', text: 'in it', t: 6 }])
})

test('any sequence of events gives a tree, and no event is lost without a place', () => {
  const types = Object.keys(eventHandlers) as RunEvent['type'][]
  const anyEvent = fc.record({
    type: fc.constantFrom(...types),
    step: fc.nat(3),
    callId: fc.constantFrom('c0', 'c1'),
    parentCallId: fc.option(fc.constantFrom('c0', 'c1', 'c0/c1'), { nil: undefined }),
    name: fc.constantFrom('f', 'g'),
  })
  const usage = { totalTokens: 1 }
  const further = {
    arguments: '{}',
    repairs: ['r'],
    names: ['f'],
    calls: [{ callId: 'c9', name: 'f', arguments: '{}' }],
    artifacts: [],
    artifact: { id: 'img_1' },
    usage,
    message: { role: 'assistant', content: 'text' },
    stopReason: 'done',
    status: 'ok',
    text: 't',
    stage: 'warn',
    before: 9,
    after: 5,
    to: 'b',
    delayMs: 5,
    key: 'k',
  }
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      const tree = treeOf(
        events.map((event, seq) => ({
          seq,
          t: seq,
          event: { runId: 'r', seq, ...further, ...event } as never,
        })),
      )
      const reached = new Set<RunNode>()
      const visit = (nodes: readonly RunNode[]) => {
        for (const node of nodes) {
          expect(reached.has(node)).toBe(false)
          reached.add(node)
          visit(node.children)
        }
      }
      visit(tree.root.children)
      expect([...tree.nodes.values()].every((node) => reached.has(node))).toBe(true)
    }),
  )
})

test('calls of the server of a model have a row, and paid calls tell what they spent', () => {
  const about = { runId: 'r', step: 0, callId: 'c', name: 'draw' } as const
  const usage = { requests: 0, unreported: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0, toolCalls: 0 }
  const spent = [{ images: 2, model: 'painter' }, { characters: 12 }]
  const ended = { status: 'ok', ms: 4, content: 'Drawn.', artifacts: [] } as const
  const events = [
    { type: 'run-start', runId: 'r', step: 0, agent: 'a' },
    { type: 'step-start', runId: 'r', step: 0 },
    {
      type: 'middleware',
      runId: 'r',
      step: 0,
      name: 'hosted-tools',
      action: 'web_search',
      data: { query: 'Oslo' },
    },
    { type: 'tool-end', ...about, ...ended, background: true },
    { type: 'tool-end', ...about, ...ended, spent, cost: 80 },
    { type: 'run-end', runId: 'r', step: 0, stopReason: 'done', usage: { ...usage, perTool: {} } },
  ] as unknown as readonly RunEvent[]
  const entries = events.map((event, seq): Entry => ({ seq, t: seq, event }))
  const before = treeOf(entries.slice(0, 4)).root.children[0]?.children
  expect(before?.find(({ kind }) => kind === 'call')).toMatchObject({ isBackground: true })
  const rows = treeOf(entries).root.children[0]?.children ?? []
  expect(rows[0]).toMatchObject({ kind: 'note', title: 'web_search (hosted)', text: '{"query":"Oslo"}' })
  expect(rows[1]).toMatchObject({ kind: 'call', name: 'draw', spent, cost: 80 })
  expect(rows[1]).not.toHaveProperty('isBackground')
  expect(spentWords(spent)).toBe('2 images (painter), 12 characters')
})
