// Two deciders of each call, at two processes at once: one counts, and the other is told. Changed tokens decide nothing.
//
//   node --conditions=development --import=tsx packages/http/test/nodes/prove-decisions.ts 1000 10000

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type ChatModel, tool } from '@capstan/core'
import { folderRunStore } from '@capstan/stores/node'
import * as z from 'zod'
import { type AgentHandler, agentHandler, type WaitingCall } from '../../src/index.js'

const [pairs = 1000, changes = 10_000] = process.argv.slice(2).map(Number)
const folder = await mkdtemp(join(tmpdir(), 'capstan-decisions-'))
const signed = new Set<string>()
const waiting = new Map<string, WaitingCall>()
const faults: string[] = []

const sign = tool({
  name: 'sign',
  description: 'Signs',
  parameters: z.object({ what: z.string() }),
  needsApproval: true,
  execute({ what }) {
    if (signed.has(what)) faults.push(`${what} was signed twice`)
    signed.add(what)
    return 'signed'
  },
})

/** Asks for a signature of what the user names, then ends. */
const model: ChatModel = {
  name: 'm',
  async complete({ messages }) {
    const [what] = messages.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : []))
    const call = { name: 'sign', arguments: JSON.stringify({ what }) }
    if (messages.at(-1)?.role === 'tool') return { message: { role: 'assistant', content: 'Done.' } }
    const tool_calls = [{ id: 'call_1', type: 'function', function: call }] as const
    return { message: { role: 'assistant', content: null, tool_calls } }
  },
}

const serve = () =>
  agentHandler(new Agent({ name: 'clerk', model, tools: [sign] }), {
    authenticate: () => ({ id: 'ann' }),
    runs: folderRunStore(join(folder, 'runs')),
    approvals: { secrets: ['0123456789abcdef0123456789abcdef'] },
    onPending: ({ runId, calls }) => void waiting.set(runId, calls[0] as WaitingCall),
    sweepMs: 0,
  })
const nodes = [serve(), serve()] as const

const send = (node: AgentHandler, path: string, body?: object) =>
  node(
    new Request(`http://localhost${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
    }),
  )

/** Starts a run that waits for a decision. */
async function waitingRun(what: string): Promise<string> {
  const response = await send(nodes[0], '/runs', { input: what, stream: false })
  const text = await response.text()
  if (!text.includes('"pending"')) faults.push(`${what}: ${text.slice(0, 300)}`)
  return JSON.parse(text).runId
}

async function decideTwice(index: number): Promise<void> {
  const what = `document ${index}`
  const runId = await waitingRun(what)
  const decisions = [{ type: 'approve' }, { type: 'deny', reason: 'no' }] as const
  const first = index % 2
  const responses = await Promise.all(
    [first, 1 - first].map((at) =>
      send(nodes[at === 0 ? 0 : 1], `/runs/${runId}/decisions`, {
        callId: 'call_1',
        decision: decisions[at],
      }),
    ),
  )
  const statuses = responses.map(({ status }) => status).sort()
  if (statuses.join() !== '204,409') faults.push(`${what}: ${statuses.join()}`)
  const isApproved = responses[first === 0 ? 0 : 1]?.status === 204
  const lost = responses.find(({ status }) => status === 409)
  const { error } = lost ? await lost.json() : { error: {} }
  if (error.code !== 'already_decided' || error.decision !== (isApproved ? 'approve' : 'deny'))
    faults.push(`${what}: the other decider is told ${JSON.stringify(error)}`)
  const events = await (await send(nodes[1], `/runs/${runId}/events`)).text()
  if (!events.includes('"stopReason":"done"')) faults.push(`${what}: the run does not end`)
  if (signed.has(what) !== isApproved)
    faults.push(`${what}: approved ${isApproved}, signed ${signed.has(what)}`)
}

async function changedTokens(count: number): Promise<void> {
  const runId = await waitingRun('a token')
  for (let tries = 0; !waiting.has(runId) && tries < 1000; tries++) await new Promise(setImmediate)
  const { token = '' } = waiting.get(runId) ?? {}
  if (token === '') faults.push('there is no token')
  for (let index = 0; index < count; index++) {
    const changed = changedToken(token, index)
    const response = await send(nodes[index % 2 === 0 ? 0 : 1], `/decisions/${changed}`, {
      decision: { type: 'approve' },
    })
    if (response.status !== 403) faults.push(`a changed token is ${response.status}: ${changed}`)
  }
  if (signed.has('a token')) faults.push('a changed token has decided')
}

/** Changes one character, leaves one out, or adds one. */
function changedToken(token: string, index: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~'
  const at = index % token.length
  const [before, after] = [token.slice(0, at), token.slice(at + 1)]
  if (index % 7 === 0) return before + after
  for (;;) {
    const letter = letters.charAt(Math.floor(Math.random() * letters.length))
    if (index % 7 === 1) return before + letter + token.slice(at)
    if (letter !== token.charAt(at)) return before + letter + after
  }
}

for (let index = 0; index < pairs; index += 10)
  await Promise.all(Array.from({ length: Math.min(10, pairs - index) }, (_, n) => decideTwice(index + n)))
await changedTokens(changes)
await Promise.all(nodes.map((node) => node.close()))
await rm(folder, { recursive: true })
console.log(JSON.stringify({ pairs, approved: signed.size, changes, faults: faults.length }))
for (const fault of faults.slice(0, 20)) console.error(fault)
if (faults.length > 0) process.exitCode = 1
