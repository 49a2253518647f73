import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { shellTool } from '../src/files.js'
import { resultsOf } from './results-of.js'
import { temporaryFolder } from './temporary-folder.js'

const node = process.execPath
const script = (code: string) => [node, '-e', code]
const run = (command: readonly string[], options: Partial<Parameters<typeof shellTool>[0]> = {}) =>
  shellTool({ cwd: temporaryFolder(), ...options }).call({ command })

test('runs a program in the folder, and reads its outputs', async () => {
  const cwd = temporaryFolder()
  const code = 'console.log(process.cwd(), process.argv[1]); console.error("bad"); process.exitCode = 3'
  expect(await run([...script(code), 'a b; $HOME'], { cwd })).toEqual({
    ...{ exitCode: 3, stdout: `${cwd} a b; $HOME\n`, stderr: 'bad\n' },
  })
  const tools = [shellTool({ cwd, allow: [[node]] })]
  const [result] = await resultsOf({ tools }, ['run_command', { command: script(code) }])
  expect(result?.content).toBe(`exit code 3\nstdout:\n${cwd} undefined\nstderr:\nbad`)
})

test('a command without an entry in allow waits for approval', async () => {
  const asks = async (allow: Parameters<typeof shellTool>[0]['allow'], command: readonly string[]) => {
    const model = scriptedModel([reply.call('run_command', { command }), reply.text('Done.')])
    const tools = [shellTool({ cwd: temporaryFolder(), ...(allow && { allow }) })]
    const { pending = [] } = await new Agent({ model, tools }).run('Run.')
    return pending.length === 1
  }
  expect(await asks(undefined, ['true'])).toBe(true)
  expect(await asks(['true'], ['true'])).toBe(false)
  expect(await asks(['true --a'], ['true', '--a', '--b'])).toBe(false)
  expect(await asks([['true', '--a b']], ['true', '--a b'])).toBe(false)
  expect(await asks(['true --a'], ['true', '--ab'])).toBe(true)
  expect(await asks(['true --a'], ['true'])).toBe(true)
  expect(await asks(['true'], ['true '])).toBe(true)
  expect(await asks(['true'], ['/bin/true'])).toBe(true)
})

test('the environment has PATH and HOME, and what env adds', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-secret')
  vi.stubEnv('NODE_OPTIONS', '--no-warnings')
  vi.stubEnv('PATH', `.::bin:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { stdout } = await run(script('console.log(JSON.stringify(process.env))'), { env: { MODE: 'test' } })
  const env = JSON.parse(stdout)
  expect(env).toMatchObject({ MODE: 'test', HOME: process.env.HOME })
  expect(env.PATH.split(':').every((one: string) => one.startsWith('/'))).toBe(true)
  expect(Object.keys(env)).not.toContain('OPENAI_API_KEY')
  expect(Object.keys(env)).not.toContain('NODE_OPTIONS')
})

test('stdin is closed', async () => {
  const code = 'process.stdin.on("end", () => console.log("end")).resume()'
  expect(await run(script(code))).toMatchObject({ exitCode: 0, stdout: 'end\n' })
})

test('of a long output the beginning and the end are kept', async () => {
  const code = 'process.stdout.write("a".repeat(30000) + "é".repeat(50000) + "z".repeat(30000))'
  const { stdout } = await run(script(code))
  expect(stdout).toBe(`${'a'.repeat(20_000)}\n[120000 bytes omitted]\n${'z'.repeat(20_000)}`)
  const cut = await run(script('process.stdout.write("a" + "é".repeat(50000))'))
  expect(cut.stdout).toMatch(/^aé{9999}\n\[60001 bytes omitted\]\né{10000}$/)
})

/** Starts a child that starts another one in the background; both ignore SIGTERM. Writes their ids. */
const stubborn = `
process.on('SIGTERM', () => {})
const child = require('child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")'], { stdio: ['ignore', 'pipe', 'inherit'] })
child.stdout.once('data', () => require('fs').writeFileSync('ids', process.pid + ' ' + child.pid))
setInterval(() => {}, 1000)`

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    // A process that has ended stays until its parent takes note, which may be far away.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const idsIn = (cwd: string) =>
  vi.waitFor(() => {
    const ids = readFileSync(join(cwd, 'ids'), 'utf8').split(' ').map(Number)
    expect(ids).toHaveLength(2)
    return ids
  }, 20_000)

const allEnded = (ids: readonly number[]) =>
  vi.waitFor(() => expect(ids.filter(isAlive)).toEqual([]), { timeout: 20_000 })

test('the timeout ends all processes of a command', async () => {
  const cwd = temporaryFolder()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const result = run(script(stubborn), { cwd })
  const ids = await idsIn(cwd)
  vi.advanceTimersByTime(120_000)
  expect(ids.filter(isAlive)).toEqual(ids)
  vi.advanceTimersByTime(2000)
  expect(await result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true })
  await allEnded(ids)
}, 30_000)

test('an abort ends all processes of a command', async () => {
  const cwd = temporaryFolder()
  const aborter = new AbortController()
  const model = scriptedModel([reply.call('run_command', { command: script(stubborn) })])
  const agent = new Agent({ model, tools: [shellTool({ cwd, allow: [[node]] })] })
  const ended = agent.run('Run.', { signal: aborter.signal })
  const ids = await idsIn(cwd)
  expect(ids.filter(isAlive)).toEqual(ids)
  aborter.abort()
  expect((await ended).stopReason).toBe('aborted')
  await allEnded(ids)
}, 30_000)

test('what a command leaves in the background ends with it', async () => {
  const cwd = temporaryFolder()
  const code = `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
require('fs').writeFileSync('ids', process.pid + ' ' + child.pid); child.unref(); console.log('left')`
  expect(await run(script(code), { cwd })).toMatchObject({ exitCode: 0, stdout: 'left\n' })
  await allEnded(await idsIn(cwd))
})

test('a process that left the group does not keep the call open', async () => {
  const cwd = temporaryFolder()
  const code = `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })
