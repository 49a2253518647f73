import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { CapstanError, isCapstanError, messageOf, withState } from './errors.js'
import type { RunState } from './types/state.js'
import { noUsage } from './usage.js'

const state: RunState = {
  schema: 1,
  runId: 'run-1',
  agent: 'agent',
  definitionHash: '',
  stepCount: 1,
  messages: [{ role: 'user', content: 'my private question' }],
  results: {},
  pending: [],
  usage: noUsage,
  limits: { steps: 20 },
  flags: {},
  kept: {},
}

test('keeps code, message, evidence and cause', () => {
  const cause = new Error('socket hang up')
  const details = { evidence: { a: 1 }, cause, retryable: true, retryAfterMs: 500, status: 503 }
  const error = new CapstanError('api', 'The server failed.', details)
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({
    name: 'CapstanError',
    code: 'api',
    message: 'The server failed.',
    ...details,
  })
})

test('is not retryable by default and has no empty fields', () => {
  const error = new CapstanError('auth', 'No key.')
  expect(error.retryable).toBe(false)
  expect(Object.keys(error).toSorted()).toEqual(['code', 'help', 'name', 'retryable'])
  expect('cause' in error).toBe(false)
})

test('keeps the state on the error without printing or serializing it', () => {
  const error = withState(new CapstanError('api', 'It failed.', { evidence: { status: 500 } }), state)
  expect(error.state).toBe(state)
  expect(Object.keys(error)).not.toContain('state')
  for (const printed of [inspect(error, { depth: 10 }), JSON.stringify(error), String(error), error.stack]) {
    expect(printed).not.toContain('private')
  }
  expect({ ...error }).not.toHaveProperty('state')
})

test('replaces an older state', () => {
  const error = withState(new CapstanError('api', 'It failed.'), state)
  const newer = { ...state, stepCount: 2 }
  expect(withState(error, newer)).toBe(error)
  expect(error.state).toBe(newer)
})

test.each([new TypeError('x is not a function'), 'out of paper', undefined, { code: 7 }])(
  'what a run threw is wrapped with its state, the original in cause: %s',
  (thrown) => {
    const error = withState(thrown, state)
    expect(error).toMatchObject({ code: 'api', message: `The run failed: ${messageOf(thrown)}` })
    expect(error.cause).toBe(thrown)
    expect(error.state).toBe(state)
  },
)

test('recognizes an error of another copy of the package', () => {
  const foreign = Object.assign(new Error('no'), { name: 'CapstanError', code: 'auth' })
  expect(isCapstanError(foreign)).toBe(true)
  expect(isCapstanError(new CapstanError('auth', 'no'))).toBe(true)
  expect(isCapstanError(Object.assign(new Error('no'), { code: 'auth' }))).toBe(false)
  expect(isCapstanError({ name: 'CapstanError', code: 'auth' })).toBe(false)
  expect(isCapstanError(undefined)).toBe(false)
})

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('do not look')
    },
  },
)

test.each([
  [new Error('a sentence'), 'a sentence'],
  [new TypeError(), 'TypeError'],
  ['text', 'text'],
  ['', ''],
  [undefined, 'undefined'],
  [null, 'null'],
  [0, '0'],
  [5n, '5'],
  [Symbol('s'), 'Symbol(s)'],
  [{ message: 'like an error' }, 'like an error'],
  [Object.assign(new Error(), { message: 404 }), '404'],
  [Object.create(null), 'An unreadable value was thrown.'],
  [hostile, 'An unreadable value was thrown.'],
])('returns a message for any thrown value (case %#)', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message)
})
