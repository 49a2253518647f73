import { expect, test } from 'vitest'
import { redactedEnd, redactSecrets, serverAddress } from './server-text.js'

test('redacts secrets that share a prefix completely', () => {
  const address = serverAddress({ command: 'x', env: { A: 'password', B: 'password-secret-tail' } })
  expect(redactSecrets('key=password-secret-tail, password', address)).toBe('key=[redacted], [redacted]')
})

test('a cut leaves no end of a secret', () => {
  const address = serverAddress({ command: 'x', env: { A: 'password-secret-tail' } })
  const text = 'key=password-secret-tail, and then password-secret-tail more'
  for (let length = 1; length <= text.length; length++)
    expect(redactedEnd(text, address, length)).not.toMatch(/tai|(?<!e)d-|asswor/)
  expect(redactedEnd(text, address, 10)).toBe('[redacted] more')
})
