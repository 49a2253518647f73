import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { explain } from '../../src/recording/explain.js'
import { replayRun } from '../../src/recording/replay-run.js'
import { recordedRuns } from './recorded-runs.js'

const folder = fileURLToPath(new URL('version-1/', import.meta.url))
const names = readdirSync(folder).flatMap((file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? [])

/** Recordings from which no agent can be built that could repeat the run. */
const withTheirAgentOnly = ['handed-over', 'shortened-history']

test('every kind of run was recorded', () => {
  expect(names.toSorted()).toEqual(Object.keys(recordedRuns).toSorted())
})

describe.each(names)('a recording of version 1, %s,', (name) => {
  const file = `${folder}${name}.jsonl`
  const agent = recordedRuns[name]?.()

  test('is replayed with its agent, with and without its functions', async () => {
    if (!agent) throw new Error(`there is no run named ${name}`)
    await replayRun(file, { agent })
    await replayRun(file, { agent, tools: 'run' })
  })

  test('is replayed without its agent, or asks for it', async () => {
    const replayed = replayRun(file)
    if (!withTheirAgentOnly.includes(name)) await replayed
    else await expect(replayed).rejects.toThrow(/Pass its agent, as in replayRun\(file, \{ agent \}\)/)
  })

  test('has the same explanation', () => {
    expect(`${explain(file)}\n`).toBe(readFileSync(`${folder}${name}.txt`, 'utf8'))
  })
})
