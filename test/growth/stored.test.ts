import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type Message, type RunState, tool } from '@capstan/core'
import { folderSessions } from '@capstan/core/node'
import { mcpServer, mcpTools } from '@capstan/mcp'
import { reply, scriptedModel } from '@capstan/testing'
import { explain, readRecording, recordRun, replayRun } from '@capstan/testing/recording'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { expectLinear } from '../../packages/core/test/expect-linear.js'
import { cases, some } from '../../scripts/cases.mjs'
import { many } from './measure.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-growth-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const newName = () => `n${++files}`

type Fields = Readonly<Record<string, unknown>>
type Prepare = (n: number) => (() => unknown) | Promise<() => unknown>

const parameters = z.object({ n: z.number().optional() })
const look = tool({ name: 'look', description: 'Looks', parameters, execute: () => 'ok' })
const book = tool({
  name: 'book',
  description: 'Books',
  parameters,
  needsApproval: true,
  execute: () => 'ok',
})
const agentWith = (...script: Parameters<typeof scriptedModel>[0]) =>
  new Agent({
    name: 'a',
    model: scriptedModel(script),
    tools: [look, book],
    limits: { steps: 100_000, toolCalls: 100_000 },
  })

const calls = (n: number, name = 'look') => reply.calls(...many(n, (at) => reply.call(name, { n: at })))
const turns = (n: number): Message[] =>
  many(n, (at): Message[] => [
    { role: 'user', content: 'x' },
    {
      ...{ role: 'assistant', content: null },
      tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: 'ok' },
    { role: 'assistant', content: 'a' },
  ]).flat()

/** A state that waits for decisions on `n` calls, as JSON. */
async function pendingState(n: number): Promise<RunState> {
  const { state } = await agentWith(calls(n, 'book')).run('x')
  return JSON.parse(JSON.stringify(state))
}

const runs: Readonly<Record<string, Prepare>> = {
  'a state with decisions on calls': async (n) => {
    const state = await pendingState(n / 4)
    const decisions = Object.fromEntries(
      state.pending.map(({ callId }) => [callId, { type: 'approve' as const }]),
    )
    return () => agentWith(reply.text('ok')).run(state, { decisions })
  },
  'a state with messages': async (n) => {
    const state = await pendingState(1)
    const all = { ...state, messages: [...turns(n / 4), ...state.messages] }
    const decisions = { [state.pending[0]?.callId ?? '']: { type: 'approve' as const } }
    return () =>
      agentWith(reply.text('ok'))
        .run(all, { decisions })
        .catch(() => undefined)
  },
  'a state with keys': async (n) => {
    const state = { ...(await pendingState(1)), ...Object.fromEntries(many(n, (at) => [`k${at}`, 1])) }
    return () =>
      agentWith(reply.text('ok'))
        .run(state)
        .catch(() => undefined)
  },
  'a reply with calls': (n) => () => agentWith(calls(n / 4), reply.text('ok')).run('x'),
  'an id of a call': (n) => () =>
    agentWith(reply.call('look', {}, { id: 'a/'.repeat(n * 10) }), reply.text('ok')).run('x'),
  'given messages': (n) => {
    const messages = [...turns(n / 4), { role: 'user' as const, content: 'x' }]
    return () => agentWith(reply.text('ok')).run(messages)
  },
  'arguments with keys': (n) => {
    const args = JSON.stringify(Object.fromEntries(many(n, (at) => [`k${at}`, 1])))
    return () => agentWith(reply.call('look', args), reply.text('ok')).run('x')
  },
}

/** Texts that a tool returns, and a model writes: beginnings of what is looked for in texts. */
const texts: Readonly<Record<string, (n: number) => string>> = {
  'beginnings of files': (n) => 'data:image/png;base64,'.repeat(n),
  'beginnings of escaped files': (n) => 'data:text/plain,%'.repeat(n),
  'short files': (n) => `data:image/png;base64,${'AAAA'.repeat(9)} `.repeat(n),
  base64: (n) => `${'QUJD'.repeat(300)} `.repeat(n / 10),
  'base64 in lines': (n) => `${'QUJD'.repeat(19)}\n`.repeat(n),
  'base64url in quotes': (n) => `"${'ab-_'.repeat(300)}",`.repeat(n / 10),
  'line breaks in base64': (n) => `${'QUJD'.repeat(300)}${'\n'.repeat(n * 3)}QUJD`,
  'escaped line breaks in base64': (n) => `${'QUJD'.repeat(300)}${'\\n'.repeat(n * 3)}QUJD`,
  'one base64 that ends badly': (n) => `${'QUJD'.repeat(n)}!`,
  'beginnings of calls': (n) => '<tool_call>{"name": '.repeat(n),
  brackets: (n) => '[{"a":'.repeat(n),
  'attached files': (n) => 'Attached: img-0123456789abcdef01234567 (image/png, 1 bytes)\n'.repeat(n),
  'white space': (n) => `x${' '.repeat(n * 20)}x`,
  secrets: (n) => 'sk-aaaaaaaaaaaaaaaaaaaaaaaa '.repeat(n),
}

