import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** Runs a program in a separate process with its own temporary folder. Returns its output and the files left. */
async function run(program: string, before = ''): Promise<{ printed: string; left: string[] }> {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'spool-'))
  onTestFinished(() => rm(TMPDIR, { recursive: true }))
  const text = `import { openSpool } from ${JSON.stringify(new URL('./stored-bytes.ts', import.meta.url).href)}
    import { readdirSync, statSync } from 'node:fs'
    const parts = () => readdirSync(process.env.TMPDIR).filter((name) => name.endsWith('.part'))
    const spool = await openSpool()
    ${program}`
  const node = [
    process.execPath,
    '--conditions=development',
    '--import=tsx',
    '--input-type=module',
    '-e',
    text,
  ]
  const env = { ...process.env, TMPDIR, TSX_DISABLE_CACHE: '1' }
  const { stdout } = await promisify(execFile)('sh', ['-c', `${before} exec "$@"`, 'sh', ...node], { env })
  return { printed: stdout.trim(), left: (await readdir(TMPDIR)).filter((name) => name.endsWith('.part')) }
}

test.runIf(process.platform !== 'win32')('removes the file on exit, and keeps it private', async () => {
  const { printed, left } = await run(`
    await spool.write(new Uint8Array(10))
    const [name] = parts()
    console.log((statSync(process.env.TMPDIR + '/' + name).mode & 0o777).toString(8))
    process.exit()`)
  expect(printed).toBe('600')
  expect(left).toEqual([])
})

test.runIf(process.platform !== 'win32')('continues in memory when the disk is full', async () => {
  const program = `
    let sum = 0
    for (let i = 0; i < 50; i++) await spool.write(new Uint8Array(100_003).fill(i))
    const held = await spool.end()
    for (const byte of new Uint8Array(await held.blob.arrayBuffer())) sum += byte
    console.log(held.blob.size, sum, parts().length)
    await held[Symbol.asyncDispose]()`
  const whole = `${50 * 100_003} ${((49 * 50) / 2) * 100_003}`
  expect(await run(program)).toEqual({ printed: `${whole} 1`, left: [] })
  expect(await run(program, 'ulimit -f 4096;')).toEqual({ printed: `${whole} 0`, left: [] })
})
