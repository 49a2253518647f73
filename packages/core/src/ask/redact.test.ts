import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { CapstanError } from '../words/error.js'
import { withoutSecrets } from './redact.js'
import { Secrets } from './secrets.js'

const secret = 'sk-very-secret-1234'

const knowing = (...known: string[]) => {
  const secrets = new Secrets()
  for (const one of known) secrets.add(one)
  return secrets
}
const failing = (error: unknown, secrets = knowing(secret)) =>
  withoutSecrets(secrets, () => Promise.reject(error))
const caught = (error: unknown, secrets?: Secrets) => failing(error, secrets).catch((thrown) => thrown)

test('what succeeds is passed on', async () => {
  expect(await withoutSecrets(knowing(secret), async () => secret)).toBe(secret)
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
  const deep = Object.assign(new Error('deep', { cause: 'why' }), { code: 'ECONNRESET', errno: -104 })
  const cause = new AggregateError([deep, new DOMException('late', 'TimeoutError')], 'reset', { cause: deep })
  const error = new CapstanError('network', 'No answer.', { cause })
  expect(await caught(error)).toBe(error)
  const other = new TypeError('not ours')
  expect(await caught(other)).toBe(other)
})

test('a cause that says nothing stays where the sentence had to be mended', async () => {
  const cause = new Error('reset')
  const shown = await caught(new CapstanError('network', `No answer to ${secret}.`, { cause }))
  expect(shown.message).toBe('No answer to [redacted].')
  expect(shown.cause).toBe(cause)
})

class Request {
  readonly #hidden = secret;
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.#hidden
  }
}

const looped: { self?: unknown; key: string } = { key: secret }
looped.self = looped

test.each<[string, unknown]>([
  ['a message', new Error(`Wrong key ${secret}`)],
  ['the message of a cause of a cause', new Error('a', { cause: new Error('b', { cause: secret }) })],
  ['a field', Object.assign(new Error('a'), { config: { headers: [['authorization', secret]] } })],
  ['the name of a field', Object.assign(new Error('a'), { [secret]: 1 })],
  ['a field that is not listed', Object.defineProperty(new Error('a'), 'key', { value: secret })],
  ['the name of a symbol', Object.assign(new Error('a'), { [Symbol(secret)]: 1 })],
  ['headers', Object.assign(new Error('a'), { headers: new Headers({ authorization: secret }) })],
  ['a map', Object.assign(new Error('a'), { map: new Map([[{ deep: [secret] }, 1]]) })],
  ['a set', new Set([secret])],
  ['one of many errors', new AggregateError([new Error('b'), new Error(secret)], 'a')],
  ['what is in itself', Object.assign(new Error('a'), { looped })],
  ['a text', secret],
])('a cause that says a key in %s is left out', async (_where, cause) => {
  const shown = await caught(new CapstanError('network', 'No answer.', { cause }))
  expect(shown).toMatchObject({ code: 'network', message: 'No answer.' })
  expect(shown.cause).toBeUndefined()
  expect(inspect(shown, { depth: 20, showHidden: true })).not.toContain(secret)
})

test.each<[string, unknown]>([
  ['an object of a class', Object.assign(new Error('a'), { request: new Request() })],
  [
    'a getter',
    Object.assign(new Error('a'), { box: Object.defineProperty({}, 'key', { get: () => secret }) }),
  ],
  ['a function', Object.assign(new Error('a'), { retry: () => secret })],
  ['bytes', Object.assign(new Error('a'), { body: new TextEncoder().encode(secret) })],
  ['a promise', Promise.resolve(secret)],
  [
    'more than anybody looks through',
    Object.assign(new Error('a'), { all: Array.from({ length: 20_000 }, () => ({})) }),
  ],
])('a cause that cannot be looked through is left out: %s', async (_what, cause) => {
  const shown = await caught(new CapstanError('network', 'No answer.', { cause }))
  expect(shown.cause).toBeUndefined()
})

test('an error that prints itself cannot be looked through', async () => {
  class Custom extends Error {
    [Symbol.for('nodejs.util.inspect.custom')]() {
      return secret
    }
  }
  expect((await caught(new CapstanError('network', 'a', { cause: new Custom('b') }))).cause).toBeUndefined()
})

test('what is too short to be a secret is left in', async () => {
  const error = new CapstanError('api', 'The key is key.')
  expect(await caught(error, knowing('', 'key'))).toBe(error)
})

test('every secret is taken out', async () => {
  const error = new CapstanError('api', 'first-secret and Bearer other-secret')
  const shown = await caught(error, knowing('first-secret', 'Bearer other-secret'))
  expect(shown.message).toBe('[redacted] and [redacted]')
})
