import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { exampleFile, exampleGroups, exampleNames } from '../scripts/examples.mjs'

const folder = fileURLToPath(new URL('../examples/', import.meta.url))
const listed = [...readFileSync(`${folder}README.md`, 'utf8').matchAll(/^- \[([\w-]+)\]\(([^)]+)\): .+\.$/gm)]

test('every example has one line in the README of the examples, and every line its example', () => {
  const folders = exampleGroups.flatMap((group) =>
    readdirSync(join(folder, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !existsSync(join(folder, group, `${entry.name}.ts`)))
      .map((entry) => entry.name),
  )
  const names = new Set([...exampleNames(), ...folders])
  expect(listed.map(([, name]) => name).sort()).toEqual([...names].sort())
  for (const [, name = '', path = ''] of listed)
    expect(path).toMatch(new RegExp(`^\\d-\\w+/${name}(\\.ts)?$`))
  expect(listed.filter(([, , path = '']) => !existsSync(join(folder, path)))).toEqual([])
})

test('every expected output belongs to an example', () => {
  const names = readdirSync(join(folder, 'expected')).map((file) => file.replace(/\.txt$/, ''))
  expect(names.filter((name) => exampleFile(name) === undefined)).toEqual([])
})

test('an example that runs on the local service imports it, unless the service is its subject', () => {
  const ownService = exampleNames().filter((name) => {
    const text = readFileSync(join(folder, '..', exampleFile(name) ?? ''), 'utf8')
    return /\bstartService\(/.test(text)
  })
  expect(ownService.sort()).toEqual([
    'chat-page',
    'durable-approval',
    'durable-workers',
    'getting-started',
    'given-client',
    'illustrator',
    'listening',
    'own-model',
    'painting',
    'protocols',
    'rate-limits',
    'readme',
    'scripted-service',
    'service-alone',
    'service-protocols',
    'small-window',
    'speaking',
    'trouble',
  ])
})
