// Runs `npm start` as its reader does, and compares what it prints with examples/expected/illustrator.txt.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainOutput } from './plain-output.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { status, stdout } = spawnSync('npm', ['--silent', 'start'], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  shell: process.platform === 'win32',
})
console.log(stdout)
const expected = readFileSync(join(root, 'examples/expected/illustrator.txt'), 'utf8')
if (status === 0 && plainOutput(stdout) === plainOutput(expected)) process.exit(0)
console.error(
  `npm start ended with ${status}, or printed something else than examples/expected/illustrator.txt.`,
)
process.exit(1)
