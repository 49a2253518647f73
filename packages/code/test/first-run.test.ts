import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test.each([
  ['text', 'before: 0\nundefined 1 thread\n'],
  ['program', 'before: 0\n42 1 thread\n'],
])(
  'the engine starts with the first request of a run with a %s, and does not keep the process alive',
  async (task, output) => {
    const script = fileURLToPath(new URL('./first-run.ts', import.meta.url))
    const args = ['--conditions=development', '--import=tsx', script, task]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toBe(output)
  },
)
