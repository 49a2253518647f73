import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { cases } from '../../../scripts/cases.mjs'
import { fileTools, shellTool } from '../src/files.js'
import { skills } from '../src/skills.js'
import { resultsOf } from './results-of.js'
import { temporaryFolder } from './temporary-folder.js'

// What a model may try: none of it reads, writes or runs what the options do not allow.

const secret = 'the-secret-of-the-house'
const skill = `---\nname: inner\ndescription: A skill.\n---\nBody\n`

/** A folder that is also a skill, in a folder with what it may not reach. */
function stage() {
  const outer = temporaryFolder({
    'secret.txt': secret,
    'elsewhere/secret.txt': secret,
    'inner-twin/secret.txt': secret,
    'inner/SKILL.md': skill,
    'inner/a.md': 'An open text.\n',
    'inner/sub/b.md': 'An open text.\n',
    'inner/.git/config': secret,
    'inner/node_modules/x/secret.txt': secret,
    'inner/private/key.txt': secret,
  })
  const folder = join(outer, 'inner')
  symlinkSync('../secret.txt', join(folder, 'file-link'))
  symlinkSync('../elsewhere', join(folder, 'link'))
  symlinkSync(join(outer, 'elsewhere'), join(folder, 'sub/link'))
  symlinkSync('link', join(folder, 'link-to-link'))
  symlinkSync('..', join(folder, 'up'))
  symlinkSync('loop', join(folder, 'loop'))
  symlinkSync('../new', join(folder, 'dangling'))
  symlinkSync('.git', join(folder, 'vcs'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  return { outer, folder }
}

const traversals = (outer: string): readonly string[] => [
  '../secret.txt',
  '../../secret.txt',
  './../secret.txt',
  'sub/../../secret.txt',
  'sub/../sub/../../secret.txt',
  'a.md/../../secret.txt',
  '../inner-twin/secret.txt',
  '..\\secret.txt',
  'sub\\..\\..\\secret.txt',
  'sub/..\\../secret.txt',
  `${outer}/secret.txt`,
  `//${outer}/secret.txt`,
  `file://${outer}/secret.txt`,
  `./${outer}/../secret.txt`,
  'C:\\secret.txt',
  'C:/secret.txt',
  'c:secret.txt',
  '\\\\server\\share\\secret.txt',
  '//server/share/secret.txt',
  '\\\\?\\C:\\secret.txt',
  '%2e%2e/secret.txt',
  '%2E%2E%2Fsecret.txt',
  '..%2fsecret.txt',
  '..%5csecret.txt',
  '%252e%252e/secret.txt',
  '..%c0%afsecret.txt',
  '..\0/secret.txt',
  '../secret.txt\0.md',
  'a.md\0/../../secret.txt',
  '..;/secret.txt',
  '.../secret.txt',
  '....//secret.txt',
  '.. /secret.txt',
  '../ secret.txt',
  '\uff0e\uff0e/secret.txt',
  '..\u2215secret.txt',
  '.\u200b./secret.txt',
  '~/secret.txt',
  '~root/.bashrc',
  '/proc/self/environ',
  '/dev/stdin',
  'file-link',
  'link/secret.txt',
  'link/../secret.txt',
  'link-to-link/secret.txt',
  'sub/link/secret.txt',
  'sub/link/new/secret.txt',
  'up/secret.txt',
  'up/elsewhere/secret.txt',
  'loop',
  'loop/secret.txt',
  'dangling',
  'dangling/secret.txt',
  'pipe',
  '.git/config',
  '.GIT/config',
  './.git//config',
  'sub/../.git/config',
  '.g\u200cit/config',
  '.git./config',
  'vcs/config',
  'node_modules/x/secret.txt',
  'Node_Modules/x/secret.txt',
  'private/key.txt',
  'PRIVATE/key.txt',
]

const attempts = (path: string) =>
  [
    ['read_file', { path }],
    ['list_files', { path }],
    ['list_files', { path: dirname(path) }],
    ['search_files', { query: 'secret', path }],
    ['search_files', { query: 'secret|house', regex: true, path }],
    ['edit_file', { path, old: secret, new: 'changed' }],
    ['write_file', { path, content: 'changed' }],
    ['write_file', { path: `${path}/new.txt`, content: 'changed' }],
  ] as const

/** All files below a folder, with their content. */
function snapshot(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]))
}

