// Kills a process that writes sessions, again and again at random moments, and looks after each kill whether what it
// had acknowledged is there, whole and valid: node --conditions=development --import=tsx <this file> [kills]
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { folderSessions } from '@capstan/core/node'
import { build } from 'vite'
import { strictConversation } from '../run-control/strict-conversation.js'
import { startProgram } from './start-program.js'
import { turnAt, turnsUpTo } from './turn-at.js'

export interface Proof {
  readonly kills: number
  /** Appends that were acknowledged before a kill. */
  readonly acknowledged: number
  /** Kills in the middle of a write: lines that were cut off. */
  readonly cut: number
}

/** @throws what did not hold */
export async function proveKills(kills: number): Promise<Proof> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-kills-'))
  try {
    const writer = await bundle(join(folder, 'writer'))
    const sessions = join(folder, 'sessions')
    let acknowledged = 0
    for (let kill = 0; kill < kills; kill++) {
      acknowledged += await killOnce(writer, sessions, `session ${Math.floor(kill / 5)}`)
    }
    return { kills, acknowledged, cut: await countCut(sessions) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The writer as one file: from source, starting it takes longer than all the rest. */
async function bundle(outDir: string): Promise<string> {
  const resolve = { conditions: ['development'] }
  const entry = fileURLToPath(new URL('keep-appending.ts', import.meta.url))
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve,
    ssr: { noExternal: true, resolve },
    build: { ssr: entry, outDir, rollupOptions: { output: { entryFileNames: 'writer.mjs' } } },
  })
  return join(outDir, 'writer.mjs')
}

/** How many appends were acknowledged by the writer before it was killed. */
async function killOnce(file: string, folder: string, id: string): Promise<number> {
  const writer = startProgram([file, folder, id])
  const before = Number(await writer.hear())
  await pause(Math.random() * 60)
  await writer.kill()
  let told = before
  for (let line = await writer.hear(); line !== undefined; line = await writer.hear()) told = Number(line)

  const sessions = folderSessions(folder)
  const { version, messages } = await sessions.load(id)
  assert.ok(version >= told, `version ${told} was acknowledged, and ${version} is there`)
  assert.deepEqual(messages, turnsUpTo(version))
  if (version > 0) assert.deepEqual(strictConversation(messages, { isRequest: false }), [])
  // It can be gone on with at once, behind a line that was cut off too.
  assert.equal(await sessions.append(id, turnAt(version), version), version + 4)
  assert.deepEqual((await sessions.load(id)).messages, turnsUpTo(version + 4))
  return (told - before) / 4
}

async function countCut(folder: string): Promise<number> {
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => text.split('\n')).filter((line) => line !== '' && !line.endsWith(']}'))
    .length
}

async function main([kills = '200']: readonly string[]): Promise<void> {
  const start = performance.now()
  const proof = await proveKills(Number(kills))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(
    `sessions: ${proof.kills} kills, ${proof.cut} of them in the middle of a line; ${proof.acknowledged} acknowledged appends, none lost; every history valid; ${seconds} s`,
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2))
