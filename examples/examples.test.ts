import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { plainOutput } from '../scripts/plain-output.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
const examples = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))

// Each example runs as its reader would run it: a process with no key, which ends by itself.
test.each(examples)(
  '%s ends by itself and says what the file beside it says',
  { timeout: 60_000 },
  async (file) => {
    const { code, output, errors } = await run(file)
    expect(errors).toBe('')
    expect(code).toBe(0)
    const beside = `${folder}${file.replace(/\.ts$/, '.out.txt')}`
    expect(existsSync(beside), `${beside} is missing; the example says:\n${output}`).toBe(true)
    expect(plainOutput(output)).toBe(plainOutput(readFileSync(beside, 'utf8')))
  },
)

function run(file: string): Promise<{ code: number | null; output: string; errors: string }> {
  const args = ['--conditions=development', '--import=tsx', file]
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...env } = process.env
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (piece) => output.push(piece))
  child.stderr.on('data', (piece) => errors.push(piece))
  const hanging = setTimeout(() => child.kill('SIGKILL'), 50_000)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(hanging)
      resolve({ code, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() })
    })
  })
}
