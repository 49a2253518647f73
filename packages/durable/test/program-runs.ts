import { deepEqual, equal, ok } from 'node:assert/strict'
import { codeMode } from '@capstan/code'
import { Agent, type ChatModel, jsonSchema, type PendingCall, type RunState, tool } from '@capstan/core'
import { some } from '../../../scripts/cases.mjs'
import type { HostUnderTest } from '../src/testing/journal-host.js'

/** The arguments that each call took effect with, by idempotency key. */
const effects = new Map<string, string[]>()

const toolOf = (name: string, options: object = {}) =>
  tool({
    ...options,
    name,
    description: 'Takes effect outside.',
    parameters: jsonSchema<{ input: string }>({
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
    }),
    execute: async ({ input }, { idempotencyKey }) => {
      effects.set(idempotencyKey, [...(effects.get(idempotencyKey) ?? []), input])
      await new Promise((resolve) => setImmediate(resolve))
      // A repeated call returns something different, so later arguments show that it was repeated.
      return { input, at: crypto.randomUUID() }
    },
  })

/**
 * A program with a loop, concurrent calls, and calls in a loop that become pending. The text that it writes is random.
 */
const code = `
const notes = []
let last = SALT
for (let i = 0; i < 3; i++) {
  const note = await tools.note({ input: last + Math.random() })
  notes.push(note.input)
  last = note.at
}
notes.push(...(await Promise.all([1, 2, 3].map((i) => tools.note({ input: last + i })))).map((one) => one.at))
for (const note of notes.slice(0, 2)) notes.push((await tools.send({ input: note })).input)
const page = await tools.page({ input: 'a' + Math.random() })
await tools.note({ input: last })
if (page.at) await tools.note({ input: 'a page' })
await Promise.all([tools.note({ input: page.input }), tools.note({ input: last + 1 })])
console.log(notes.length)
return notes.length`

/** The questions that a run must ask: about calls that need approval, and about calls that the page influenced. */
const questions = [
  'program/call6: "send" needs approval. Sources: input from note (6 calls); made on a condition from note (6 calls).',
  'program/call7: "send" needs approval. Sources: input from note (6 calls), send (call6); made on a condition from note (6 calls).',
  'program/call10: The run has read untrusted content from "page", and "note" can change data. Sources: input from the program; made on a condition from page (call8, not trusted).',
  'program/call11: The run has read untrusted content from "page", and "note" can change data. Sources: input from page (call8, not trusted).',
]

/** Returns the questions about pending calls. */
export function questionsIn(pending: readonly PendingCall[]): readonly string[] {
  return pending.map(({ callId, reason }) => `${callId}: ${reason}`)
}

/** A model that writes a different program for each request, which shows whether one was lost and requested again. */
const model: ChatModel = {
  name: 'm',
  async complete({ messages }) {
    const tokens = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    const replies = messages.filter(({ role }) => role === 'assistant').length
    if (replies > 0) return { message: { role: 'assistant', content: 'Done.' }, tokens }
    const source = code.replaceAll('SALT', JSON.stringify(crypto.randomUUID()))
    const call = { name: 'run_program', arguments: JSON.stringify({ code: source }) }
    const tool_calls = [{ id: 'program', type: 'function' as const, function: call }]
    return { message: { role: 'assistant', content: null, tool_calls }, tokens }
  },
}

/** An agent whose program makes thirteen calls. Four of them need approval, two because of their labels. */
export const coder = new Agent({
  name: 'coder',
  model,
  tools: [
    toolOf('note'),
    toolOf('send', { needsApproval: true }),
    toolOf('page', { effects: 'read', untrusted: true }),
  ],
  middleware: [codeMode({ taint: 'values' })],
})

/**
 * Runs the program on a host whose workers die, once at each point of a run, or at every eighth: it ends, and no key has
 * two sets of arguments. @throws AssertionError
 */
export async function checkProgramDeaths(host: HostUnderTest): Promise<void> {
  const points = await runToEnd(host, () => false)
  for (const point of ['kept step0/request', 'kept step3/call2', 'kept step4/request'])
    ok(
      points.some((one) => one.startsWith(point)),
      `the host never reached "${point}": ${points.join(', ')}`,
    )
  // Eight at a time, because the engine can hold that many programs.
  const tried = some(points, 8)
  const left = [...tried]
  const deaths: boolean[] = []
  const work = async () => {
    for (let point = left.shift(); point !== undefined; point = left.shift())
      deaths.push(await dieAt(point, host))
  }
  await Promise.all(Array.from({ length: 8 }, work))
  const died = deaths.filter(Boolean).length
  ok(died > tried.length / 2, `only ${died} of ${tried.length} workers died`)
}

/** Returns whether a worker died at the point. */
async function dieAt(point: string, host: HostUnderTest): Promise<boolean> {
  let isDead = false
  await runToEnd(host, (name) => {
    const dies = !isDead && name === point
    isDead ||= dies
    return dies
  })
  return isDead
}

/** Returns a run's fault points, each with its index among the points with the same name. */
async function runToEnd(host: HostUnderTest, dies: (point: string) => boolean): Promise<readonly string[]> {
  const runId = `program-${crypto.randomUUID()}`
  const names: string[] = []
  const seen = new Map<string, number>()
  const asked: string[] = []
  let state: RunState = await coder.prepare('Go.', { runId })
  for (let waits = 0; waits <= questions.length; waits++) {
    state = await host.drive(waits === 0 ? runId : `${runId}-${waits}`, coder, state, ({ key, when }) => {
      const nth = (seen.get(`${when} ${key}`) ?? 0) + 1
      seen.set(`${when} ${key}`, nth)
      names.push(`${when} ${key} #${nth}`)
      return dies(`${when} ${key} #${nth}`)
    })
    if (state.stopReason !== 'pending') break
    asked.push(...questionsIn(state.pending))
    const yes = state.pending.map(({ callId }) => [callId, { type: 'approve' }] as const)
    state = await coder.prepare(state, { decisions: Object.fromEntries(yes) })
  }
  checkEnd(runId, state, asked)
  return names
}

/**
 * Checks the end of a run: each call has taken effect, with one set of arguments, and the same was asked.
 * @throws AssertionError
 */
export function checkEnd(runId: string, state: RunState, asked: readonly string[]): void {
  deepEqual(asked, questions)
  equal(state.stopReason, 'done')
  equal(state.messages.at(-1)?.content, 'Done.')
  equal(state.messages.at(-2)?.content, '8\n\nConsole:\n8')
  deepEqual(state.usage.perTool, { note: 10, send: 2, page: 1, run_program: 1 })
  const own = [...effects].filter(([key]) => key.startsWith(`${runId}/`))
  equal(own.length, 13)
  for (const [key, inputs] of own) equal(new Set(inputs).size, 1, `${key} has ${inputs.join(' and ')}`)
}
