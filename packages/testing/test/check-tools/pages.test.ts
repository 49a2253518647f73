import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type AnyTool, tool } from '@capstan/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, test } from 'vitest'
import { checkTools, toolRules } from '../../src/check-tools/check-tools.js'
import { withRules } from './write-rules-page.js'

const page = readFileSync(new URL('../../../../docs/reference/tool-rules.md', import.meta.url), 'utf8')
const examples = fileURLToPath(new URL('./examples/', import.meta.url))
const names = toolRules.map(({ name }) => name)

/** What an example exports. Parameters are checked as part of a tool that has them. */
type Example = StandardSchemaV1 | AnyTool | readonly AnyTool[]

test('every rule has its section and its example, and vice versa', () => {
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(names)
  expect(readdirSync(examples).sort()).toEqual(names.map((name) => `${name}.ts`).sort())
})

test('names of rules are in kebab-case and unique', () => {
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

test('the table of the documentation has every rule, with its level and what it finds', () => {
  const rows = page.match(/^\| \[.*$/gm)
  const row = ({ name, level, finds }: (typeof toolRules)[number]) =>
    `| [${name}](#${name}) | ${level} | ${finds} |`
  expect(rows).toEqual(toolRules.map(row))
})

test('the page matches its script: run packages/testing/test/check-tools/write-rules-page.ts', () => {
  expect(withRules(page)).toBe(page)
})

describe.each(toolRules)('$name', ({ name, level }) => {
  const [section = ''] = new RegExp(`^## ${name}\n[\\s\\S]*?(?=\n## |$(?![\\s\\S]))`, 'm').exec(page) ?? []
  const load = async (): Promise<{ bad: Example; good: Example }> => import(`./examples/${name}.ts`)

  test('its section has its name, its level and its example', () => {
    expect(section.startsWith(`## ${name}\n\n\`${level}\``)).toBe(true)
    const shown = [...section.matchAll(/^<!-- (.*) -->$/gm)].map(([, block]) => block)
    const file = `packages/testing/test/check-tools/examples/${name}.ts`
    expect(shown).toEqual([`${file}#bad`, `${file}#good`])
  })

  test('it finds its bad example, and no rule finds anything in the good one', async () => {
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
