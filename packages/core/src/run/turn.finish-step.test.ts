import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { callsTo, type RunChanges, runOf, stateOf } from '../../test/run-of.js'
import { taintTracking, without } from '../index.js'
import type { EventBody } from '../types/event.js'
import type { CallResult, ResultStatus, RunState } from '../types/state.js'
import { noUsage } from '../usage.js'
import { countRejections } from './stop.js'
import { finishStep } from './turn.js'

const nothing = () => 1
const tools = [
  named('f', nothing),
  named('page', nothing, { untrusted: true }),
  named('mail', nothing, { untrusted: true }),
  named('submit', nothing, { returnDirect: true }),
]
const answer = (content = 'done', status: ResultStatus = 'ok'): CallResult => ({ status, content, ms: 2 })

type Turn = RunChanges & Partial<Pick<RunState, 'flags' | 'kept' | 'approved' | 'taintedBy'>>

/** The turn of these calls, by tool. */
function turnOf(
  calls: readonly (readonly [string, CallResult])[],
  { flags = {}, kept = {}, approved, taintedBy, ...changes }: Turn = {},
) {
  const state = stateOf(callsTo(...calls.map(([name]) => name)), {
    stepCount: 3,
    results: Object.fromEntries(calls.map(([, answered], index) => [index, answered])),
    flags,
    kept,
    ...(approved && { approved }),
    ...(taintedBy !== undefined && { taintedBy }),
  })
  const events: EventBody[] = []
  const emit = (event: EventBody) => void events.push(event)
  const run = runOf(tools, state, { ...changes, parts: { emit, ...changes.parts } })
  const isOver = finishStep(run) !== undefined
  const ofType = <Type extends EventBody['type']>(type: Type) =>
    events.find((event): event is Extract<EventBody, { type: Type }> => event.type === type)
  const { type: _, step: __, ...stuck } = ofType('stuck-detected') ?? {}
  return {
    turn: run.toolCalls,
    usage: state.usage,
    state,
    flags: state.flags,
    kept: state.kept,
    stuck: ofType('stuck-detected') && (stuck as { stage: string; names: readonly string[] }),
    taintedBy: ofType('run-tainted')?.by,
    direct: isOver ? state.messages.at(-1)?.content : undefined,
  }
}

test('each call is recorded with its arguments, its answer and its step', () => {
  const { turn, usage } = turnOf([
    ['f', answer('one')],
    ['none', answer('Error: no', 'rejected')],
  ])
  expect(turn).toEqual([
    { callId: 'call_0', name: 'f', step: 2, arguments: {}, status: 'ok', content: 'one', ms: 2 },
    {
      callId: 'call_1',
      name: 'none',
      step: 2,
      arguments: {},
      status: 'rejected',
      content: 'Error: no',
      ms: 2,
    },
  ])
  expect(usage).toEqual({ ...noUsage, toolCalls: 2, perTool: { f: 1, none: 1 } })
})

test('arguments that a person changed are recorded in place of the written ones', () => {
  const { turn } = turnOf([['f', { ...answer(), arguments: { edited: true } }]])
  expect(turn[0]?.arguments).toEqual({ edited: true })
})

test('what calls spent is counted, and priced where there are prices', () => {
  const spent = { ...answer(), spent: [{ images: 2, model: 'painter' }] }
  expect(turnOf([['f', spent]]).usage).toEqual({ ...noUsage, images: 2, toolCalls: 1, perTool: { f: 1 } })
  const settings = { prices: { painter: { images: 3 } } }
  expect(turnOf([['f', spent]], { settings }).usage.cost).toBe(6)
})

test('the first limit that a call would have passed is remembered', () => {
  const { flags } = turnOf([
    ['f', answer()],
    ['f', { ...answer(), limit: 'images' }],
    ['f', { ...answer(), limit: 'toolCalls' }],
  ])
  expect(flags.wouldExceed).toBe('images')
  expect(turnOf([['f', answer()]]).flags).not.toHaveProperty('wouldExceed')
})

test('tools of which a call was approved are remembered, each once', () => {
  const yes = { ...answer(), approved: true }
  const { state } = turnOf(
    [
      ['f', yes],
      ['page', answer()],
      ['f', yes],
    ],
    { approved: ['mail'] },
  )
  expect(state.approved).toEqual(['mail', 'f'])
  expect(turnOf([['f', yes]]).state.approved).toEqual(['f'])
  expect(turnOf([['f', answer()]]).state).not.toHaveProperty('approved')
})

