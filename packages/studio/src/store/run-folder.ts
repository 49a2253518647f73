// The names and permissions of the files in a studio folder, and the mark that distinguishes its own runs from foreign
// ones.

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The permissions of stored files: only the owner can read and write them. */
export const fileMode = 0o600
const folderMode = 0o700

export const runFiles = {
  summary: 'run.json',
  entries: 'events.jsonl',
  exchanges: 'wire.jsonl',
  bytes: 'wire.bin',
  checkpoints: 'checkpoints.jsonl',
} as const

/** Returns the name of a round's recording. Rounds are numbered from 1. */
export function recordingFile(round: number): string {
  return `recording.${round}.jsonl`
}

/** Returns the name of the file for a round's options. The file is missing if the round has no options. */
export function optionsFile(round: number): string {
  return `options.${round}.json`
}

/** Returns the folder inside a studio's folder that contains the runs' folders. */
export function runsFolder(folder: string): string {
  return join(folder, 'runs')
}

export function artifactsFolder(folder: string): string {
  return join(folder, 'artifacts')
}

/** Returns a run's folder. If the id is not a plain name, the id is hashed, so that it cannot lead outside `folder`. */
export function runFolder(folder: string, id: string): string {
  return join(runsFolder(folder), isPlainName(id) ? id : `id-${sha256(id)}`)
}

function isPlainName(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id) && !/^id-|\.$/.test(id)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}

/** Creates a folder that only its owner can access. Creates missing parents too. */
export function createFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: folderMode })
}

/** Replaces a file atomically, so that readers see either the old text or the new text. */
export function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.part`
  try {
    writeFileSync(unfinished, text, { mode: fileMode })
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Creates a studio's folder, with its key and with a `.gitignore` that excludes it from Git. */
export function createStudioFolder(folder: string): void {
  createFolder(runsFolder(folder))
  const parent = dirname(folder)
  const ignore = join(basename(parent) === '.capstan' ? parent : folder, '.gitignore')
  if (!existsSync(ignore)) replaceFile(ignore, '*\n')
  createOriginKey(join(folder, originKey))
}

/**
 * The file that contains the key for computing the marks of runs. Runs that were copied from elsewhere cannot have such
 * a mark.
 */
const originKey = 'origin.key'

function createOriginKey(path: string): void {
  if (existsSync(path)) return
  try {
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: fileMode, flag: 'wx' })
  } catch (error) {
    // Another process has just created it.
    if (Object(error).code !== 'EEXIST') throw error
  }
}

/**
 * Reads a studio folder's key. Returns a function that returns the mark of a run in this folder, or undefined if there
 * is no key. Runs that were copied from elsewhere have a different mark or none.
 */
export function originsOf(folder: string): (runFolder: string) => string | undefined {
  try {
    const key = readFileSync(join(folder, originKey), 'utf8')
    return (runFolder) => createHmac('sha256', key).update(basename(runFolder)).digest('hex')
  } catch {
    return () => undefined
  }
}

/**
 * Returns `.capstan/studio` next to the nearest `package.json`, searched in `from` and above. If there is none, returns
 * it in `from`.
 */
export function studioFolder(from: string = process.cwd()): string {
  let folder = from
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) return join(from, '.capstan', 'studio')
    folder = parent
  }
  return join(folder, '.capstan', 'studio')
}
