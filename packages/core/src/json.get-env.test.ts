import { afterEach, expect, test, vi } from 'vitest'
import { getEnv } from './json.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test('a variable is read when it is asked for; an empty one counts as not set', () => {
  vi.stubEnv('CAPSTAN_TEST', 'value')
  expect(getEnv('CAPSTAN_TEST')).toBe('value')
  vi.stubEnv('CAPSTAN_TEST', '')
  expect(getEnv('CAPSTAN_TEST')).toBeUndefined()
})

test('where there is no environment, no variable is set', () => {
  vi.stubGlobal('process', undefined)
  expect(getEnv('PATH')).toBeUndefined()
})
