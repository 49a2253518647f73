// Features that import @capstan/core alone pass the tests of its own.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { testBackgroundCalls } from '../features/background-calls.suite.js'
import { testLongResults } from '../features/long-results.suite.js'
import { testStuckDetection } from '../features/stuck-detection.suite.js'
import { backgroundCalls } from './background-calls.js'
import { longResults, readArtifact } from './long-results.js'
import { stuckDetection } from './stuck-detection.js'

test('they import nothing else', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.endsWith('.test.ts'))
  const imports = files.flatMap((name) =>
    [...readFileSync(new URL(name, import.meta.url), 'utf8').matchAll(/from '([^']+)'/g)].map(([, to]) => to),
  )
  expect(imports.filter((to) => to !== '@capstan/core' && !to?.startsWith('node:'))).toEqual([])
})

describe('stuck detection', () => testStuckDetection(stuckDetection))
describe('background calls', () => testBackgroundCalls(backgroundCalls))
describe('long results', () => testLongResults(longResults, readArtifact))
