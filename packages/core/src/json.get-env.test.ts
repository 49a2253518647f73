import { afterEach, expect, test, vi } from 'vitest'
import { getEnv } from './json.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test('reads a variable on each call and ignores an empty one', () => {
  vi.stubEnv('CAPSTAN_TEST', 'value')
  expect(getEnv('CAPSTAN_TEST')).toBe('value')
  vi.stubEnv('CAPSTAN_TEST', '')
  expect(getEnv('CAPSTAN_TEST')).toBeUndefined()
})

test('returns undefined without an environment', () => {
  vi.stubGlobal('process', undefined)
  expect(getEnv('PATH')).toBeUndefined()
})
