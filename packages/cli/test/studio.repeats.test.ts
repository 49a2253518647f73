import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { agentSource } from './studio-agents.js'
import { studioFiles, testStudio } from './studio-client.js'

async function openStudio() {
  const folder = await studioFiles({ 'agent.ts': agentSource(), 'package.json': '{ "type": "module" }' })
  const studio = await testStudio(folder)
  await studio.loaded()
  const check = (id: string) => studio.post(`/api/runs/${id}/check`)
  const decide = async (id: string, decision: object) => {
    const [call] = await studio.inbox()
    await studio.post(`/api/runs/${id}/decisions`, { decisions: { [call?.call.callId ?? '']: decision } })
    return studio.ended(id)
  }
  return { ...studio, folder, check, decide }
}

const own = { settings: { temperature: 0.5 }, limits: { steps: 4 }, instructions: 'Answer in "short" words.' }

test('a check repeats a run with its own settings, limits and instructions', async () => {
  const { run, check } = await openStudio()
  const { id } = await run({ input: 'call get_weather {"city":"Oslo"}', ...own })
  expect(await check(id)).toEqual({ same: true })
})

test('a run that asks before effects asks in each of its rounds, and is repeated so', async () => {
  const { run, check, decide } = await openStudio()
  const { id, status } = await run({ input: 'call pay {"amount":1}', effects: 'ask', ...own })
  expect(status).toBe('pending')
  expect(await decide(id, { type: 'approve' })).toMatchObject({ rounds: 2, stopReason: 'done' })
  expect(await check(id)).toEqual({ same: true })
})

slowTest('a fork keeps the settings of its run, and changes what it is told to', async () => {
  const { run, data } = await openStudio()
  const { id } = await run({ input: 'One', ...own })
  const requestOf = (fork: string) => readFile(join(data, 'runs', fork, 'recording.1.jsonl'), 'utf8')
  const same = await run({ fork: { run: id, checkpoint: 0 } })
  expect(await requestOf(same.id)).toContain('short')
  const other = await run({ fork: { run: id, checkpoint: 0 }, instructions: 'Answer at length.' })
  expect(await requestOf(other.id)).not.toContain('short')
})

slowTest('a limit that a later round raised counts for that round', async () => {
  const { run, check, post, ended } = await openStudio()
  const { id, limit } = await run({ input: 'call get_weather {"city":"Oslo"}', limits: { steps: 1 } })
  expect(limit).toBe('steps')
  await post(`/api/runs/${id}/resume`, { limits: { steps: 5 } })
  expect(await ended(id)).toMatchObject({ rounds: 2, stopReason: 'done' })
  expect(await check(id)).toEqual({ same: true })
})

// Each vitest run is a separate process.
const slow = { timeout: 300_000 }

slowTest(
  'exported tests pass with the options of their runs, and fail with a difference after a change',
  slow,
  async () => {
    const { run, decide, post, folder } = await openStudio()
    const asked = await run({ input: 'call pay {"amount":1}', effects: 'ask', ...own })
    await decide(asked.id, { type: 'approve' })
    const plain = await run({ input: 'call get_weather {"city":"Rome"}', ...own })
    await post(`/api/runs/${asked.id}/test`, { style: 'replay', path: 'asked.test.ts' })
    await post(`/api/runs/${plain.id}/test`, { style: 'replay', path: 'plain.test.ts' })
    await post(`/api/runs/${plain.id}/test`, { style: 'script', path: 'script.test.ts' })
    expect(await runTests(folder)).toMatch(/Tests +3 passed/)
    const agent = join(folder, 'agent.ts')
    const changed = (await readFile(agent, 'utf8')).replace('Current weather', 'The weather')
    await writeFile(agent, changed)
    const output = await runTests(folder, 'plain')
    expect(output).toMatch(/Tests +1 failed/)
    expect(output).toMatch(/[-+].*The weather in a city/)
  },
)

/** Runs a folder's tests as a user would, and returns the output. */
async function runTests(folder: string, filter?: string): Promise<string> {
  const config = `import { defaultClientConditions as client, defaultServerConditions as server } from 'vite'
    const conditions = (known) => ({ resolve: { conditions: ['development', ...known] } })
    const deps = { external: process.env.CAPSTAN_BUNDLES ? [/\\/packages\\/\\w+\\/src\\//] : [] }
    const test = { include: ['*.test.ts'], server: { deps } }
    export default { test, ...conditions(client), ssr: conditions(server) }`
  await writeFile(join(folder, 'vitest.config.mjs'), config)
  const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
  // The environment of this test process is not passed on, except the setting that selects built packages.
  const { PATH, CAPSTAN_BUNDLES, NODE_OPTIONS } = process.env
  const env = { PATH, HOME: folder, ...(CAPSTAN_BUNDLES && { CAPSTAN_BUNDLES, NODE_OPTIONS }) }
  const run = promisify(execFile)(
    process.execPath,
    [vitest, 'run', '--no-color', ...(filter ? [filter] : [])],
    { cwd: folder, env },
  )
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error)
  return stdout + stderr
}
