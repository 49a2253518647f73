import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderSessions } from '@capstan/core/node'
import { expect, test } from 'vitest'
import { proveKills } from './prove-kills.js'
import { startProgram } from './start-program.js'

const fromSource = ['--conditions=development', '--import=tsx']
const program = fileURLToPath(new URL('append-in-rounds.ts', import.meta.url))

test('a writer killed 15 times at random moments loses nothing it acknowledged', async () => {
  const { kills, acknowledged } = await proveKills(15)
  expect(kills).toBe(15)
  expect(acknowledged).toBeGreaterThan(0)
})

test('of two concurrent appends to a session one wins, the other gets a conflict', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-processes-'))
  const names = ['left', 'right']
  const programs = names.map((name) => startProgram([...fromSource, program, folder, name]))
  try {
    for (const program of programs) expect(await program.hear()).toBe('ready')
    for (let round = 0; round < 40; round++) {
      const id = `round-${round % 20}`
      const version = round < 20 ? 0 : 4
      for (const program of programs) program.say(`${id} ${version}\n`)
      const told = await Promise.all(
        programs.map(async (program) => JSON.parse((await program.hear()) ?? '')),
      )
      const winner = names[told.findIndex(({ code }) => code === undefined)]
      const loser = names.find((name) => name !== winner)
      expect(told).toContainEqual({ version: version + 2 })
      const evidence = { id, expectedVersion: version, version: version + 2, messages: 2 }
      expect(told).toContainEqual({ code: 'conflict', evidence, again: version + 4 })
      const added = (await folderSessions(folder).load(id)).messages.slice(version)
      const words = added.map(({ content }) => content)
      expect(words).toEqual([`${winner} one`, `${winner} two`, `${loser} one`, `${loser} two`])
    }
  } finally {
    await Promise.all(programs.map((program) => program.kill()))
    await rm(folder, { recursive: true })
  }
})
