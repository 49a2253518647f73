import { expect, test } from 'vitest'
import { CapstanError, type ErrorDetails } from '../errors.js'
import type { ModelDelta, ModelReply, ModelRequest } from '../types/model.js'
import { withRetries } from './retry.js'

const request: ModelRequest = {
  messages: [],
  tools: [],
  stream: true,
  signal: new AbortController().signal,
  idempotencyKey: 'k',
}
const reply: ModelReply = { message: { role: 'assistant', content: 'Hi.' } }

/** Asks a model that fails in these ways first; tells what it was asked, how long it was waited, what was told. */
async function retried(failures: readonly unknown[], max = 2) {
  const asked: ModelRequest[] = []
  const waits: number[] = []
  const told: ModelDelta[] = []
  const ask = async (given: ModelRequest) => {
    asked.push(given)
    const failure = failures[asked.length - 1]
    if (failure) throw failure
    return reply
  }
  const wait = async (ms: number) => void waits.push(ms)
  const tell = (delta: ModelDelta) => void told.push(delta)
  const outcome = await withRetries(request, tell, { send: ask, maxRetries: max, wait }).catch(
    (error) => error,
  )
  return { asked, waits, told, outcome }
}

const error = (
  code: 'api' | 'rate_limit' | 'quota' | 'truncated',
  details: ErrorDetails = { retryable: true },
) => new CapstanError(code, `It failed: ${code}.`, details)

test('what may pass is asked for again, longer later each time, and announced', async () => {
  const { outcome, waits, told } = await retried([error('api'), error('api')])
  expect(outcome).toBe(reply)
  expect(waits[0]).toBeGreaterThanOrEqual(375)
  expect(waits[0]).toBeLessThanOrEqual(500)
  expect(waits[1]).toBeGreaterThanOrEqual(750)
  expect(waits[1]).toBeLessThanOrEqual(1000)
  const notice = { type: 'retry', code: 'api', message: 'It failed: api.' }
  expect(told).toEqual([
    { ...notice, attempt: 1, delayMs: waits[0] },
    { ...notice, attempt: 2, delayMs: waits[1] },
  ])
})

test('throws the last error after the last retry', async () => {
  const last = error('api')
  const { outcome, asked } = await retried([error('api'), error('api'), last])
  expect(outcome).toBe(last)
  expect(asked).toHaveLength(3)
})

test.each([
  ['what cannot pass', error('quota', {})],
  ['what is no error of ours', new TypeError('broken')],
])('does not retry %s', async (_what, failure) => {
  const { outcome, asked } = await retried([failure])
  expect(outcome).toBe(failure)
  expect(asked).toHaveLength(1)
})

test('retries after the wait of the server, up to a minute', async () => {
  const soon = await retried([error('rate_limit', { retryable: true, retryAfterMs: 1234 })])
  expect(soon.waits).toEqual([1234])
  const late = await retried([error('rate_limit', { retryable: true, retryAfterMs: 86_400_000 })])
  expect(late.asked).toHaveLength(1)
  expect(late.outcome).toMatchObject({ code: 'rate_limit', retryAfterMs: 86_400_000 })
})

test('retries a cut-off stream without streaming', async () => {
  const { asked } = await retried([error('truncated'), error('api')])
  expect(asked.map(({ stream }) => stream)).toEqual([true, false, false])
})

test('stops waiting on abort', async () => {
  const stop = new AbortController()
  const wait = async (_ms: number, signal: AbortSignal) => {
    stop.abort(new Error('enough'))
    signal.throwIfAborted()
  }
  const send = () => Promise.reject(error('api'))
  const asked = { ...request, signal: stop.signal }
  const asking = withRetries(asked, undefined, { send, maxRetries: 2, wait })
  await expect(asking).rejects.toThrow('enough')
})