test.each(['ok', 'error'] as const)(
  'what an untrusted tool brought (%s) taints the run, the first one named',
  (status) => {
    const { state, taintedBy } = turnOf([
      ['f', answer()],
      ['mail', answer('words', status)],
      ['page', answer()],
    ])
    expect(taintedBy).toBe('mail')
    expect(state.taintedBy).toBe('mail')
  },
)

test.each(['rejected', 'denied', 'not_run', 'cut_off'] as const)(
  'a call that is %s brought nothing',
  (status) => {
    const { state, taintedBy } = turnOf([['page', answer('', status)]])
    expect(taintedBy).toBeUndefined()
    expect(state).not.toHaveProperty('taintedBy')
  },
)

test('a run is tainted once, and says nothing of it where that is switched off', () => {
  const again = turnOf([['page', answer()]], { taintedBy: 'mail' })
  expect(again.taintedBy).toBeUndefined()
  expect(again.state.taintedBy).toBe('mail')
  const silent = turnOf([['page', answer()]], { middleware: [taintTracking({ ask: false })] })
  expect([silent.taintedBy, silent.state.taintedBy]).toEqual([undefined, 'page'])
})

test('the result of a tool that returns directly is the answer, several are joined, failures are none', () => {
  expect(turnOf([['f', answer()]]).direct).toBeUndefined()
  expect(turnOf([['submit', answer('no', 'error')]]).direct).toBeUndefined()
  expect(
    turnOf([
      ['submit', answer('one')],
      ['f', answer()],
      ['submit', answer('two')],
    ]).direct,
  ).toBe('one\n\ntwo')
  expect(turnOf([['submit', answer('')]]).direct).toBe('')
})

test('a turn that repeats the one before is noted behind what the model is told, and named', () => {
  const calls = [
    ['f', answer('same')],
    ['f', answer('same')],
  ] as const
  const first = turnOf(calls)
  expect(first.stuck).toBeUndefined()
  const { turn, stuck, kept } = turnOf(calls, { kept: first.kept })
  expect(stuck).toEqual({ stage: 'warn', names: ['f'] })
  expect(turn[0]?.content).toMatch(/^same\n\nNote: same result/)
  const own = kept['stuck-detection'] as { readonly repeats: number }
  expect(own.repeats).toBe(1)
  const stopped = turnOf(calls, { kept: { 'stuck-detection': { ...own, repeats: 2 } } })
  expect(stopped.stuck?.stage).toBe('stop')
  expect(stopped.turn[0]?.content).toBe('same')
})

test('a repeated result that is the answer stays as it stands', () => {
  const { kept } = turnOf([['submit', answer('same')]])
  const { direct, stuck } = turnOf([['submit', answer('same')]], { kept })
  expect(stuck?.stage).toBe('warn')
  expect(direct).toBe('same')
})

test('where repeating is not looked for, nothing of it is remembered', () => {
  const { flags, kept, stuck } = turnOf([['f', answer()]], { middleware: [without('stuck-detection')] })
  expect(stuck).toBeUndefined()
  expect(kept).toEqual({})
  expect(flags).toEqual({ rejections: {} })
})

test('rejections are counted in a row by tool, and one call that was none ends a row', () => {
  const call = (name: string, status: ResultStatus) => ({ name, status })
  const count = (before: Record<string, number>, turn: ReturnType<typeof call>[]) =>
    countRejections(before, turn, { get: (name) => (name.startsWith('no') ? undefined : tools[0]) })
  expect(count({}, [call('f', 'rejected'), call('f', 'rejected'), call('g', 'rejected')])).toEqual({
    f: 1,
    g: 1,
  })
  expect(count({ f: 2, g: 1 }, [call('f', 'rejected'), call('g', 'error')])).toEqual({ f: 3 })
  expect(count({ f: 2 }, [call('f', 'ok'), call('f', 'rejected')])).toEqual({})
  expect(count({ f: 2 }, [])).toEqual({ f: 2 })
  expect(count(count({}, [call('nothing', 'rejected')]), [call('nobody', 'rejected')])).toEqual({ '': 2 })
  expect(Object.entries(count({}, [call('__proto__', 'rejected')]))).toEqual([['__proto__', 1]])
})

test('a turn leaves the rest that is remembered as it was', () => {
  const { flags } = turnOf([['f', answer('no', 'rejected')]], {
    flags: { toolForced: true, rejections: { f: 1 } },
  })
  expect(flags).toMatchObject({ toolForced: true, rejections: { f: 2 } })
})
