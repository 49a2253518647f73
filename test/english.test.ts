import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { countsOf, errorCallsIn, reportOf, sampleOf } from '../scripts/english.mjs'

// Facts alone fail. Words with a plainer one are a report for readers: node scripts/english.mjs.
const root = fileURLToPath(new URL('..', import.meta.url))
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n')
const sources = tracked.filter(
  (file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$/.test(file),
)
const packages = [...new Set(sources.map((file) => file.split('/')[1] ?? ''))]

const mostCharactersOfError = 140

test.each(packages)(
  `packages/%s: no error has more than ${mostCharactersOfError} characters of fixed text`,
  (name) => {
    const own = sources.filter((file) => file.startsWith(`packages/${name}/src/`))
    const long = own.flatMap((file) =>
      errorCallsIn(file).flatMap(({ line, length, text }) =>
        length > mostCharactersOfError ? [`${file}:${line} (${length} characters) ${text}`] : [],
      ),
    )
    expect(long).toEqual([])
  },
)

test('each guide has a sentence before its first code', () => {
  const guides = tracked.filter((file) => /^docs\/(guides|deploy)\/[^/]+\.md$/.test(file))
  const silent = guides.filter((file) => {
    const [, body = ''] =
      /^# .*\n([\s\S]*?)(?=^```|(?![\s\S]))/m.exec(readFileSync(join(root, file), 'utf8')) ?? []
    return !/^[A-Z*`[][^\n]*[.:]/m.test(body.replaceAll(/^(#|<!--).*$/gm, ''))
  })
  expect(guides.length).toBeGreaterThan(20)
  expect(silent).toEqual([])
})

describe('the report', () => {
  const diffOf = (file: string, ...lines: string[]) =>
    [`+++ b/${file}`, '@@ -1,0 +7,2 @@', ...lines.map((line) => `+${line}`)].join('\n')

  test('names the plainer word of added lines, with their place', () => {
    expect(reportOf(diffOf('docs/guides/tools.md', 'Plain.', 'It goes on in place of the other.'))).toEqual([
      'docs/guides/tools.md:8 "goes on": continues',
      'docs/guides/tools.md:8 "in place of": instead of',
    ])
  })

  test('reads comments and texts of code, and no names', () => {
    const file = 'packages/core/src/agent.ts'
    expect(reportOf(diffOf(file, 'const address = whole(outcome)', '// The whole reply.'))).toEqual([
      `${file}:8 "whole": full, entire`,
    ])
  })

  test('a seed draws the same sample again', () => {
    const counts = [3, 3, 3] as const
    expect(sampleOf(7, counts)).toEqual(sampleOf(7, counts))
    expect(sampleOf(8, counts)).not.toEqual(sampleOf(7, counts))
  })

  test('counts the words of a page without its code, those in tables, and "you"', () => {
    const page = 'Pass your `you`.\n\n```ts\nconst you = 1\n```\n\n| a | b |\n| --- | --- |\n| you | four |\n'
    expect(countsOf(page)).toEqual({ words: 7, table: 4, you: 2 })
  })
})