require('fs').writeFileSync('ids', process.pid + ' ' + child.pid); child.unref()`
  expect(await run(script(code), { cwd })).toMatchObject({ exitCode: 0 })
  const [, left = 0] = await idsIn(cwd)
  expect(isAlive(left)).toBe(true)
  process.kill(left, 'SIGKILL')
}, 30_000)

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a command ends with its program, at %s',
  async (signal) => {
    const cwd = temporaryFolder()
    const files = fileURLToPath(new URL('../src/files.ts', import.meta.url))
    const code = `import { shellTool } from ${JSON.stringify(files)}
void shellTool({ cwd: '.' }).call({ command: ${JSON.stringify(script(stubborn))} })`
    const started = [
      '--conditions=development',
      `--import=${import.meta.resolve('tsx')}`,
      '--input-type=module',
      '-e',
      code,
    ]
    const program = spawn(node, started, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
    const ended = once(program, 'exit')
    const ids = await idsIn(cwd)
    program.kill(signal)
    expect(await ended).toEqual([null, signal])
    await allEnded(ids)
  },
  30_000,
)

test('commands that cannot run are errors without a path of the machine', async () => {
  const cwd = temporaryFolder({ 'plain.txt': 'x' })
  await expect(run(['no-such-program'])).rejects.toMatchObject({
    code: 'not_found',
    message: 'The program "no-such-program" does not exist. Use a different one.',
  })
  await expect(run(['./plain.txt'], { cwd })).rejects.toThrow(
    'The program "./plain.txt" cannot be run (EACCES). Use a different one.',
  )
  await expect(run([''])).rejects.toThrow('the name of the program is missing')
  await expect(run([])).rejects.toMatchObject({ code: 'invalid_arguments' })
  await expect(run(['true', 'a\0b'])).rejects.toThrow('an argument contains a null byte')
  mkdirSync(join(cwd, 'gone'))
  const tool = shellTool({ cwd: join(cwd, 'gone') })
  rmSync(join(cwd, 'gone'), { recursive: true })
  await expect(tool.call({ command: ['true'] })).rejects.toThrow(
    'The working folder does not exist. Use a different one.',
  )
})

test.each([
  [{}, 'shellTool: cwd is required'],
  [{ cwd: 'none' }, 'shellTool: there is no folder "none"'],
  [{ cwd: '.', alow: [] }, 'Did you mean "allow"?'],
  [{ cwd: '.', allow: [''] }, 'Use an array of command prefixes'],
  [{ cwd: '.', allow: [[]] }, 'Use an array of command prefixes'],
  [{ cwd: '.', allow: ['echo "a b"'] }, 'for words with spaces or quotes'],
  [{ cwd: '.', env: { A: 1 } }, 'Use an object of strings.'],
  [{ cwd: '.', timeoutMs: 0 }, 'timeoutMs is 0. Use a number'],
])('rejects the options %j', (options, message) => {
  expect(() => Reflect.apply(shellTool, undefined, [options])).toThrow(message)
})
