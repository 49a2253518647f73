// Writes the rules of docs/reference/tool-rules.md: a table and a section for each rule, from the code of the rules and
// from the file of each rule in ./examples, which starts with the text of its section.
import { readFileSync, writeFileSync } from 'node:fs'
import { synced } from '../../../../scripts/sync-documents.mjs'
import { toolRules } from '../../src/check-tools/check-tools.js'

const page = new URL('../../../../docs/reference/tool-rules.md', import.meta.url)
const mark = '<!-- rules: written by packages/testing/test/check-tools/write-rules-page.ts -->\n'
const folder = 'packages/testing/test/check-tools/examples'

/** Returns the page with the current rules. */
export function withRules(text: string): string {
  const [head = ''] = text.split(mark)
  const rows = toolRules.map(({ name, level, finds }) => `| [${name}](#${name}) | ${level} | ${finds} |`)
  const table = ['| rule | level | finds |', '| --- | --- | --- |', ...rows].join('\n')
  return synced(`${[head + mark, table, ...toolRules.map(({ name }) => toSection(name))].join('\n')}\n`)
}

/** Returns the text about a rule, which is the comment at the start of its file. */
function textOf(name: string): string {
  const file = readFileSync(new URL(`./examples/${name}.ts`, import.meta.url), 'utf8')
  const [comment = ''] = /^(\/\/ .*\n)+/.exec(file) ?? []
  return comment
    .replaceAll(/^\/\/ /gm, '')
    .trim()
    .replaceAll('\n', ' ')
}

function toSection(name: string): string {
  const block = (region: string) => `<!-- ${folder}/${name}.ts#${region} -->\n\`\`\`ts\n\`\`\`\n`
  return `\n## ${name}\n\n${textOf(name)}\n\nFound:\n\n${block('bad')}\nBetter:\n\n${block('good')}`.trimEnd()
}

if (process.argv[1]?.endsWith('write-rules-page.ts'))
  writeFileSync(page, withRules(readFileSync(page, 'utf8')))
