import { expect, test } from 'vitest'
import { CapstanError } from '../words/error.js'
import { withoutSecrets } from './redact.js'

const secret = 'sk-very-secret-1234'
const failing = (error: unknown) => withoutSecrets([secret], () => Promise.reject(error))
const caught = (error: unknown) => failing(error).catch((thrown) => thrown)

test('what succeeds is passed on', async () => {
  expect(await withoutSecrets([secret], async () => secret)).toBe(secret)
})

test('a key is taken out of the sentence and the evidence, wherever and however often it is said', async () => {
  const details = {
    evidence: { body: `{"key":"${secret}"}`, list: [secret], status: 401 },
    status: 401,
    retryable: true,
    retryAfterMs: 5,
  }
  const error = new CapstanError('auth', `Wrong key ${secret}: ${secret}.`, {
    ...details,
    cause: new Error(secret),
  })
  const shown = await caught(error)
  expect(shown).toBeInstanceOf(CapstanError)
  expect(shown).toMatchObject({
    ...details,
    code: 'auth',
    message: 'Wrong key [redacted]: [redacted].',
    evidence: { body: '{"key":"[redacted]"}', list: ['[redacted]'], status: 401 },
  })
  expect(shown.cause).toBeUndefined()
  expect(shown.stack).not.toContain(secret)
})

test('a key is taken out of evidence alone', async () => {
  const shown = await caught(new CapstanError('auth', 'Wrong key.', { evidence: { body: secret } }))
  expect(shown).toMatchObject({ message: 'Wrong key.', evidence: { body: '[redacted]' } })
})

test('an error that says no secret stays the same, with its cause', async () => {
  const error = new CapstanError('network', 'No answer.', { cause: new Error('reset') })
  expect(await caught(error)).toBe(error)
  const other = new TypeError('not ours')
  expect(await caught(other)).toBe(other)
})

test('what is too short to be a secret is left in', async () => {
  const error = new CapstanError('api', 'The key is key.')
  expect(await withoutSecrets(['', 'key'], () => Promise.reject(error)).catch((thrown) => thrown)).toBe(error)
})

test('every secret is taken out', async () => {
  const error = new CapstanError('api', 'first-secret and Bearer other-secret')
  const work = withoutSecrets(['first-secret', 'Bearer other-secret'], () => Promise.reject(error))
  await expect(work).rejects.toThrow('[redacted] and [redacted]')
})
