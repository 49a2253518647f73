import { describe } from 'vitest'
import { facts as runs } from './facts/runs.js'
import { testFacts } from './test-facts.js'

// The other facts are in on-restate.slow.test.ts: each file needs its own server.
describe('runs', () => testFacts('./facts/runs.ts', runs))
