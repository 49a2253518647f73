import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnyAgent, isCapstanError } from '@capstan/core'
import { outermostStep } from '@capstan/core/internal'
import { afterAll, describe, expect, test } from 'vitest'
import { compareRuns } from '../../src/recording/compare-runs.js'
import { type ForkOptions, forkRun } from '../../src/recording/fork-run.js'
import { readRuns } from '../../src/recording/read.js'
import { recordRun } from '../../src/recording/record.js'
import { recordedRuns } from './recorded-runs.js'

const folder = mkdtempSync(join(tmpdir(), 'forks-'))
afterAll(() => rmSync(folder, { recursive: true }))
const versionOne = fileURLToPath(new URL('version-1/', import.meta.url))
const names = readdirSync(versionOne).flatMap((file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? [])

/** Recordings from which no agent can be built that could repeat the run. */
const withTheirAgentOnly = ['handed-over', 'shortened-history']

/** A fork may fail in the same way as the recorded run. */
async function fork(file: string, options: ForkOptions): Promise<void> {
  await forkRun(file, options).catch((error: unknown) => {
    const hasFailed = readRuns(file).some(({ end }) => end?.stopReason === 'error')
    if (!hasFailed || !isCapstanError(error)) throw error
  })
}

function stepsIn(file: string): readonly number[] {
  const [run] = readRuns(file)
  return [...new Set(run?.exchanges.map(({ at }) => outermostStep(at)))]
}

async function record(agent: AnyAgent, name: string): Promise<string> {
  const file = join(folder, `${name}.jsonl`)
  using recorded = recordRun(file)
  await agent.run('How is it in Oslo?', { ...recorded, context: undefined as never }).catch(() => {})
  return file
}

describe.each(names)('a fork of %s with nothing changed, at every step,', (name) => {
  const make = recordedRuns[name] as () => AnyAgent
  let count = 0
  const newFile = () => join(folder, `${name}.fork-${++count}.jsonl`)

  test('equals the original to the byte, with its agent', async () => {
    const file = await record(make(), name)
    for (const at of stepsIn(file)) {
      const forked = newFile()
      await fork(file, { at, agent: make(), file: forked })
      expect(readFileSync(forked, 'utf8')).toBe(readFileSync(file, 'utf8'))
      expect(compareRuns(file, forked)).toMatchObject({ isSame: true })
    }
  })

  test('is the same from the recording alone, or asks for the agent', async () => {
    const file = await record(make(), `${name}-alone`)
    for (const at of stepsIn(file)) {
      const forked = newFile()
      const made = fork(file, { at, file: forked })
      if (withTheirAgentOnly.includes(name)) {
        await expect(made).rejects.toThrow(/Pass its agent/)
        continue
      }
      await made
      expect(compareRuns(file, forked)).toMatchObject({ isSame: true })
    }
  })
})
