import { deepEqual, equal, ok } from 'node:assert/strict'
import { codeMode } from '@capstan/code'
import { Agent, type ChatModel, jsonSchema, type RunState, tool } from '@capstan/core'
import { some } from '../../../scripts/cases.mjs'
import type { HostUnderTest } from '../src/testing/journal-host.js'

/** The arguments that each call took effect with, by idempotency key. */
const effects = new Map<string, string[]>()

const toolOf = (name: string, needsApproval = false) =>
  tool({
    name,
    description: 'Takes effect outside.',
    parameters: jsonSchema<{ input: string }>({
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
    }),
    needsApproval,
    execute: async ({ input }, { idempotencyKey }) => {
      effects.set(idempotencyKey, [...(effects.get(idempotencyKey) ?? []), input])
      await new Promise((resolve) => setImmediate(resolve))
      // What a repeated call returns is another thing: later arguments show it.
      return { input, at: crypto.randomUUID() }
    },
  })

/** A loop, calls at once, and a call in a loop that waits. What it writes is random. */
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
console.log(notes.length)
return notes.length`

/** Writes another program each time it is asked: one that was lost and requested again is visible. */
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

/** An agent whose program makes eight calls, two of which wait for an approval. */
export const coder = new Agent({
  name: 'coder',
  model,
  tools: [toolOf('note'), toolOf('send', true)],
  middleware: [codeMode()],
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
  // Eight at a time: the engine holds as many programs.
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

/** Returns whether a worker died there. */
async function dieAt(point: string, host: HostUnderTest): Promise<boolean> {
  let isDead = false
  await runToEnd(host, (name) => {
    const dies = !isDead && name === point
    isDead ||= dies
    return dies
  })
  return isDead
}

/** Returns the points of a run, each with its number among those of its name. */
async function runToEnd(host: HostUnderTest, dies: (point: string) => boolean): Promise<readonly string[]> {
  const runId = `program-${crypto.randomUUID()}`
  const names: string[] = []
  const seen = new Map<string, number>()
  let state: RunState = await coder.prepare('Go.', { runId })
  for (let waits = 0; waits <= 2; waits++) {
    state = await host.drive(waits === 0 ? runId : `${runId}-${waits}`, coder, state, ({ key, when }) => {
      const nth = (seen.get(`${when} ${key}`) ?? 0) + 1
      seen.set(`${when} ${key}`, nth)
      names.push(`${when} ${key} #${nth}`)
      return dies(`${when} ${key} #${nth}`)
    })
    if (state.stopReason !== 'pending') break
    const yes = state.pending.map(({ callId }) => [callId, { type: 'approve' }] as const)
    state = await coder.prepare(state, { decisions: Object.fromEntries(yes) })
  }
  checkEnd(runId, state)
  return names
}

/** Checks the end of a run: each call has taken effect, with one set of arguments. @throws AssertionError */
export function checkEnd(runId: string, state: RunState): void {
  equal(state.stopReason, 'done')
  equal(state.messages.at(-1)?.content, 'Done.')
  equal(state.messages.at(-2)?.content, '8\n\nConsole:\n8')
  deepEqual(state.usage.perTool, { note: 6, send: 2, run_program: 1 })
  const own = [...effects].filter(([key]) => key.startsWith(`${runId}/`))
  equal(own.length, 8)
  for (const [key, inputs] of own) equal(new Set(inputs).size, 1, `${key} has ${inputs.join(' and ')}`)
}
