import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { type RunChanges, runOf, stateOf } from '../../test/run-of.js'
import { mayAskFinal } from '../features/final-answer.js'
import { stopWhen as stopWhenever } from '../features/stop-when.js'
import { stuckDetection, without } from '../index.js'
import type { AssistantMessage } from '../types/message.js'
import type { CallRecord, RunState } from '../types/state.js'
import { noUsage } from '../usage.js'
import type { Progress, StopCondition } from './feature.js'
import { endOf, stopBefore } from './stop.js'

const tools = [named('f', () => 1), named('patient', () => 1, { maxRejections: 5 })]
const record: CallRecord = {
  callId: 'c',
  name: 'f',
  step: 0,
  arguments: {},
  status: 'ok',
  content: '',
  ms: 0,
}
interface Changes extends RunChanges {
  readonly stopWhen?: StopCondition
}
const stop = (state: Partial<RunState>, { stopWhen, ...changes }: Changes = {}, toolCalls = [record]) => {
  const middleware = [
    ...(changes.middleware ?? []),
    ...[stopWhenever().forAgent?.({ stopWhen }) ?? []].flat(),
  ]
  return stopBefore(runOf(tools, stateOf([], state), { ...changes, middleware, toolCalls }))
}
const aborted = { parts: { signal: AbortSignal.abort() } }

test('a run that nothing stops goes on', () => {
  expect(stop({})).toBeUndefined()
})

test('an abort counts more than anything else', () => {
  expect(stop({ kept: repeated(9), limits: { steps: 0 } }, { ...aborted, stopWhen: () => true })).toEqual({
    reason: 'aborted',
  })
})

const repeated = (repeats: number) => ({ 'stuck-detection': { repeats } })

test.each<[Partial<RunState>, boolean]>([
  [{ flags: { rejections: { f: 2 } } }, false],
  [{ flags: { rejections: { f: 3 } } }, true],
  [{ flags: { rejections: { patient: 4 } } }, false],
  [{ flags: { rejections: { patient: 5 } } }, true],
  [{ flags: { rejections: { unknown: 2 } } }, false],
  [{ flags: { rejections: { unknown: 3 } } }, true],
  [{ flags: { rejections: { f: 1, unknown: 3 } } }, true],
  [{ kept: repeated(2) }, false],
  [{ kept: repeated(3) }, true],
])('%j is stuck: %s', (state, isStuck) => {
  expect(stop(state)).toEqual(isStuck ? { reason: 'stuck' } : undefined)
})

test("how many repetitions end a run is the agent's to say", () => {
  expect(stop({ kept: repeated(1) }, { middleware: [stuckDetection({ stop: 1 })] })).toEqual({
    reason: 'stuck',
  })
  expect(stop({}, { middleware: [stuckDetection({ stop: 1 })] })).toBeUndefined()
  expect(stop({ kept: repeated(3) }, { middleware: [stuckDetection({ stop: 4 })] })).toBeUndefined()
  expect(stop({ kept: repeated(99) }, { middleware: [without('stuck-detection')] })).toBeUndefined()
  expect(stop({ flags: { rejections: { f: 3 } } }, { middleware: [without('stuck-detection')] })).toEqual({
    reason: 'stuck',
  })
})

test('a condition is looked at once calls were answered in this run, not before', () => {
  const seen: Progress[] = []
  const stopWhen = (progress: Progress) => {
    seen.push(progress)
    return true
  }
  expect(stop({ stepCount: 2 }, { stopWhen }, [])).toBeUndefined()
  expect(seen).toEqual([])
  expect(stop({ stepCount: 3 }, { stopWhen })).toEqual({ reason: 'condition' })
  expect(seen).toEqual([{ stepCount: 3, toolCalls: [record], usage: noUsage }])
  expect(stop({ stepCount: 3 }, { stopWhen: () => false })).toBeUndefined()
})

test('of several reasons the first in this order counts: stuck, condition, limit', () => {
  const state = { kept: repeated(3), limits: { steps: 0 } }
  expect(stop(state, { stopWhen: () => true })).toEqual({ reason: 'stuck' })
  expect(stop({ limits: { steps: 0 } }, { stopWhen: () => true })).toEqual({ reason: 'condition' })
})

test('a limit that a call would have passed counts more than one that the next request would', () => {
  expect(stop({ limits: { steps: 1 } })).toEqual({ reason: 'limit', limit: 'steps' })
  expect(stop({ limits: { steps: 1 }, flags: { wouldExceed: 'images' } })).toEqual({
    reason: 'limit',
    limit: 'images',
  })
})

test.each<[Parameters<typeof mayAskFinal>[0], Partial<Parameters<typeof mayAskFinal>[1]>, boolean]>([
  [{ reason: 'stuck' }, {}, true],
  [{ reason: 'limit', limit: 'steps' }, {}, true],
  [{ reason: 'limit', limit: 'steps' }, { isFinalAsked: true }, false],
  [{ reason: 'stuck' }, { isFinalAsked: true }, false],
  [{ reason: 'condition' }, {}, false],
  [{ reason: 'aborted' }, {}, false],
  [
    { reason: 'limit', limit: 'tokens' },
    { limits: { tokens: 10 }, usage: { ...noUsage, totalTokens: 9 } },
    true,
  ],
  [
    { reason: 'limit', limit: 'tokens' },
    { limits: { tokens: 10 }, usage: { ...noUsage, totalTokens: 10 } },
    false,
  ],
  [{ reason: 'limit', limit: 'cost' }, { limits: { cost: 10 } }, true],
  [{ reason: 'limit', limit: 'cost' }, { limits: { cost: 10 }, usage: { ...noUsage, cost: 9 } }, true],
  [{ reason: 'limit', limit: 'cost' }, { limits: { cost: 10 }, usage: { ...noUsage, cost: 10 } }, false],
  [
    { reason: 'limit', limit: 'cost' },
    { limits: { cost: 10 }, usage: { ...noUsage, cost: 'unknown' } },
    false,
  ],
  [{ reason: 'limit', limit: 'images' }, { usage: { ...noUsage, cost: 'unknown' } }, true],
])('a run that ends with %j asks for a final answer with %j: %s', (why, state, isAsked) => {
  expect(mayAskFinal(why, { isFinalAsked: false, limits: {}, usage: noUsage, ...state })).toBe(isAsked)
})

const said = (changes: Partial<AssistantMessage>, finishReason?: string) =>
  endOf({
    message: { role: 'assistant', content: 'Hi.', ...changes },
    ...(finishReason === undefined ? {} : { finishReason }),
  }).reason

test.each([
  [said({}), 'done'],
  [said({}, 'stop'), 'done'],
  [said({}, 'tool_calls'), 'done'],
  [said({}, 'length'), 'length'],
  [said({}, 'content_filter'), 'content_filter'],
  [said({ refusal: 'I will not.' }, 'stop'), 'refusal'],
  [said({ refusal: 'I will not.' }, 'content_filter'), 'refusal'],
  [said({ refusal: '' }), 'done'],
  [said({ refusal: null }), 'done'],
])('an answer ends a run as %s, which is %s (%#)', (reason, expected) => {
  expect(reason).toBe(expected)
})
