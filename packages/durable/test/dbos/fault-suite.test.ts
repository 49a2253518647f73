import { test as everywhere } from 'vitest'
import { faultSuite } from '../../src/testing.js'
import { artist, checkDeaths } from '../background-runs.js'
import { testOf } from '../in-turn.js'
import { slowPostgresTest, test, usePostgres } from '../postgres.js'
import { checkProgramDeaths, coder } from '../program-runs.js'
import { dyingHost } from './dying-host.js'

const { url } = usePostgres()
const suite = faultSuite()
const host = dyingHost([...suite.agents, artist, coder], url)

// Background calls and programs lose their workers in the in-memory tests in `src/testing`.
slowPostgresTest(
  'outcomes of background calls: a worker dies, at any point',
  () => checkDeaths(host),
  600_000,
)

slowPostgresTest('programs: a worker dies, at any point', () => checkProgramDeaths(host), 600_000)

for (const { name, run } of suite.checks(host, { atOnce: 40 }))
  (testOf(name) === everywhere ? test : slowPostgresTest)(name, run, 600_000)
