import { describe } from 'vitest'
import { facts as aborts } from './facts/aborts.js'
import { facts as crashes } from './facts/crashes.js'
import { facts as decisions } from './facts/decisions.js'
import { facts as faults } from './facts/faults.js'
import { facts as heavy } from './facts/heavy.js'
import { facts as hostile } from './facts/hostile.js'
import { testFacts } from './test-facts.js'

// In one file, sequentially: a Restate server needs much memory.
describe('decisions', () => testFacts('./facts/decisions.ts', decisions))
describe('aborts', () => testFacts('./facts/aborts.ts', aborts))
describe('crashes', () => testFacts('./facts/crashes.ts', crashes))
describe('failures around runs', () => testFacts('./facts/hostile.ts', hostile))
describe('large states, and background calls of dying workers', () => testFacts('./facts/heavy.ts', heavy))
describe('crashing workers', () => testFacts('./facts/faults.ts', faults))
