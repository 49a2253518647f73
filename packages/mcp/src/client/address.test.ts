import { expect, test } from 'vitest'
import { toAddress, withoutSecrets } from './address.js'

test('of secrets that begin alike none leaves its end', () => {
  const address = toAddress({ command: 'x', env: { A: 'password', B: 'password-secret-tail' } })
  expect(withoutSecrets('key=password-secret-tail, password', address)).toBe('key=[redacted], [redacted]')
})
