import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { version } from '@capstan/core/internal'
import { expect, test } from 'vitest'
import { changesetsIn, titleRelease } from '../scripts/set-version.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const packages: readonly { name: string; version: string; private?: boolean }[] = readdirSync(
  join(root, 'packages'),
).map((folder) => JSON.parse(read(`packages/${folder}/package.json`)))
const published = packages.filter((one) => !one.private)

test('all public packages have one version, which core knows', () => {
  expect(new Set(published.map((one) => one.version))).toEqual(new Set([version]))
})

test('changesets give one version to all public packages', () => {
  const { fixed } = JSON.parse(read('.changeset/config.json'))
  const isFixed = (name: string) => fixed[0].includes(name) || fixed[0].includes(name.replace(/\/.*/, '/*'))
  expect(fixed).toHaveLength(1)
  expect(published.map(({ name }) => name).filter((name) => !isFixed(name))).toEqual([])
})

test('a file of .changeset asks for the release of unreleased changes', () => {
  const [, unreleased = ''] = /\n## Unreleased\n([\s\S]*?)(?=\n## |$)/.exec(read('CHANGELOG.md')) ?? []
  if (unreleased.trim() !== 'Nothing yet.') expect(changesetsIn(root)).not.toEqual([])
})

test('each file of .changeset names public packages, and below 1.0 no major version', () => {
  const names = published.map(({ name }) => name).join('|')
  const form = new RegExp(`^---\n(?:'(?:${names})': (?:patch|minor)\n)+---\n\n\\S`)
  for (const file of changesetsIn(root)) expect(read(`.changeset/${file}`)).toMatch(form)
})

test('a release becomes a section of the changelog', () => {
  const before = '# Changelog\n\n## Unreleased\n\n- New: a thing.\n\n## 0.1.0 (2026-01-01)\n'
  const after =
    '# Changelog\n\n## Unreleased\n\nNothing yet.\n\n## 0.2.0 (2026-02-01)\n\n- New: a thing.\n\n## 0.1.0 (2026-01-01)\n'
  expect(titleRelease(before, '0.2.0', '2026-02-01')).toBe(after)
  expect(() => titleRelease('# Changelog\n', '0.2.0', '2026-02-01')).toThrow('no section Unreleased')
  expect(() => titleRelease(after, '0.3.0', '2026-03-01')).toThrow('Nothing is unreleased')
})

test('the workflow publishes after the gate, and only that job may', () => {
  const workflow = read('.github/workflows/release.yml')
  const [check = '', publish = ''] = workflow.split(/^ {2}publish:$/m)
  expect(check).toContain('bash .ci/run')
  expect(check).not.toContain('id-token')
  expect(publish).toMatch(/needs: check[\s\S]*id-token: write[\s\S]*publish-packages\.mjs/)
  expect(workflow).not.toMatch(/https?:|secrets\./)
})
