import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { askOncePerTool, type Decision, type Decisions, type RunState } from '@capstan/core'
import { reply } from '@capstan/testing'
import { expect, test } from 'vitest'
import { atOnce, done, loop, makeAgent, type Payment } from './waiting-agent.js'

type Paid = (readonly [key: string, payment: Payment])[]

/** Starts a program, and returns its first state that waits, as JSON keeps it. */
async function startProgram(code: string) {
  const paid: Paid = []
  const agent = makeAgent([reply.call('run_program', { code }, { id: 'program' }), done], (key, payment) =>
    paid.push([key, payment]),
  )
  const result = await agent.run('Pay my bills', { runId: 'run-1' })
  return { ...result, state: copyOf(result.state), paid }
}

async function goOn(state: RunState, decisions: Decisions) {
  const paid: Paid = []
  const agent = makeAgent([done], (key, payment) => paid.push([key, payment]))
  const result = await agent.run(copyOf(state), { decisions })
  return { ...result, state: copyOf(result.state), paid }
}

function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

const approve: Decision = { type: 'approve' }
const deny: Decision = { type: 'deny', reason: 'too much' }

function programValue({
  toolCalls: [call],
}: {
  readonly toolCalls: readonly { readonly result?: unknown }[]
}) {
  return (Object(call?.result) as { readonly value?: unknown }).value
}

test('a program waits in the middle of a loop, twice, and goes on from JSON', async () => {
  const first = await startProgram(loop)
  expect(first.stopReason).toBe('pending')
  expect(first.pending).toEqual([
    {
      callId: 'program/call2',
      name: 'pay',
      agent: 'clerk',
      kind: 'approval',
      arguments: { to: 'bob', amount: 500 },
      reason:
        '"pay" needs approval. Sources: to, amount from bills (call0); made on a condition from bills (call0), pay (call1).',
    },
  ])
  const second = await goOn(first.state, { 'program/call2': approve })
  expect(second.pending?.map(({ callId }) => callId)).toEqual(['program/call4'])
  const third = await goOn(second.state, { 'program/call4': deny })
  expect(third.stopReason).toBe('done')
  expect(programValue(third)).toMatchObject({
    receipts: ['ada-20', 'bob-500', 'cid-30', 'call denied: too much', 'eve-40'],
  })
  const all = [...first.paid, ...second.paid, ...third.paid]
  expect(all.map(([, { to }]) => to)).toEqual(['ada', 'bob', 'cid', 'eve'])
  expect(all[1]?.[0]).toBe('run-1/step0/child0/step2/call0')
})

test('it goes on in the same process without a break, to the same value', async () => {
  const paid: Paid = []
  const agent = makeAgent([reply.call('run_program', { code: loop }, { id: 'program' }), done], (key, one) =>
    paid.push([key, one]),
  )
  const run = agent.stream('Pay my bills', { runId: 'run-1', wait: true })
  run.on('call-pending', ({ callId }) => void run.decide(callId, callId.endsWith('4') ? deny : approve))
  const whole = await run.result
  const first = await startProgram(loop)
  const second = await goOn(first.state, { 'program/call2': approve })
  const third = await goOn(second.state, { 'program/call4': deny })
  expect(programValue(whole)).toEqual(programValue(third))
  expect(paid).toEqual([...first.paid, ...second.paid, ...third.paid])
})

