// Writes to stores, and prints one line for each acknowledged write. Its arguments are the place of the stores as JSON, a
// job, the name of this writer, and how often it repeats the job.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isCapstanError } from '@capstan/core'
import { entryOf } from './entry-of.js'
import { type Place, type Stores, storesOf } from './stores-of.js'

const jobs: Readonly<Record<string, (stores: Stores, name: string, times: number) => Promise<void>>> = {
  /** Uses new stores for the first time when it receives a line. */
  async start({ runs, sessions }, name) {
    say('ready')
    for await (const _line of createInterface({ input: process.stdin })) break
    await Promise.all([
      runs.put(`run of ${name}`, entryOf(name), 0),
      sessions.append(`session of ${name}`, [{ role: 'user', content: name }], 0),
    ])
    say('stored')
  },
  /** Adds events and messages to one run and one session and uses up one budget, while other writers do the same. */
  async append({ runs, sessions, ledger }, name, times) {
    for (let count = 0; count < times; count++) {
      await untilFits(async () => {
        const seq = (await runs.read('shared', -1)).length
        await runs.append('shared', [{ seq, by: name, count }], seq - 1)
        say(`event ${seq}`)
      })
      await untilFits(async () => {
        const { version } = await sessions.load('shared')
        say(`message ${(await sessions.append('shared', [{ role: 'user', content: name }], version)) - 1}`)
      })
    }
    const budget = { account: 'shared', limits: { images: 3 * times }, amounts: { images: 1 } }
    const per = 1_000_000_000_000
    for (let at = 0; ; at++) {
      const answer = await ledger.reserve({ id: `${name} ${at}`, ...budget, per, reserveMs: 60_000 })
      if (!answer.granted) break
      say(`image of ${name} ${at}`)
    }
  },
  /** Puts a run, adds events to it and messages to a session, until it is killed. */
  async put({ runs, sessions }, name) {
    let version = (await runs.get(name))?.version ?? 0
    let messages = (await sessions.load(name)).version
    let events = (await runs.read(name, -1, 1000)).length
    say(`${version} ${events} ${messages}`)
    for (;;) {
      version = await runs.put(name, entryOf(name, version), version)
      await runs.append(name, [{ seq: events, of: name }], events - 1)
      events++
      messages = await sessions.append(name, [{ role: 'user', content: `${messages}` }], messages)
      say(`${version} ${events} ${messages}`)
    }
  },
}

/** Retries work if another writer was first. */
async function untilFits(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isCapstanError(error) || error.code !== 'conflict') throw error
    }
  }
}

/** Written immediately, because a killed process no longer sends what it has buffered. */
function say(line: string): void {
  writeSync(1, `${line}\n`)
}

async function main([place = '', job = '', name = '', times = '0']: readonly string[]): Promise<void> {
  const stores = storesOf(JSON.parse(place) as Place)
  await jobs[job]?.(stores, name, Number(times))
  await stores.close()
}

main(process.argv.slice(2))
