import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { slowTest } from '../scripts/slow-test.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = 'examples/1-start/first-test/agent.test.ts'

test('the test of an agent with two tools that the README of core shows has 12 lines at most', () => {
  const lines = readFileSync(join(root, file), 'utf8').trim().split('\n')
  expect(lines.length).toBeLessThanOrEqual(12)
  expect(readFileSync(join(root, 'packages/core/README.md'), 'utf8')).toContain(lines.join('\n'))
})

// Another process may have the machine for itself just then.
slowTest('and takes less than 100 ms', { retry: 3 }, () => {
  const vitest = join(
    dirname(createRequire(import.meta.url).resolve('vitest/package.json', { paths: [root] })),
    'vitest.mjs',
  )
  const options = ['run', '--project', 'examples', '--reporter', 'json', file]
  const report = JSON.parse(
    execFileSync(process.execPath, [vitest, ...options], { cwd: root, encoding: 'utf8' }),
  )
  const [{ duration, status }] = report.testResults[0].assertionResults
  expect(status).toBe('passed')
  expect(duration).toBeLessThan(100)
})
