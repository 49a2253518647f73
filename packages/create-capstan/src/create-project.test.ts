import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createProject, templates } from './create-project.js'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

let work: string
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'create-capstan-'))
})
afterEach(() => rmSync(work, { recursive: true }))

test('every template is named, and every name has its template', () => {
  expect(Object.keys(templates).sort()).toEqual(readdirSync(new URL('../templates', import.meta.url)).sort())
})

test.each(Object.keys(templates))('%s becomes a project with its own name', (template) => {
  const { folder } = createProject(join(work, 'My agent!'), template)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expect(manifest.name).toBe('my-agent')
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['start', 'test', 'studio']))
  const own = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([name]) => name.startsWith('@capstan/'))
    .map(([, range]) => range)
  expect(new Set(own)).toEqual(new Set([`^${version}`]))
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('node_modules/')
  expect(existsSync(join(folder, 'README.md'))).toBe(true)
})

test('an unknown template is refused with the known ones', () => {
  expect(() => createProject(join(work, 'one'), 'constructor')).toThrow(
    'Unknown template "constructor". Choose one of: tools, media, server, durable, mcp.',
  )
  expect(existsSync(join(work, 'one'))).toBe(false)
})

test('a folder with files is refused, and stays as it is', () => {
  writeFileSync(join(work, 'notes.txt'), 'mine')
  expect(() => createProject(work, 'tools')).toThrow('is not empty. Choose another.')
  expect(readdirSync(work)).toEqual(['notes.txt'])
})

test.each(['notes.txt', 'notes.txt/in/it'])('a file in the way is named: %s', async (name) => {
  writeFileSync(join(work, 'notes.txt'), 'mine')
  await expect(command(name)).rejects.toMatchObject({
    code: 2,
    stderr: `create-capstan: ${join(work, 'notes.txt')} is a file, not a folder. Choose another.\n`,
  })
  expect(readFileSync(join(work, 'notes.txt'), 'utf8')).toBe('mine')
})

test.each([
  ['a\nb', 'a\\u{a}b'],
  ['\u001b[31mred', '\\u{1b}[31mred'],
  ['a\u009bb', 'a\\u{9b}b'],
  ['txt\u202egpj', 'txt\\u{202e}gpj'],
  ['a\u200bb', 'a\\u{200b}b'],
])('a name with invisible characters is refused: %j', (name, shown) => {
  expect(() => createProject(join(work, name), 'tools')).toThrow(`${shown}" contains invisible characters.`)
  expect(readdirSync(work)).toEqual([])
})

test('the command writes a project and says what is next', async () => {
  const { stdout } = await command('agent', '--template', 'server')
  expect(stdout).toContain('cd agent\n  npm install\n  npm test')
  expect(existsSync(join(work, 'agent/src/handler.ts'))).toBe(true)
})

test.each([
  [['one', 'two'], 'Only one folder can be created, but you named one, two. Name one.'],
  [['--templat', 'tools'], '--templat'],
  [['agent', '--template', 'nothing'], 'Unknown template "nothing"'],
])('the command line %j is refused', async (args, message) => {
  await expect(command(...args)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  expect(readdirSync(work)).toEqual([])
})

function command(...args: string[]) {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const tsx = import.meta.resolve('tsx')
  return promisify(execFile)(process.execPath, ['--import', tsx, main, ...args], { cwd: work })
}
