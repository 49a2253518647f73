import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { proveKills } from './prove-kills.js'

test('killed processes lose nothing that the folder store has acknowledged, and damage no run', async () => {
  const { acknowledged } = await proveKills(cases(400, 10))
  expect(acknowledged).toBeGreaterThan(0)
})