/** What the tools may not change: all outside, and what they leave out. */
const closed = ([path]: readonly [string, string]) =>
  !path.startsWith('/inner/') || /^\/inner\/(?:\.git|node_modules|private)\//.test(path)

test('none of 65 paths in 8 calls of each reads or writes outside the folder, or what is ignored', async () => {
  const { outer, folder } = stage()
  const before = Object.entries(snapshot(outer)).filter(closed)
  const tools = fileTools(folder, { write: 'allow', ignore: ['private'] })
  const paths = traversals(outer)
  expect(paths).toHaveLength(65)
  const results = await resultsOf({ tools }, ...paths.flatMap(attempts))
  expect(results).toHaveLength(520)
  const told = results.map(({ content }) => content).filter((content) => content.includes(secret))
  expect(told).toEqual([])
  // Errors name no path of the machine, but for what the model wrote itself.
  const own = results.filter(({ arguments: args }) => !JSON.stringify(args).includes(outer))
  expect(own.filter(({ content }) => content.includes(outer))).toEqual([])
  expect(Object.entries(snapshot(outer)).filter(closed)).toEqual(before)
})

test('without write no tool writes, whatever is called', async () => {
  const { outer, folder } = stage()
  const before = snapshot(outer)
  const tools = fileTools(folder, { write: false })
  const results = await resultsOf({ tools }, ...['a.md', 'new.md', '../new.md'].flatMap(attempts))
  expect(results.filter(({ name }) => /^(?:edit|write)/.test(name)).map(({ status }) => status)).toEqual(
    Array(9).fill('rejected'),
  )
  const asking = await resultsOf({ tools: fileTools(folder) }, ...['a.md', 'new.md'].flatMap(attempts))
  expect(asking.filter(({ name }) => /^(?:edit|write)/.test(name)).map(({ status }) => status)).toEqual(
    Array(6).fill('denied'),
  )
  expect(snapshot(outer)).toEqual(before)
})

test('a skill reads none of 60 paths outside its folder', async () => {
  const { outer, folder } = stage()
  const { middleware } = await skills([folder])
  // Its folder is all of the skill: only the tools for files leave parts out.
  const paths = traversals(outer).filter((path) => !/config$|node_modules|private/i.test(path))
  const results = await resultsOf(
    { middleware: [middleware] },
    ...paths.map((file) => ['read_skill', { name: 'inner', file }] as const),
    ...['../inner', 'inner/..', '..', outer, '', 'inner\0', '__proto__', 'elsewhere'].map(
      (name) => ['read_skill', { name, file: 'secret.txt' }] as const,
    ),
  )
  expect(results.length).toBeGreaterThanOrEqual(60)
  expect(results.filter(({ status }) => status === 'ok')).toEqual([])
  expect(JSON.stringify(results.map(({ content }) => content))).not.toContain(secret)
})

const commands = (outer: string): readonly (readonly string[])[] => [
  ['touch', 'ran'],
  ['sh', '-c', 'touch ran'],
  ['echo'],
  ['echo', 'b'],
  ['echo', 'a;', 'touch', 'ran'],
  ['echo a', '>', 'ran'],
  ['echo a && touch ran'],
  ['echo', 'aa'],
  ['echo', ' a'],
  ['echo', 'a '],
  ['Echo', 'a'],
  [' echo', 'a'],
  ['./echo', 'a'],
  ['../echo', 'a'],
  ['/bin/echo', 'a'],
  [`${outer}/echo`, 'a'],
  ['env', 'echo', 'a'],
  ['', 'echo', 'a'],
  ['echo', '', 'a'],
  ['echo', '-n', 'a'],
  ['\u0435cho', 'a'],
  ['echo\0', 'a'],
  ['echo', 'a\0b'],
  ['$(touch ran)'],
  ['`touch ran`'],
  ['|', 'touch', 'ran'],
]

