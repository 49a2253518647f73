import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { folderRunStore } from '@capstan/stores/node'
import { build } from 'vite'
import { allEvents, entryAfter, eventAt, writersOf } from './written-run.js'

export interface Proof {
  /** Writes that were acknowledged before a kill. */
  readonly acknowledged: number
  /** The number of event lines that were cut off. */
  readonly cut: number
}

/**
 * Stops and kills two processes that write one run, again and again at random moments, and looks whether what they had
 * acknowledged is there. @throws what did not hold
 */
export async function proveKills(kills: number): Promise<Proof> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-kills-'))
  try {
    const writer = await bundle(join(folder, 'writer'))
    const runs = join(folder, 'runs')
    let acknowledged = 0
    for (let kill = 0; kill < kills; kill += 2)
      acknowledged += await killTwo(writer, runs, { runId: `run ${Math.floor(kill / 10)}`, kill })
    return { acknowledged, cut: await countCut(join(runs, 'runs')) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The writer, bundled into one file. From source, it would take longer to start than everything else. */
async function bundle(outDir: string): Promise<string> {
  const resolve = { conditions: ['development'] }
  const entry = fileURLToPath(new URL('keep-writing.ts', import.meta.url))
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve,
    ssr: { noExternal: true, resolve },
    build: {
      ssr: entry,
      outDir,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'writer.mjs' } },
    },
  })
  return join(outDir, 'writer.mjs')
}

interface Target {
  readonly runId: string
  readonly kill: number
}

/** Returns the number of writes that were acknowledged. */
async function killTwo(file: string, folder: string, { runId, kill }: Target): Promise<number> {
  const names = [`writer ${kill}`, `writer ${kill + 1}`]
  const writers = names.map((name) => startWriter([file, folder, runId, name]))
  await Promise.all(writers.map(({ ready }) => ready))
  // One writer is suspended in the middle of its work, and continues when the other has made progress.
  await writers[0]?.stopFor(Math.random() * 100)
  const told = await Promise.all(writers.map(({ kill }) => kill(Math.random() * 100)))

  const store = folderRunStore(folder)
  const found = await store.get(runId)
  const events = await allEvents(store, runId)
  const versions = writersOf(found?.entry)
  assert.equal(found?.version ?? 0, versions.length)
  for (const [seq, event] of events.entries()) assert.deepEqual(event, eventAt(seq, String(event.by)))
  for (const [at, lines] of told.entries())
    for (const line of lines) {
      const [what, of = '', ...more] = line.split(' ')
      const name = names[at] ?? ''
      if (what === 'put') assert.equal(versions[Number(of) - 1], name, line)
      if (what === 'event') assert.equal(events[Number(of)]?.by, name, line)
      if (what === 'key') assert.equal(await store.find([of, ...more].join(' ')), name, line)
    }
  // The run can be continued, even after a line that was cut off.
  const version = await store.put(runId, entryAfter(found?.entry, 'parent'), versions.length)
  await store.append(runId, [eventAt(events.length, 'parent')], events.length - 1)
  assert.deepEqual(await store.read(runId, events.length - 1), [eventAt(events.length, 'parent')])
  const listed = (await store.list({ limit: 1000 })).runs.find((run) => run.runId === runId)
  assert.equal(listed?.version, version)
  return told.flat().length
}

function startWriter(args: readonly string[]) {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const written = text(child.stdout)
  const ready = once(child.stdout, 'data')
  const ended = once(child, 'exit')
  return {
    ready,
    async stopFor(ms: number): Promise<void> {
      await pause(Math.random() * 50)
      child.kill('SIGSTOP')
      await pause(ms)
      child.kill('SIGCONT')
    },
    /** Kills the process after a pause. Returns the complete lines that it wrote after the first. */
    async kill(afterMs: number): Promise<readonly string[]> {
      await pause(afterMs)
      assert.equal(child.exitCode, null, 'the writer ended by itself')
      child.kill('SIGKILL')
      await ended
      return (await written).split('\n').slice(1, -1)
    },
  }
}

async function countCut(runs: string): Promise<number> {
  const logs = (await readdir(runs)).map((name) => join(runs, name, 'events.jsonl'))
  const texts = await Promise.all(logs.map((log) => readFile(log, 'utf8')))
  return texts.flatMap((all) => all.split('\n')).filter((line) => line.endsWith('(cut off)')).length
}
