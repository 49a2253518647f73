import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnyTool, tool } from '@capstan/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, test } from 'vitest'
import { synced } from '../../../../scripts/sync-documents.mjs'
import { checkTools } from '../../src/check-tools/check-tools.js'
import { toolRules } from '../../src/check-tools/tool-rules.js'

const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url))
const examples = fileURLToPath(new URL('./examples/', import.meta.url))
const names = toolRules.map(({ name }) => name)

/** Parameters alone stand for a tool that takes them. */
type Example = StandardSchemaV1 | AnyTool | readonly AnyTool[]

test('every rule has its page and its example, and the other way round', () => {
  expect(readdirSync(`${docs}tool-rules`).sort()).toEqual(names.map((name) => `${name}.md`).sort())
  expect(readdirSync(examples).sort()).toEqual(names.map((name) => `${name}.ts`).sort())
})

test('names of rules are in kebab-case, and one of a kind', () => {
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

test('the table of the documentation has every rule, with its level and what it finds', () => {
  const rows = readFileSync(`${docs}tool-rules.md`, 'utf8').match(/^\| \[.*$/gm)
  const row = ({ name, level, finds }: (typeof toolRules)[number]) =>
    `| [${name}](tool-rules/${name}.md) | ${level} | ${finds} |`
  expect(rows).toEqual(toolRules.map(row))
})

describe.each(toolRules)('$name', ({ name, level }) => {
  const page = readFileSync(`${docs}tool-rules/${name}.md`, 'utf8')
  const load = async (): Promise<{ bad: Example; good: Example }> => import(`./examples/${name}.ts`)

  test('its page says its name and level, and shows what its example is', () => {
    expect(page.startsWith(`# ${name}\n\n\`${level}\``)).toBe(true)
    expect(synced(page)).toBe(page)
    const shown = [...page.matchAll(/^<!-- (.*) -->$/gm)].map(([, block]) => block)
    const file = `packages/testing/test/check-tools/examples/${name}.ts`
    expect(shown).toEqual([`${file}#bad`, `${file}#good`])
  })

  test('what its page shows is found by it, and of the better nothing is said', async () => {
    const { bad, good } = await load()
    expect(checkTools(toTools(bad)).findings.map(({ rule }) => rule)).toContain(name)
    expect(checkTools(toTools(good)).findings).toEqual([])
  })
})

function toTools(example: Example): readonly AnyTool[] {
  if (Array.isArray(example)) return example
  if ('definition' in example) return [example]
  const parameters = example as StandardSchemaV1
  const description = 'Keeps the books of a small hotel by the lake.'
  return [tool({ name: 'keep_books', description, parameters, execute: () => 'kept' })]
}
