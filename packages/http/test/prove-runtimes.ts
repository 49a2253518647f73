// The built packages in Bun, Deno, workerd and Next, each in its own process, tested over sockets:
// node --conditions=development --import=tsx FILE
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checks } from './runtimes/checks.js'
import { install } from './runtimes/install.js'
import { runtimes } from './runtimes/runtimes.js'
import { startUpstream } from './runtimes/start-upstream.js'

/** What does not hold, and the page on hosts says so. */
const known: Readonly<Record<string, readonly string[]>> = {
  workerd: ['a client that hangs up aborts a run that it waits for'],
}

const folder = mkdtempSync(join(tmpdir(), 'capstan-runtimes-'))
const upstream = await startUpstream()
let unexpected = 0
try {
  install(folder, upstream.url)
  for (const [name, start] of Object.entries(runtimes)) {
    const { origin, stop } = await start(folder)
    try {
      for (const [what, check] of Object.entries(checks)) await tell(name, what, check({ origin, upstream }))
    } finally {
      await stop()
    }
  }
} finally {
  await upstream.close()
  rmSync(folder, { recursive: true })
}
if (unexpected > 0) process.exitCode = 1

async function tell(name: string, what: string, outcome: Promise<void>): Promise<void> {
  const isKnown = known[name]?.includes(what) ?? false
  try {
    await outcome
    if (isKnown) unexpected += 1
    console.log(`${name}: ${what}: ${isKnown ? 'holds now, so the page is to say so' : 'holds'}`)
  } catch (error) {
    if (!isKnown) unexpected += 1
    console.log(`${name}: ${what}: ${isKnown ? 'does not hold, as the page says' : 'FAILS'} (${error})`)
  }
}