test('none of 26 commands runs that allow does not begin, and none of an allowed one is read by a shell', async () => {
  const { outer, folder } = stage()
  const tools = [shellTool({ cwd: folder, allow: ['echo a'] })]
  const results = await resultsOf(
    { tools },
    ...commands(outer).map((command) => ['run_command', { command }] as const),
  )
  expect(results).toHaveLength(26)
  // The last but three begins as allowed: no program can get it.
  expect(results.filter(({ status }) => status !== 'denied').map(({ arguments: args }) => args)).toEqual([])
  const [plain] = await resultsOf({ tools }, [
    'run_command',
    { command: ['echo', 'a', ';', 'touch', 'ran', '$HOME', '*', '>ran'] },
  ])
  expect(plain?.content).toBe('exit code 0\nstdout:\na ; touch ran $HOME * >ran')
  expect(readdirSync(folder)).not.toContain('ran')
})

test('an approval with other arguments runs these only', async () => {
  const { folder } = stage()
  const model = scriptedModel([reply.call('run_command', { command: ['touch', 'ran'] }), reply.text('Done.')])
  const agent = new Agent({ model, tools: [shellTool({ cwd: folder })] })
  const { state, pending = [] } = await agent.run('Run.')
  const [{ callId = '' } = {}] = pending
  await agent.run(state, { decisions: { [callId]: { type: 'deny', reason: 'No.' } } })
  expect(readdirSync(folder)).not.toContain('ran')
})

/** Replaces a folder by a link to another one and back, as fast as it can. What a tool creates meanwhile goes aside. */
const swaps = `
const { workerData: { real, aside, outside, stop } } = require('node:worker_threads')
const { renameSync, symlinkSync } = require('node:fs')
const { join } = require('node:path')
const isStopped = () => Atomics.load(new Int32Array(stop), 0) === 1
let count = 0
const put = (from) => {
  try {
    renameSync(from, real)
  } catch {
    renameSync(real, join(aside, 'made-' + count++))
    put(from)
  }
}
symlinkSync(outside, join(aside, 'link'))
while (!isStopped()) {
  renameSync(real, join(aside, 'sub'))
  put(join(aside, 'link'))
  renameSync(real, join(aside, 'link'))
  put(join(aside, 'sub'))
}`

test('a folder that becomes a link between check and use leads nowhere', async () => {
  const { outer, folder } = stage()
  const aside = temporaryFolder()
  const stop = new SharedArrayBuffer(4)
  const before = snapshot(join(outer, 'elsewhere'))
  const worker = new Worker(swaps, {
    eval: true,
    workerData: { real: join(folder, 'sub'), aside, outside: join(outer, 'elsewhere'), stop },
  })
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  onTestFinished(async () => {
    Atomics.store(new Int32Array(stop), 0, 1)
    await ended
  })
  const [, read, , , write] = fileTools(folder, { write: 'allow' })
  const outcomes = { read: 0, written: 0, refused: 0 }
  for (let round = 0; round < cases(5000, 100); round++) {
    const text = await read.call({ path: 'sub/secret.txt' }).catch(() => undefined)
    expect(text).toBeUndefined()
    await read.call({ path: 'sub/b.md' }).then(
      () => outcomes.read++,
      () => outcomes.refused++,
    )
    await write.call({ path: 'sub/new.txt', content: 'changed' }).then(
      () => outcomes.written++,
      () => outcomes.refused++,
    )
  }
  Atomics.store(new Int32Array(stop), 0, 1)
  await ended
  expect(snapshot(join(outer, 'elsewhere'))).toEqual(before)
  // The folder was there, and was not.
  expect(Math.min(outcomes.read, outcomes.written, outcomes.refused)).toBeGreaterThan(0)
}, 120_000)