test.each(some(Object.entries(texts), 9))(
  'the cost of %s in a result and a reply grows with their number',
  async (_name, make) => {
    await expectLinear(
      (n) => {
        const text = make(n)
        const say = tool({ name: 'say', description: 'Says', parameters: z.object({}), execute: () => text })
        const script = [reply.call('say'), reply.text(text)]
        return () =>
          new Agent({ name: 'a', model: scriptedModel(script), tools: [say] }).run(`Go on. ${text}`)
      },
      cases(4000, 1000),
    )
  },
)

test.each(some(Object.entries(runs), 5))('the cost of %s grows with its size', async (_name, prepare) => {
  await expectLinear(prepare, cases(4000, 1000))
})

const sessions: Readonly<Record<string, Prepare>> = {
  'loading messages': async (n) => {
    const store = folderSessions(join(folder, newName()))
    await store.append('s', turns(n / 4), 0)
    return () => store.load('s')
  },
  'loading appends': async (n) => {
    const name = newName()
    const store = folderSessions(join(folder, name))
    await store.append('s', turns(1), 0)
    await store.append('s', turns(1), 4)
    const [file = ''] = (await import('node:fs')).readdirSync(join(folder, name))
    const path = join(folder, name, file)
    const [first = '', second = ''] = readFileSync(path, 'utf8').split('\n')
    const lines = many(n / 4, (at) =>
      second.replaceAll(/"(base|version)":\d+/g, (_, field) => `"${field}":${4 + at * 4}`),
    )
    writeFileSync(path, `${[first, second, ...lines].join('\n')}\n`)
    return () => store.load('s').catch(() => undefined)
  },
}

test.each(Object.entries(sessions))(
  'the cost of %s of a session grows with their number',
  async (_name, prepare) => {
    await expectLinear(prepare, cases(8000, 2000))
  },
)

const recordings: Readonly<Record<string, (file: string) => unknown>> = {
  replaying: (file) => replayRun(file),
  reading: (file) => readRecording(file),
  explaining: (file) => explain(file),
}

test.each(Object.entries(recordings))(
  'the cost of %s a recording grows with its length',
  async (_name, work) => {
    await expectLinear(
      async (n) => {
        const file = join(folder, `${newName()}.jsonl`)
        const recording = recordRun(file)
        await agentWith(calls(n), reply.text('ok')).run('x', recording)
        return () => work(file)
      },
      cases(1000, 200),
    )
  },
)

/** The `fetch` of a client whose server lists tools and answers calls. */
function answering(tools: readonly Fields[], result: Fields): typeof globalThis.fetch {
  return async (_url, init) => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 })
    const { id, method } = JSON.parse(String(init.body))
    if (id === undefined) return new Response(null, { status: 202 })
    const results: Record<string, Fields> = {
      initialize: {
        ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
        serverInfo: { name: 's', version: '1' },
      },
      'tools/list': { tools },
      'tools/call': result,
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} })
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  }
}

const plain = { name: 'plain', description: 'Says yes.', inputSchema: { type: 'object' } }
const properties = (n: number) => Object.fromEntries(many(n, (at) => [`p${at}`, { type: 'string' }]))

const mcp: Readonly<Record<string, (n: number) => readonly [tools: readonly Fields[], result: Fields]>> = {
  'blocks of a result': (n) => [[plain], { content: many(n, () => ({ type: 'text', text: 'x' })) }],
  'texts that repeat structured content': (n) => [
    [plain],
    { content: many(n, (at) => ({ type: 'text', text: `{"a":${at}}` })), structuredContent: { a: 1 } },
  ],
  links: (n) => [
    [plain],
    { content: many(n, (at) => ({ type: 'resource_link', uri: `https://a.test/${at}`, name: 'a' })) },
  ],
  'unknown blocks': (n) => [[plain], { content: many(n, () => ({ type: 'x', a: 1 })) }],
  'fields of structured content': (n) => [[plain], { content: [], structuredContent: properties(n) }],
  tools: (n) => [many(n / 4, (at) => ({ ...plain, name: `t${at}` })), { content: [] }],
  'tools of one name': (n) => [many(n, () => plain), { content: [] }],
  'properties of a tool': (n) => [
    [{ ...plain, inputSchema: { type: 'object', properties: properties(n) } }],
    { content: [] },
  ],
}

test.each(some(Object.entries(mcp), 4))(
  'the cost of %s of an MCP server grows with their number',
  async (_name, make) => {
    await expectLinear(
      (n) => {
        const [tools, result] = make(n)
        return async () => {
          const server = await mcpTools({ url: 'http://localhost/mcp', fetch: answering(tools, result) })
          await server.tools[0]?.call({})
          await server.close()
        }
      },
      cases(4000, 1000),
    )
  },
)

const rpc = (method: string, params: Fields) => ({ jsonrpc: '2.0', id: 1, method, params })
const served: Readonly<Record<string, (n: number) => unknown>> = {
  'arguments of a call': (n) => rpc('tools/call', { name: 'look', arguments: properties(n) }),
  'requests in one body': (n) => many(n, (id) => ({ ...rpc('tools/list', {}), id })),
}

test.each(Object.entries(served))(
  'the cost of %s for an MCP client grows with their number',
  async (_name, make) => {
    await expectLinear(
      (n) => {
        const body = JSON.stringify(make(n))
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
        return async () => {
          const server = mcpServer([look])
          const response = await server.fetch(
            new Request('http://localhost/mcp', { method: 'POST', headers, body }),
          )
          expect(response.status).toBeLessThan(500)
          await response.text()
        }
      },
      cases(2000, 500),
    )
  },
)
