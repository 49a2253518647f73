import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Hoard, hoarder } from './hoarder.js'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-hoard-'))
})
afterAll(() => rm(root, { recursive: true }))

/** Executes the run in a separate process. `limit` is the maximum size of its files in KiB. */
function start(hoard: Hoard, limit = 'unlimited') {
  const script = fileURLToPath(new URL('./hoarder-process.ts', import.meta.url))
  const command = `ulimit -f ${limit}; exec "$@"`
  const node = [process.execPath, '--conditions=development', '--import=tsx', script, JSON.stringify(hoard)]
  const child = spawn('bash', ['-c', command, 'bash', ...node], {
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const linesOf = async (book: string) => {
  const text = await readFile(book, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

test.skipIf(process.platform === 'win32')(
  'a run whose process is killed in a call is taken up there, with the same arguments',
  async () => {
    const hoard = { folder: join(root, 'killed'), book: join(root, 'killed.txt'), bytes: 10, hangs: true }
    const child = start(hoard)
    const exited = once(child, 'exit')
    while ((await linesOf(hoard.book)).length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
    const runs = hoarder({ ...hoard, hangs: false })
    expect(await runs.status('r')).toMatchObject({ phase: 'running', stepCount: 2, attempts: 1 })
    await runs.recover('r')
    expect((await runs.result('r')).text).toBe('Done.')
    const [first, second, again, ...more] = await linesOf(hoard.book)
    expect(first).toMatch(/^r\/step0\/call0 /)
    expect(second).toMatch(/^r\/step1\/call0 /)
    expect(again).toBe(second)
    expect(more).toEqual([])
  },
)

test.skipIf(process.platform === 'win32')(
  'where a state cannot be written whole, that is the error, and the run goes on from the one before',
  async () => {
    const hoard = { folder: join(root, 'full'), book: join(root, 'full.txt'), bytes: 50_000, hangs: false }
    const child = start(hoard, '40')
    const said: string[] = []
    child.stdout.on('data', (piece) => said.push(String(piece)))
    await once(child, 'exit')
    expect(said.join('')).toMatch(/EFBIG/)
    expect((await readdir(hoard.folder)).filter((file) => !file.endsWith('.json'))).toEqual([])
    const runs = hoarder(hoard)
    expect(await runs.status('r')).toMatchObject({ phase: 'running', stepCount: 1 })
    await runs.recover('r')
    expect((await runs.result('r')).text).toBe('Done.')
    const [first, again] = await linesOf(hoard.book)
    expect(again).toBe(first)
  },
)
