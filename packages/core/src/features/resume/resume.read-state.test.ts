import { expect, test } from 'vitest'
import { callsTo, stateOf } from '../../../test/run-of.js'
import type { RunState } from '../../types/state.js'
import { noUsage } from '../../usage.js'
import { readState } from './resume.js'

/** A state that contains everything that a state can contain. */
const full: RunState = stateOf(callsTo('f', 'g', 'h'), {
  stepCount: 4,
  results: {
    0: {
      status: 'ok',
      content: 'done',
      result: { deep: [null] },
      artifacts: [{ id: 'img_aaaaaaaa', kind: 'image', mediaType: 'image/png', size: 1, sha256: 'x' }],
      repaired: true,
      approved: true,
      arguments: { a: 1 },
      spent: [{ images: 1, model: 'm' }],
      limit: 'images',
      ms: 1.5,
    },
  },
  pending: [{ callId: 'call_1', name: 'g', arguments: {}, kind: 'approval', reason: 'why' }],
  usage: { ...noUsage, perTool: { f: 3 }, seconds: 1.5, cost: 'unknown' },
  limits: {
    steps: 1,
    toolCalls: 2,
    perTool: { f: 3 },
    tokens: 4,
    seconds: 0.5,
    images: 6,
    audioSeconds: 7.5,
    cost: 8.5,
  },
  stopReason: 'limit',
  limit: 'steps',
  flags: {
    toolForced: true,
    incomplete: true,
    finalAsked: true,
    wouldExceed: 'cost',
    lastRequest: { tokens: 1, cost: 0.5 },
    rejections: { f: 1 },
  },
  kept: { 'stuck-detection': { recent: [['a'], []], repeats: 1 }, mine: { anything: true } },
  approved: ['g'],
  taintedBy: 'h',
})

test.each([stateOf([]), full])('a state is read as it is, also after a trip through JSON', (state) => {
  expect(readState(state)).toBe(state)
  expect(readState(JSON.parse(JSON.stringify(state)))).toEqual(state)
})

test('fields that a later version added are no fault', () => {
  expect(() => readState({ ...full, added: 1, usage: { ...full.usage, added: 1 } })).not.toThrow()
})

test('what is undefined is not there', () => {
  expect(() => readState({ ...full, stopReason: undefined, limit: undefined })).not.toThrow()
})

test.each([undefined, null, 'state', 3, [], {}, { ...full, schema: '1' }])('%j is no state', (given) => {
  expect(() => readState(given)).toThrow(
    expect.objectContaining({
      code: 'invalid_state',
      message: expect.stringContaining('Not a run state'),
    }),
  )
})

test.each([0, 2])('a state of schema %i is of another version', (schema) => {
  expect(() => readState({ ...full, schema })).toThrow(
    expect.objectContaining({
      code: 'invalid_state',
      message: `This run state has schema ${schema}, not 1. Use the version that wrote it.`,
      evidence: { schema },
    }),
  )
})

const of = <Key extends keyof RunState>(key: Key, changes: object) => ({
  [key]: { ...(full[key] as object), ...changes },
})

test.each<[string, object]>([
  ['runId', { runId: undefined }],
  ['runId', { runId: '' }],
  ['agent', { agent: 3 }],
  ['definitionHash', { definitionHash: null }],
  ['stepCount', { stepCount: -1 }],
  ['stepCount', { stepCount: 1.5 }],
  ['results', { results: [] }],
  ['results/0/status', { results: { 0: { status: 'fine', content: '', ms: 0 } } }],
  ['results/0', { results: { 0: { status: 'ok', ms: 0 } } }],
  ['results', { results: { first: { status: 'ok', content: '', ms: 0 } } }],
  ['pending', { pending: {} }],
  ['pending/0', { pending: [{ callId: 'a', kind: 'approval' }] }],
  ['pending/0/kind', { pending: [{ callId: 'a', name: 'f', kind: 'other' }] }],
  ['usage', { usage: {} }],
  ['usage/totalTokens', of('usage', { totalTokens: '7' })],
  ['usage/perTool/f', of('usage', { perTool: { f: -1 } })],
  ['usage/cost', of('usage', { cost: 'much' })],
  ['limits/steps', of('limits', { steps: null })],
  ['limits/maxSteps', of('limits', { maxSteps: 3 })],
  ['stopReason', { stopReason: 'bored' }],
  ['limit', { limit: 'patience' }],
  ['flags', { flags: null }],
  ['flags/rejections/f', of('flags', { rejections: { f: 'x' } })],
  ['kept', { kept: [1] }],
  ['approved/0', { approved: [1] }],
  ['taintedBy', { taintedBy: true }],
  ['flags/lastRequest', of('flags', { lastRequest: { tokens: 1 } })],
  ['flags/wouldExceed', of('flags', { wouldExceed: 'patience' })],
])('a state is refused with the part that is none: %s in %j', (place, changes) => {
  expect(() => readState({ ...full, ...changes })).toThrow(
    expect.objectContaining({
      code: 'invalid_state',
      message: expect.stringContaining(place.split('/')[0] ?? ''),
    }),
  )
})

test('its messages are checked, each by its place', () => {
  const messages = [...full.messages, { role: 'user' }]
  expect(() => readState({ ...full, messages })).toThrow(
    'Cannot resume this run state: messages[2].content must be text or an array of parts',
  )
  expect(() => readState({ ...full, messages: [] })).toThrow('Cannot resume this run state: Empty input.')
})

test('a run within a run is a state as well', () => {
  const within = (state: Partial<RunState>) => {
    const { pending: own = [] } = state
    const pending = own.map((call) => ({ ...call, callId: `call_0/${call.callId}` }))
    return stateOf(callsTo('f'), { pending, children: { 0: { state, round: 1 } } as never })
  }
  expect(() => readState(within(within(full)))).not.toThrow()
  for (const state of [
    {},
    { ...full, limits: undefined as never },
    within({ ...full, results: undefined as never }),
  ])
    expect(() => readState(within(state))).toThrow(
      expect.objectContaining({
        code: 'invalid_state',
        message: expect.stringContaining('children/0/state'),
      }),
    )
})

test.each([
  ['nested too deep', { children: { 0: { state: nested(20_000), round: 1 } } }],
  ['a circle', { flags: circle() }],
  ['a BigInt', { usage: { ...full.usage, characters: 1n } }],
])('what no JSON holds is no state: %s', (_, changes) => {
  expect(() => readState({ ...full, ...changes })).toThrow(expect.objectContaining({ code: 'invalid_state' }))
})

function nested(levels: number): object {
  let state: object = full
  for (let level = 0; level < levels; level++) state = { ...full, children: { 0: { state, round: 1 } } }
  return state
}

function circle(): object {
  const flags: Record<string, unknown> = {}
  flags.later = flags
  return flags
}
