import { expect, test } from 'vitest'
import { callsTo, runOf, stateOf } from '../../test/run-of.js'
import type { CallResult, Limits, RunState } from '../types/state.js'
import { noUsage } from '../usage.js'
import { overLimit } from './run-tools.js'

const used = (toolCalls: number, perTool: Record<string, number> = {}) => ({
  usage: { ...noUsage, toolCalls, perTool },
})
const refusedOf = (names: string[], limits: Limits, changes: Partial<RunState> = {}) =>
  [...overLimit(runOf([], stateOf(callsTo(...names), { ...changes, limits })))].map(([index, { limit }]) => [
    index,
    limit,
  ])

const known: CallResult = { status: 'rejected', content: 'Error: no', ms: 0 }

test('without limits all calls run', () => {
  expect(refusedOf(['a', 'a', 'b'], {}, used(1000, { a: 1000 }))).toEqual([])
})

test('the calls within the limit run, the others of the turn do not', () => {
  expect(refusedOf(['a', 'b', 'c'], { toolCalls: 2 })).toEqual([[2, 'toolCalls']])
  expect(refusedOf(['a', 'b', 'c'], { toolCalls: 4 }, used(3))).toEqual([
    [1, 'toolCalls'],
    [2, 'toolCalls'],
  ])
  expect(refusedOf(['a'], { toolCalls: 0 })).toEqual([[0, 'toolCalls']])
})

test('a limit of one tool leaves the calls of others alone', () => {
  expect(refusedOf(['a', 'b', 'a', 'a'], { perTool: { a: 2 } })).toEqual([[3, 'perTool']])
  expect(refusedOf(['a', 'b'], { perTool: { a: 2 } }, used(2, { a: 2 }))).toEqual([[0, 'perTool']])
})

test('where both are reached, the limit of all calls is named', () => {
  expect(refusedOf(['a'], { toolCalls: 0, perTool: { a: 0 } })).toEqual([[0, 'toolCalls']])
})

test('a call that is answered already counts, and stays answered', () => {
  expect(refusedOf(['a', 'a', 'b'], { toolCalls: 1 }, { results: { 0: known } })).toEqual([
    [1, 'toolCalls'],
    [2, 'toolCalls'],
  ])
  expect(refusedOf(['a', 'a'], { perTool: { a: 1 } }, { results: { 0: known } })).toEqual([[1, 'perTool']])
  expect(refusedOf(['a'], { toolCalls: 0 }, { results: { 0: known } })).toEqual([])
})

test('a call that waits for a decision counts, and goes on waiting', () => {
  const pending = [{ callId: 'call_0', name: 'a', arguments: {}, kind: 'approval' as const }]
  expect(refusedOf(['a', 'a'], { toolCalls: 1 }, { pending })).toEqual([[1, 'toolCalls']])
  expect(refusedOf(['a', 'a'], { perTool: { a: 1 } }, { pending })).toEqual([[1, 'perTool']])
})

test('names that every object has are tools like others', () => {
  expect(refusedOf(['constructor', 'constructor'], { perTool: {} })).toEqual([])
  expect(refusedOf(['constructor', 'constructor'], { perTool: { constructor: 1 } as never })).toEqual([
    [1, 'perTool'],
  ])
})

test('the model is told which limit it is, and that the call did not run', () => {
  const tell = (limits: Limits) => overLimit(runOf([], stateOf(callsTo('a'), { limits }))).get(0)
  expect(tell({ toolCalls: 0 })).toEqual({
    status: 'not_run',
    content: 'Error: limit reached (calls: 0); this call did not run.',
    limit: 'toolCalls',
    ms: 0,
  })
  expect(tell({ perTool: { a: 0 } })).toMatchObject({
    content: `Error: limit reached (calls to "a": 0); this call did not run.`,
  })
})
