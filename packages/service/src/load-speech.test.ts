import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { isNotInstalled } from './load-speech.js'

const missing = failureOf('@capstan/not-there')

test('a missing package can be installed', () => {
  expect(isNotInstalled(missing, '@capstan/not-there')).toBe(true)
})

test('a failure inside a package is not a missing package', () => {
  expect(isNotInstalled(missing, '@capstan/speech')).toBe(false)
  expect(isNotInstalled(new Error("'@capstan/speech'"), '@capstan/speech')).toBe(false)
})

// By Node's own loader: the tests' words a failure otherwise.
function failureOf(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch (error) {
    return error
  }
}
