// A program that waits for an approval in the middle of its loop, and continues in another process.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = mkdtempSync(join(tmpdir(), 'runs-'))
const clerk = fileURLToPath(new URL('clerk.ts', import.meta.url))
for (const task of ['ask', 'approve']) {
  console.log(`process "${task}"`)
  const { signal, status } = spawnSync(process.execPath, [...process.execArgv, clerk, folder, task], {
    stdio: 'inherit',
  })
  console.log(`  ended by ${signal ?? `exit code ${status}`}`)
}
rmSync(folder, { recursive: true })
