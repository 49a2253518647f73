import { expect, test } from 'vitest'
import { longestSecret, redactedEnd, redactSecrets, serverAddress } from './server-text.js'

test('redacts secrets that share a prefix completely', () => {
  const address = serverAddress({ command: 'x', env: { A: 'password', B: 'password-secret-tail' } })
  expect(redactSecrets('key=password-secret-tail, password', address)).toBe('key=[redacted], [redacted]')
})

test('a cut leaves no end of a secret', () => {
  const secret = 'password-secret-tail'
  const address = serverAddress({ command: 'x', env: { A: secret } })
  const rest = ` and then ${secret} more ${'.'.repeat(longestSecret(address))}`
  for (let at = 0; at <= secret.length; at++) {
    const shown = redactedEnd(`${secret.slice(at)}${rest}`, address, { length: 2000, isCut: true })
    expect(shown).not.toMatch(/tail|[a-z]-|asswor/)
  }
  expect(redactedEnd(`key=${secret}${rest}`, address, { length: 2000, isCut: false })).toContain(
    'key=[redacted] and then [redacted] more',
  )
})

test.each([
  ['a value under a secret name', 'DB_PASSWORD=hunter-two', 'hunter-two'],
  ['a header', 'authorization: Bearer abc.def-123456', 'abc.def-123456'],
  ['a password in an address', 'postgres://app:opensesame@db/x', 'opensesame'],
  ['a key of a known format', `failed for sk-${'a1'.repeat(12)}`, 'a1a1'],
  ['a secret in JSON', '{"level":"error","apiKey":"plain-words-here"}', 'plain-words-here'],
])('removes %s from the output of a process', (_what, text, secret) => {
  const shown = redactedEnd(text, serverAddress({ command: 'x' }), { length: 2000, isCut: false })
  expect(shown).toContain('[redacted]')
  expect(shown).not.toContain(secret)
})
