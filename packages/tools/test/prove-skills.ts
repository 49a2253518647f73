// Proof: all skills of npm packages load, with the names and descriptions that a complete reader of YAML finds.
// Run: node --conditions=development --import=tsx packages/tools/test/prove-skills.ts
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { skills } from '../src/skills.js'

const packages = {
  '@tanstack/ai': '0.58.0',
  '@tanstack/db': '0.15.2',
  '@tanstack/router-core': '1.171.39',
  '@electric-sql/client': '1.5.28',
  '@trpc/server': '11.25.2',
  'agent-browser': '0.41.2',
}
/** An independent reader. */
const oracle = { yaml: '2.9.1' }

const folder = mkdtempSync(join(tmpdir(), 'capstan-skills-'))
try {
  writeFileSync(join(folder, 'package.json'), '{}')
  const named = Object.entries({ ...packages, ...oracle }).map(([name, version]) => `${name}@${version}`)
  const quiet = [
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--omit=peer',
    '--omit=optional',
  ]
  execFileSync('npm', ['install', ...quiet, ...named], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { parse } = createRequire(join(folder, 'package.json'))('yaml') as { parse(text: string): unknown }
  let total = 0
  for (const name of Object.keys(packages)) {
    const count = await prove(join(folder, 'node_modules', name), parse)
    console.log(`${name}: ${count} skills`)
    total += count
  }
  console.log(
    `${total} skills of ${Object.keys(packages).length} packages load, with names and descriptions as written`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function prove(root: string, parse: (text: string) => unknown): Promise<number> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const own = files.filter((file) => basename(file) === 'SKILL.md' && !file.includes('node_modules')).sort()
  const { middleware, skipped } = await skills(root)
  if (own.length === 0 || skipped.length > 0)
    throw new Error(`${own.length} files, skipped: ${JSON.stringify(skipped)}`)
  const names = own.map((file) => basename(dirname(file)))
  const model = scriptedModel([
    reply.calls(...names.map((name) => reply.call('read_skill', { name }))),
    reply.text('Done.'),
  ])
  const agent = new Agent({ model, middleware: [middleware] })
  const { toolCalls } = await agent.run('Read all.')
  const instructions = String(model.requests[0]?.messages[0]?.content)
  for (const [at, file] of own.entries()) {
    const text = readFileSync(join(root, file), 'utf8')
    const [, head = '', body = ''] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? []
    const { description } = parse(head) as { readonly description: string }
    const line = `- ${names[at]}: ${description.replace(/\s+/g, ' ').trim()}`
    // A long description is cut.
    const start = [...line].length > 1024 ? [...line].slice(0, 1000).join('') : `${line}\n`
    const isShown = `${instructions}\n`.includes(start)
    if (!isShown) throw new Error(`${file} is not in the instructions as it is written:\n${line}`)
    const { status, content } = toolCalls[at] ?? {}
    if (status !== 'ok' || !content?.startsWith(body.trim())) throw new Error(`${file} is not read`)
  }
  return own.length
}
