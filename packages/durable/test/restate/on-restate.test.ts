import { describe } from 'vitest'
import { facts as background } from './facts/background.js'
import { facts as runs } from './facts/runs.js'
import { testFacts } from './test-facts.js'

// The other facts are in on-restate.slow.test.ts: each file needs its own server.
describe('runs', () => testFacts('./facts/runs.ts', runs))
describe('background calls', () => testFacts('./facts/background.ts', background))
