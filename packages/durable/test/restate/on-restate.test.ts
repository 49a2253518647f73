import { facts } from './facts/usual.js'
import { testFacts } from './test-facts.js'

// The other facts are in on-restate.slow.test.ts: each file needs its own server.
testFacts('./facts/usual.ts', facts)
