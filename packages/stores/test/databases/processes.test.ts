import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { type Program, startProgram } from '../../../core/test/sessions/start-program.js'
import { test as postgresTest, usePostgres } from '../../../durable/test/postgres.js'
import { entryOf } from '../entry-of.js'
import { type Place, type Stores, storesOf } from '../stores-of.js'

const root = await mkdtemp(join(tmpdir(), 'capstan-stores-'))
afterAll(() => rm(root, { recursive: true }))
const { url } = usePostgres()
const script = fileURLToPath(new URL('../writer.ts', import.meta.url))

let count = 0
const databases: readonly (readonly [string, typeof postgresTest, () => Place])[] = [
  ['SQLite', test, () => ({ file: join(root, `${count++}.db`) })],
  ['PostgreSQL', postgresTest, () => ({ url, schema: `s${count++}` })],
]

for (const [name, testOn, newPlace] of databases) {
  testOn(`processes that use an empty ${name} at the same moment all store`, async () => {
    const place = newPlace()
    const names = Array.from({ length: cases(10, 3) }, (_, index) => `${index}`)
    const writers = names.map((writer) => start(place, 'start', writer))
    for (const writer of writers) expect(await writer.hear()).toBe('ready')
    for (const writer of writers) writer.say('go\n')
    expect(await Promise.all(writers.map((writer) => writer.hear()))).toEqual(names.map(() => 'stored'))
    const { runs, sessions } = open(place)
    const owners = (await runs.list({ limit: 100 })).runs.map(({ entry }) => entry.owner)
    expect(owners.sort()).toEqual(names)
    expect((await sessions.list()).map(({ id }) => id).sort()).toEqual(
      names.map((writer) => `session of ${writer}`),
    )
  })

  testOn(
    `of four processes that write to one run and one session in ${name}, one wins each place`,
    async () => {
      const place = newPlace()
      const times = cases(25, 8)
      const { runs, sessions } = open(place)
      await runs.put('shared', entryOf('ada'), 0)
      const writers = ['a', 'b', 'c', 'd'].map((writer) => start(place, 'append', writer, times))
      const told = await Promise.all(writers.map(linesOf))
      expect(told.flat().filter((line) => line.startsWith('image')).length).toBe(3 * times)
      const byPlace = Object.fromEntries(told.flatMap((lines, at) => lines.map((line) => [line, 'abcd'[at]])))
      const events = await runs.read('shared', -1)
      expect(events.map(({ by }) => by)).toEqual(events.map((_, seq) => byPlace[`event ${seq}`]))
      const { version, messages } = await sessions.load('shared')
      expect([events.length, version]).toEqual([4 * times, 4 * times])
      expect(messages.map(({ content }) => content)).toEqual(
        messages.map((_, at) => byPlace[`message ${at}`]),
      )
    },
  )

  testOn(
    `a process that is killed while it writes to ${name} loses nothing that it was told is stored`,
    async () => {
      const place = newPlace()
      const { runs, sessions } = open(place)
      for (let kill = 0; kill < cases(12, 2); kill++) {
        const writer = start(place, 'put', 'killed')
        const heard: (string | undefined)[] = []
        // The writer continues while this process is being notified.
        while (heard.length < 5 + 7 * (kill % 5)) heard.push(await writer.hear())
        await writer.kill()
        heard.push(...(await linesOf(writer)))
        const [version = 0, events = 0, messages = 0] = String(heard.at(-1)).split(' ').map(Number)
        const run = await runs.get('killed')
        expect(run?.version).toBeGreaterThanOrEqual(version)
        expect(run?.entry.record).toBe((run?.version ?? 0) - 1)
        const stored = await runs.read('killed', -1, 1000)
        expect(stored.length).toBeGreaterThanOrEqual(events)
        const session = await sessions.load('killed')
        expect(session.version).toBeGreaterThanOrEqual(messages)
        expect(session.messages.map(({ content }) => Number(content))).toEqual(
          session.messages.map((_, at) => at),
        )
        const next = async () => {
          const at = (await runs.get('killed'))?.version ?? 0
          expect(await runs.put('killed', entryOf('killed', at), at)).toBe(at + 1)
        }
        // The database may still store the last change that the process sent. Then there is one more version.
        await next().catch((error) => (error.code === 'conflict' ? next() : Promise.reject(error)))
      }
    },
  )
}

function open(place: Place): Stores {
  const stores = storesOf(place)
  onTestFinished(() => stores.close())
  return stores
}

function start(place: Place, job: string, name: string, times = 0): Program {
  const source = ['--conditions=development', '--import=tsx']
  const program = startProgram([...source, script, JSON.stringify(place), job, name, `${times}`])
  onTestFinished(() => program.kill())
  return program
}

/** Yields the lines that a program writes until it ends. */
async function linesOf(program: Program): Promise<readonly string[]> {
  const lines: string[] = []
  for (let line = await program.hear(); line !== undefined; line = await program.hear()) lines.push(line)
  return lines
}
