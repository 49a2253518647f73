import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { limits, mostOf } from '../scripts/limits.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The files that hold something to a limit. */
const checks = [
  'packages/core/test/size.test.ts',
  'packages/core/test/prove-files-run.ts',
  'scripts/check-packages.mjs',
  'test/agents-file.test.ts',
  'test/imports.test.ts',
  'test/llms.test.ts',
  'test/structure.test.ts',
]

test('each limit has a figure, a reason and a check', () => {
  const text = checks.map((file) => readFileSync(`${root}${file}`, 'utf8')).join('\n')
  for (const [name, { most, why }] of Object.entries(limits)) {
    expect(most, name).toBeGreaterThan(0)
    expect(why, name).toMatch(/\w.*\.$/)
    // size.test.ts has the names of its programs.
    expect(text, name).toContain(name.replace(/^bytes of (?=a small|chatModel)/, ''))
  }
  expect(() => mostOf('no such limit')).toThrow('limits.json has no limit "no such limit"')
})

test('a commit that changes a limit changes nothing else', () => {
  const log = execFileSync(
    'git',
    ['log', '--format=%x00%s', '--name-only', '--full-diff', '--', 'limits.json'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  const commits = log.split('\0').filter((one) => one.trim() !== '')
  const mixed = commits.filter((one) => one.trim().split('\n').slice(1).filter(Boolean).length > 1)
  // A clone of the last commit alone has no history.
  const isShallow = existsSync(`${root}.git/shallow`)
  expect(isShallow ? [] : mixed).toEqual([])
})
