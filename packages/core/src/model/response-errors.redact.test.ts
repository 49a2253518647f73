import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { CapstanError } from '../errors.js'
import { Secrets } from '../secrets/secrets.js'
import { withoutSecrets } from './response-errors.js'

const secret = 'sk-very-secret-1234'

const knowing = (...known: string[]) => {
  const secrets = new Secrets()
  for (const one of known) secrets.add(one)
  return secrets
}
const caught = (error: unknown, secrets = knowing(secret)) =>
  Promise.reject(withoutSecrets(error, secrets)).catch((thrown) => thrown)

test('removes a key from message and evidence everywhere', async () => {
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
  expect(shown.cause).toEqual(new Error('[redacted]'))
  expect(shown.stack).not.toContain(secret)
})

test('removes a key from evidence only', async () => {
  const shown = await caught(new CapstanError('auth', 'Wrong key.', { evidence: { body: secret } }))
  expect(shown).toMatchObject({ message: 'Wrong key.', evidence: { body: '[redacted]' } })
})

test('an error that says no secret says the same, with its cause and its stack', async () => {
  const deep = Object.assign(new Error('deep', { cause: 'why' }), { code: 'ECONNRESET', errno: -104 })
  const cause = new AggregateError([deep, new DOMException('late', 'TimeoutError')], 'reset', { cause: deep })
  const error = new CapstanError('network', 'No answer.', { cause, evidence: { status: 200 } })
  const shown = await caught(error)
  expect(shown).toEqual(error)
  expect(shown.cause).toBe(cause)
  expect(shown.stack).toBe(error.stack)
})

test('an error that is not ours is passed on, or told by a plain one when it may say a secret', async () => {
  const other = new TypeError('not ours')
  expect(await caught(other)).toBe(other)
  const shown = await caught(Object.assign(new TypeError(`no ${secret}`), { code: 'ERR_X', headers: {} }))
  expect(shown).toMatchObject({ name: 'TypeError', code: 'ERR_X', message: 'no [redacted]' })
  expect(shown).not.toHaveProperty('headers')
  expect(await caught({ message: secret })).toEqual(new Error('[redacted]'))
})

test("the reason of an abort is the caller's own, and passed on as it is", async () => {
  const stop = new AbortController()
  const reason = { mine: secret }
  stop.abort(reason)
  expect(withoutSecrets(reason, knowing(secret), stop.signal)).toBe(reason)
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
])('of a cause that says a key in %s a plain error without it is left', async (_where, cause) => {
  const shown = await caught(new CapstanError('network', 'No answer.', { cause }))
  expect(shown).toMatchObject({ code: 'network', message: 'No answer.' })
  expect(Object.getPrototypeOf(shown.cause)).toBe(Error.prototype)
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
  ['a stranger', new (class Stranger extends Error {})('a')],
  [
    'an error that gives itself to JSON',
    new (class extends Error {
      toJSON() {
        return secret
      }
    })('a'),
  ],
  [
    'an error with a getter in its class',
    new (class extends Error {
      get config() {
        return secret
      }
    })('a'),
  ],
  [
    'an error that names itself',
    new (class extends Error {
      get [Symbol.toStringTag]() {
        return secret
      }
    })('a'),
  ],
  [
    'an error that turns itself into text',
    new (class extends Error {
      [Symbol.toPrimitive]() {
        return secret
      }
    })('a'),
  ],
  [
    'an error that prints itself',
    new (class extends Error {
      [Symbol.for('nodejs.util.inspect.custom')]() {
        return secret
      }
    })('a'),
  ],
  [
    'a class with a telling name',
    new (class extends Error {
      static override get name() {
        return secret
      }
    })('a'),
  ],
])('of a cause that cannot be looked through its words are left: %s', async (_what, cause) => {
  const shown = await caught(new CapstanError('network', 'No answer.', { cause }))
  expect(Object.getPrototypeOf(shown.cause)).toBe(Error.prototype)
  expect(Reflect.ownKeys(shown.cause)).toEqual(expect.arrayContaining(['stack', 'message']))
  expect(inspect(shown, { depth: 20, showHidden: true, getters: true })).not.toContain(secret)
})

test('the name and the code of such a cause are left too', async () => {
  class SocketError extends Error {
    override readonly name = 'SocketError'
    readonly code = 'UND_ERR_SOCKET'
    readonly headers = new Headers({ authorization: secret })
  }
  const shown = await caught(
    new CapstanError('network', 'No answer.', { cause: new SocketError('other side closed') }),
  )
  expect(shown.cause).toMatchObject({
    name: 'SocketError',
    code: 'UND_ERR_SOCKET',
    message: 'other side closed',
  })
  expect(shown.cause).not.toHaveProperty('headers')
})

test('what is too short to be a secret is left in', async () => {
  const error = new CapstanError('api', 'The key is key.')
  expect(await caught(error, knowing('', 'key'))).toEqual(error)
})

test('every secret is taken out', async () => {
  const error = new CapstanError('api', 'first-secret and Bearer other-secret')
  const shown = await caught(error, knowing('first-secret', 'Bearer other-secret'))
  expect(shown.message).toBe('[redacted] and [redacted]')
})
