import { CapstanError, type HostStep } from '@capstan/core'
import { expect, test } from 'vitest'
import { record, reveal } from './recorded.js'

const context = { idempotencyKey: 'r/step0/call0', signal: new AbortController().signal }
const step = <T>(run: () => Promise<T>, kind: 'tool' | 'model' = 'tool'): HostStep<T> => ({
  key: 'step0/call0',
  run,
  options: { kind, name: 'draw' },
})

test('stores the outcome of a step as JSON', async () => {
  const kept = await record(
    step(async () => ({ at: new Date(0), gone: undefined, deep: [1, { a: null }] })),
    context,
  )
  expect(kept).toEqual({ ok: true, value: { at: '1970-01-01T00:00:00.000Z', deep: [1, { a: null }] } })
  expect(reveal(kept)).toEqual(kept.ok && kept.value)
  expect(
    reveal(
      await record(
        step(async () => undefined),
        context,
      ),
    ),
  ).toBeUndefined()
})

test('stores a failure and restores it unchanged', async () => {
  const failure = new CapstanError('rate_limit', 'Too many requests.', {
    retryable: true,
    retryAfterMs: 20,
    status: 429,
    evidence: { body: 'slow down' },
  })
  const kept = await record(
    step(() => Promise.reject(failure), 'model'),
    context,
  )
  expect(JSON.parse(JSON.stringify(kept))).toEqual(kept)
  const back = await Promise.resolve()
    .then(() => reveal(kept))
    .catch((error: unknown) => error)
  expect(back).toBeInstanceOf(CapstanError)
  expect(back).toMatchObject({
    code: 'rate_limit',
    message: 'Too many requests.',
    retryable: true,
    retryAfterMs: 20,
    status: 429,
    evidence: { body: 'slow down' },
  })
})

test('an aborted step has no outcome', async () => {
  const signal = AbortSignal.abort(new Error('stop'))
  await expect(
    record(
      step(() => Promise.reject(new Error('cut'))),
      { ...context, signal },
    ),
  ).rejects.toThrow('cut')
})

test('a result that is too long becomes an error that names the tool, and the rest of the outcome is stored', async () => {
  const outcome = { status: 'ok', content: 'x', result: 'y'.repeat(2000), ms: 3, spent: [{ images: 1 }] }
  const kept = await record(
    step(async () => outcome),
    context,
    1000,
  )
  expect(kept).toMatchObject({ ok: true, value: { status: 'error', ms: 3, spent: [{ images: 1 }] } })
  expect(JSON.stringify(kept)).toMatch(/The tool \\"draw\\" ran.*maxStepBytes: 1000/)
  expect(JSON.stringify(kept)).not.toContain('yyy')
})

test('a model reply that is too long fails the run', async () => {
  const kept = await record(
    step(async () => 'y'.repeat(2000), 'model'),
    context,
    1000,
  )
  expect(kept).toMatchObject({ ok: false, error: { code: 'invalid_response' } })
})