test('another process goes on after each is killed, with the same questions and sources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-code-'))
  try {
    const file = join(folder, 'run.json')
    const first = await startProgram(loop)
    const outcomes: (Pick<typeof first, 'paid' | 'state' | 'pending'> & { readonly toolCalls: [] })[] = []
    let { state } = first
    for (const callId of ['program/call2', 'program/call4']) {
      writeFileSync(file, JSON.stringify({ state, decisions: { [callId]: approve } }))
      const program = fileURLToPath(new URL('./waiting-agent.ts', import.meta.url))
      const args = ['--conditions=development', '--import=tsx', program, file]
      const ended = promisify(execFile)(process.execPath, args, {
        env: { ...process.env, CAPSTAN_WAITING: '1' },
      })
      await expect(ended).rejects.toMatchObject({ signal: 'SIGKILL' })
      const outcome = JSON.parse(readFileSync(file, 'utf8'))
      outcomes.push(outcome)
      state = outcome.state
    }
    const second = await goOn(first.state, { 'program/call2': approve })
    const third = await goOn(second.state, { 'program/call4': approve })
    expect(outcomes.map(({ paid }) => paid)).toEqual([second.paid, third.paid])
    expect(outcomes.map(({ pending = [] }) => pending)).toEqual([second.pending, []])
    expect(outcomes[0]?.pending?.[0]?.reason).toContain('Sources: to, amount from bills (call0)')
    expect(programValue(outcomes[1] ?? { toolCalls: [] })).toEqual(programValue(third))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('calls that wait at once are decided in any order, one by one', async () => {
  const values: unknown[] = []
  for (const order of [
    ['program/call2', 'program/call4'],
    ['program/call4', 'program/call2'],
  ]) {
    const first = await startProgram(atOnce)
    expect(first.pending?.map(({ callId }) => callId)).toEqual(['program/call2', 'program/call4'])
    // The other three do not wait for these.
    expect(first.paid.length).toBe(3)
    let last = first
    for (const callId of order)
      last = await goOn(last.state, { [callId]: callId.endsWith('4') ? deny : approve })
    values.push(programValue(last))
    expect(last.stopReason).toBe('done')
  }
  const expected = ['ada-20', 'bob-500', 'cid-30', 'call denied: too much', 'eve-40']
  expect(values).toEqual([expected, expected])
})

test('a decision may change arguments, or be the result', async () => {
  const first = await startProgram(atOnce)
  const last = await goOn(first.state, {
    'program/call2': { type: 'approve', arguments: { to: 'bob', amount: 50 } },
    'program/call4': { type: 'result', value: { receipt: 'by hand' } },
  })
  expect(programValue(last)).toEqual(['ada-20', 'bob-50', 'cid-30', 'by hand', 'eve-40'])
  expect(last.paid.map(([, { amount }]) => amount)).toEqual([50])
})

/** The state of the run of the program. */
function programIn(state: RunState): RunState {
  return state.children?.[0]?.state ?? expect.unreachable('the program waits')
}

test('a program whose repetition takes another path fails, and makes no call', async () => {
  const first = await startProgram(loop)
  const changed = copyOf(first.state)
  // Its first message is the source: this one pays twice as much.
  const child = programIn(changed)
  child.messages[0] = {
    role: 'user',
    content: loop.replace('tools.pay(bill)', 'tools.pay({ ...bill, amount: bill.amount * 2 })'),
  }
  const last = await goOn(changed, { 'program/call2': deny })
  expect(last.paid).toEqual([])
  expect(last.toolCalls[0]).toMatchObject({ status: 'error' })
  expect(last.toolCalls[0]?.content).toContain(
    'The program took a different path when it was replayed: it made pay({"to":"ada","amount":40}) where pay({"to":"ada","amount":20}) was recorded. No further tool was called.',
  )
})

test('a program that ends where a call was recorded fails', async () => {
  const first = await startProgram(loop)
  const changed = copyOf(first.state)
  programIn(changed).messages[0] = { role: 'user', content: 'await tools.bills()\nreturn 1' }
  const last = await goOn(changed, { 'program/call2': deny })
  expect(last.toolCalls[0]?.content).toContain('it ended where a call was recorded')
})

test('the state holds the source, and the results of the calls, and nothing of the engine', async () => {
  const { state } = await startProgram(loop)
  const child = programIn(state)
  expect(child.messages[0]).toEqual({ role: 'user', content: loop })
  expect(Object.keys(child.kept)).toEqual(['program-runs', 'program-sites'])
  expect(child.kept['program-runs']).toMatchObject({
    seed: 'run-1/step0/child0',
    outcomes: [
      { ok: true, value: expect.any(Array) },
      { ok: true, value: { receipt: 'ada-20' } },
    ],
  })
  expect(JSON.stringify(child.kept).length).toBeLessThan(1000)
})

test('an approval of a tool counts for the rest of its program', async () => {
  const policy = askOncePerTool()
  const code = "for (const to of ['ada', 'bob']) await tools.pay({ to, amount: 1 })"
  const paid: Paid = []
  const steps = ['a', 'b'].map((id) => reply.call('run_program', { code }, { id }))
  const agent = makeAgent([...steps, done], (key, one) => paid.push([key, one])).with({ policy })
  const first = await agent.run('Pay')
  expect(first.pending?.map(({ callId }) => callId)).toEqual(['a/call0'])
  const second = await agent.run(first.state, { decisions: { 'a/call0': approve } })
  // As that of an agent behind a tool, it does not reach the run above.
  expect(second.pending?.map(({ callId }) => callId)).toEqual(['b/call0'])
  expect(paid.length).toBe(2)
})

test('two programs of one reply wait beside each other', async () => {
  const calls = ['a', 'b'].map((id) => reply.call('run_program', { code: loop }, { id }))
  const paid: Paid = []
  const agent = makeAgent([reply.calls(...calls), done], (key, one) => paid.push([key, one]))
  const first = await agent.run('Pay my bills twice')
  expect(first.pending?.map(({ callId }) => callId)).toEqual(['a/call2', 'b/call2'])
  const second = await goOn(first.state, { 'b/call2': approve })
  expect(second.pending?.map(({ callId }) => callId)).toEqual(['a/call2', 'b/call4'])
  const third = await goOn(second.state, { 'a/call2': deny, 'b/call4': deny })
  const last = await goOn(third.state, { 'a/call4': approve })
  expect(last.stopReason).toBe('done')
  const keys = [...paid, ...second.paid, ...third.paid, ...last.paid].map(([key]) => key)
  expect(new Set(keys).size).toBe(keys.length)
})
