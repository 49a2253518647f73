import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type ModelRequest, tool } from '@capstan/core'
import { folderArtifacts, folderSessions } from '@capstan/core/node'
import { folderRunStore } from '@capstan/stores/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { AgentHandler } from '../src/agent-handler.js'
import { handlerOf, pixel } from './requests.js'

// A user with a conversation that waits, and another one who knows each of its ids.

const secret = 'the-word-of-ann'
const requests: ModelRequest[] = []

const draw = tool({
  name: 'draw',
  description: 'Draws',
  parameters: z.object({ what: z.string() }),
  // Equal bytes have one id, also those of two users.
  execute: ({ what }, { artifacts }) =>
    artifacts.put(Buffer.concat([pixel, Buffer.from(what)]), { kind: 'image', mediaType: 'image/png' }),
})
const send = tool({
  name: 'send',
  description: 'Sends',
  parameters: z.object({ text: z.string() }),
  needsApproval: true,
  execute: () => secret,
})

/** Draws for each user, then asks to send what the user said. */
const model = {
  name: 'm',
  async complete(request: ModelRequest) {
    requests.push(request)
    const { messages } = request
    const said = String(messages.findLast(({ role }) => role === 'user')?.content)
    const done = messages.slice(messages.findLastIndex(({ role }) => role === 'user')).length
    const call = (name: string, args: object) => ({
      message: {
        role: 'assistant' as const,
        content: null,
        tool_calls: [
          {
            id: `call_${name}`,
            type: 'function' as const,
            function: { name, arguments: JSON.stringify(args) },
          },
        ],
      },
    })
    if (done === 1) return call('draw', { what: said })
    if (done === 3) return call('send', { text: said })
    return { message: { role: 'assistant' as const, content: `Sent: ${said}` } }
  },
}

let folder = ''
let nodes: readonly AgentHandler[] = []
const ids: Record<string, string> = {}

