import { hostInMemory } from '@capstan/durable/testing'
import { type TestAPI, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { faultSuite } from '../src/testing/fault-suite.js'

const checksOfScenario = 4
const checks = faultSuite().checks(hostInMemory())

/**
 * The checks of the fault suite that `npm test` leaves out for a host. Of each scenario it runs the check without
 * faults and, in turn, one of those with faults. The journal in memory gets all of them.
 */
const left = new Set(
  checks.flatMap(({ name }, at) => {
    const kind = at % checksOfScenario
    const turn = 1 + (Math.floor(at / checksOfScenario) % (checksOfScenario - 1))
    return (kind === 0 || kind === turn) && !name.startsWith('fifty calls') ? [] : [name]
  }),
)

/** Returns the function that registers the check with this name. */
export function testOf(name: string): TestAPI {
  return left.has(name) ? slowTest : test
}
