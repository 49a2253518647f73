import { afterEach, expect, test, vi } from 'vitest'
import { environment, leakyMessages, plainMessages } from '../../test/error-messages.js'
import { withoutCredentials } from './secrets.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('has a corpus of 60 messages with credentials', () => {
  expect(leakyMessages).toHaveLength(60)
  for (const [message, secret, ...remains] of leakyMessages)
    for (const part of [secret, ...remains]) expect(message).toContain(part)
})

test.each(leakyMessages)('%s', (message, secret, ...remains) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const shown = withoutCredentials(message)
  expect(shown).not.toContain(secret)
  for (const part of secret.match(/[\w%+-]{6,}/g) ?? []) expect(shown).not.toContain(part)
  for (const part of remains) expect(shown).toContain(part)
  expect(shown).toContain('[redacted]')
})

test.each(plainMessages)('stays: %s', (message) => {
  expect(withoutCredentials(message)).toBe(message)
})

test('hides a secret that is set in the environment later', () => {
  expect(withoutCredentials('It said late-comer-8812.')).toBe('It said late-comer-8812.')
  vi.stubEnv('LATE_TOKEN', 'late-comer-8812')
  expect(withoutCredentials('It said late-comer-8812.')).toBe('It said [redacted].')
})
