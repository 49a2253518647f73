import { expect, test } from 'vitest'
import { redactedEnd, redactSecrets, serverAddress } from './server-text.js'

test('of secrets that begin alike none leaves its end', () => {
  const address = serverAddress({ command: 'x', env: { A: 'password', B: 'password-secret-tail' } })
  expect(redactSecrets('key=password-secret-tail, password', address)).toBe('key=[redacted], [redacted]')
})

test('of a text that is cut no end of a secret is left', () => {
  const address = serverAddress({ command: 'x', env: { A: 'password-secret-tail' } })
  const text = 'key=password-secret-tail, and then password-secret-tail more'
  for (let length = 1; length <= text.length; length++)
    expect(redactedEnd(text, address, length)).not.toMatch(/tai|(?<!e)d-|asswor/)
  expect(redactedEnd(text, address, 10)).toBe('[redacted] more')
})