const ask = (node: AgentHandler, user: string, [method, path, body]: Asked) =>
  node(
    new Request(`http://house.test${path}`, {
      method,
      headers: { authorization: `Bearer user-${user}`, 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
    }),
  )

type Asked = readonly [method: string, path: string, body?: object]

const userMessage = (text: string) => ({ id: `m ${text}`, role: 'user', parts: [{ type: 'text', text }] })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-users-'))
  const serve = () =>
    handlerOf(
      new Agent({
        name: 'helper',
        model,
        tools: [draw, send],
        artifacts: folderArtifacts(join(folder, 'artifacts')),
      }),
      {
        runs: folderRunStore(join(folder, 'runs')),
        sessions: folderSessions(join(folder, 'sessions')),
        sweepMs: 0,
      },
    )
  nodes = [serve(), serve()]
  const [node] = nodes as [AgentHandler]
  const reply = await ask(node, 'ann', ['POST', '/ui', { id: 'trip', messages: [userMessage(secret)] }])
  const stream = await reply.text()
  ids.run = /"runId":"([^"]+)"/.exec(stream)?.[1] ?? ''
  ids.artifact = /artifacts\/([^"]+)"/.exec(stream)?.[1] ?? ''
  const asked = await ask(node, 'ann', ['POST', '/runs', { input: secret, session: 'notes', stream: false }])
  ids.other = (await asked.json()).runId
  await (await ask(node, 'ann', ['POST', '/ag-ui', agUi('thread', secret)])).text()
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

function agUi(threadId: string, text: string): object {
  const message = { id: `a ${text}`, role: 'user', content: text }
  const empty = { tools: [], context: [], state: {}, forwardedProps: {} }
  return { threadId, runId: 'r', messages: [message], ...empty }
}

const approve = { callId: 'call_send', decision: { type: 'approve' } }
const hello = { role: 'user', content: 'Hello.' }

/** Each route of the page, as it is there, and what the other user asks of it. */
const routes: readonly (readonly [route: string, () => readonly Asked[]])[] = [
  [
    'POST v1/chat/completions',
    () => [['POST', '/v1/chat/completions', { model: 'helper', messages: [hello] }]],
  ],
  ['POST v1/responses', () => [['POST', '/v1/responses', { model: 'helper', input: 'Hello.' }]]],
  [
    'POST v1/messages',
    () => [['POST', '/v1/messages', { model: 'helper', max_tokens: 100, messages: [hello] }]],
  ],
  ['GET v1/models', () => [['GET', '/v1/models']]],
  ['GET v1/models/NAME', () => [['GET', '/v1/models/helper']]],
  ['POST runs', () => [['POST', '/runs', { input: 'Hello.', session: 'notes' }]]],
  ['GET runs', () => ['pending', 'all'].map((status): Asked => ['GET', `/runs?status=${status}`])],
  ['GET runs/ID', () => [['GET', `/runs/${ids.run}`]]],
  ['GET runs/ID/events?after=N', () => [['GET', `/runs/${ids.run}/events?after=-1`]]],
  ['POST runs/ID/decisions', () => [['POST', `/runs/${ids.run}/decisions`, approve]]],
  [
    'POST runs` with `{ run, decisions }',
    () => [['POST', '/runs', { run: ids.other, decisions: { call_send: { type: 'approve' } } }]],
  ],
  ['DELETE runs/ID', () => [['DELETE', `/runs/${ids.run}`]]],
  [
    'POST ui',
    () => [
      ['POST', '/ui', { id: 'trip', messages: [userMessage('Hello.')] }],
      ['POST', '/ui', { id: 'trip', messages: [], trigger: 'regenerate-message', messageId: ids.run }],
    ],
  ],
  ['GET ui/CHAT/stream', () => [['GET', '/ui/trip/stream']]],
  ['GET ui', () => [['GET', '/ui']]],
  ['GET ui/CHAT', () => [['GET', '/ui/trip']]],
  ['DELETE ui/CHAT', () => [['DELETE', '/ui/trip']]],
  ['POST ag-ui', () => [['POST', '/ag-ui', agUi('thread', 'Hello.')]]],
  ['POST ag-ui/NAME', () => [['POST', '/ag-ui/helper', agUi('thread', 'Hello.')]]],
  ['GET ag-ui/threads/THREAD', () => [['GET', '/ag-ui/threads/thread']]],
  ['GET decisions/TOKEN', () => [['GET', `/decisions/${ids.run}`]]],
  ['POST decisions/TOKEN', () => [['POST', `/decisions/${ids.run}`, approve]]],
  [
    'GET artifacts/ID',
    () => [
      ['GET', `/artifacts/${ids.artifact}`],
      ['HEAD', `/artifacts/${ids.artifact}`],
    ],
  ],
]

test('every route of the page is asked', async () => {
  const page = await readFile(new URL('../../../docs/reference/http-api.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('## Routes')
  const listed = [...(table.split('\n## ')[0]?.matchAll(/^\| (`.*?`) \|/gm) ?? [])].flatMap(([, cell = '']) =>
    cell.split(/`, `/).map((one) => one.replace(/^`|`$/g, '')),
  )
  expect(routes.map(([route]) => route).sort()).toEqual(listed.sort())
})

describe.each([0, 1])('process %s', (index) => {
  test.each(routes)('%s tells another user nothing, and changes nothing', async (_route, asked) => {
    const node = nodes[index] as AgentHandler
    const before = requests.length
    for (const one of asked()) {
      const response = await ask(node, 'bob', one)
      const text = await response.text()
      expect(text).not.toContain(secret)
      expect(text).not.toContain(ids.artifact)
      expect(response.status).toSatisfy((status) => status < 500)
      if (one[1].includes('/artifacts/')) expect(response.status).toBe(404)
    }
    for (const { messages } of requests.slice(before)) expect(JSON.stringify(messages)).not.toContain(secret)
    const waiting = await (await ask(node, 'ann', ['GET', '/runs?status=pending'])).json()
    expect(waiting.runs).toHaveLength(3)
    const chat = await (await ask(node, 'ann', ['GET', '/ui/trip'])).json()
    expect(JSON.stringify(chat.messages)).toContain(secret)
  })
})

test('its owner reads all of it', async () => {
  for (const node of nodes) {
    expect((await ask(node, 'ann', ['GET', `/artifacts/${ids.artifact}`])).status).toBe(200)
    expect(await (await ask(node, 'ann', ['GET', `/runs/${ids.run}`])).text()).toContain(secret)
    expect(await (await ask(node, 'ann', ['GET', '/ag-ui/threads/thread'])).text()).toContain(secret)
  }
})
