import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { node24 } from '../../../../scripts/engines.mjs'
import type { Facts, Told } from './facts.js'

const script = fileURLToPath(new URL('tell-facts.ts', import.meta.url))

/**
 * Registers each fact of a file as a test. Facts run in a separate process: Restate workers need a newer Node. Without
 * one, or without Restate, they are skipped with a printed reason.
 */
export function testFacts(file: string, facts: Facts): void {
  const told = new Map<string, Told>()
  const said: string[] = []
  const controller = new AbortController()
  beforeAll(() => tell(file, { told, said, signal: controller.signal }), 900_000)
  afterAll(() => controller.abort())
  for (const name of Object.keys(facts))
    test(name, (context) => {
      if (said.some((line) => line.startsWith('SKIPPED'))) return context.skip()
      const end = told.get(name)
      expect(end, said.join('\n')).toBeDefined()
      expect(end?.error).toBeUndefined()
    })
}

interface Telling {
  readonly told: Map<string, Told>
  readonly said: string[]
  readonly signal: AbortSignal
}

async function tell(file: string, { told, said, signal }: Telling): Promise<void> {
  const node = node24()
  if (!node) {
    said.push('SKIPPED: workers of Restate need Node 22 or newer. Install it: `npm run engines`.')
    return console.warn(said[0])
  }
  const url = new URL(file, import.meta.url).href
  const teller = spawn(node, ['--conditions=development', '--import=tsx', script, url], {
    env: { ...process.env, RESTATE_LOGGING: 'ERROR' },
  })
  const ended = new Promise((resolve) => teller.once('close', resolve))
  signal.addEventListener('abort', () => teller.kill(), { once: true })
  const note = (line: string) => {
    said.push(line)
    if (line.startsWith('SKIPPED')) console.warn(line)
  }
  createInterface(teller.stderr).on('line', note)
  createInterface(teller.stdout).on('line', (line) => {
    if (!line.startsWith('{"name"')) return note(line)
    const one = JSON.parse(line) as Told
    told.set(one.name, one)
  })
  await ended
}
