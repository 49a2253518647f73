import { expect, test } from 'vitest'
import { checkProgramDeaths, coder } from '../../test/program-runs.js'
import { jsonHost } from '../json-host.js'
import { hostInMemory } from './journal-host.js'

test('a program that passes through JSON waits, and ends', async () => {
  const { pending } = await coder.run('Go.', { host: jsonHost })
  expect(pending?.map(({ callId }) => callId)).toEqual(['program/call6'])
})

test('a program ends, and no key has two sets of arguments, wherever a worker dies', () =>
  checkProgramDeaths(hostInMemory()))

test('without records keys have other arguments', async () => {
  const forgetful = hostInMemory(undefined, () => ({ get: () => undefined, set: () => undefined }))
  await expect(checkProgramDeaths(forgetful)).rejects.toThrow(/call\d has .* and /)
})
