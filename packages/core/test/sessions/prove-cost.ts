// Measures the CPU of a first turn in a folder of sessions, and of the list of ten thousand sessions. Exits with 1 when
// the least of some rounds is too high: node --conditions=development --import=tsx <this file> [sessions]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderSessions } from '@capstan/core/node'
import { turnAt } from './turn-at.js'

const most = { turnMs: 1, listMs: 2000 }

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function main([count = '10000']: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-cost-'))
  try {
    const sessions = folderSessions(folder)
    const number = Number(count)
    const perRound = Math.ceil(number / 20)
    const turns: number[] = []
    for (let at = 0; at < number; at += perRound) {
      const cpu = await cpuOf(async () => {
        for (let one = at; one < at + perRound; one++) {
          const { version } = await sessions.load(`session ${one}`)
          await sessions.append(`session ${one}`, turnAt(0), version)
        }
      })
      turns.push(cpu / perRound)
    }
    const lists: number[] = []
    for (let round = 0; round < 3; round++) lists.push(await cpuOf(() => sessions.list()))
    const [turnMs, listMs] = [Math.min(...turns), Math.min(...lists)]
    const { length } = await sessions.list()
    console.log(
      `sessions in a folder: a first turn takes ${turnMs.toFixed(2)} ms of CPU, the list of ${length} sessions ${listMs.toFixed(0)} ms`,
    )
    process.exitCode = turnMs < most.turnMs && listMs < most.listMs ? 0 : 1
  } finally {
    await rm(folder, { recursive: true })
  }
}

await main(process.argv.slice(2))
