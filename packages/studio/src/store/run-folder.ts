// Names and modes of the files in a folder of runs, and the mark of those that were kept there.

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The mode of stored files: only the owner can read and write them. */
export const fileMode = 0o600
const folderMode = 0o700

export const runFiles = {
  summary: 'run.json',
  entries: 'events.jsonl',
  exchanges: 'wire.jsonl',
  bytes: 'wire.bin',
  checkpoints: 'checkpoints.jsonl',
} as const

/** Returns the name of a round's recording. Rounds count from 1. */
export function recordingFile(round: number): string {
  return `recording.${round}.jsonl`
}

/** Returns the name of the file with a round's options. A round without options has no such file. */
export function optionsFile(round: number): string {
  return `options.${round}.json`
}

/** Returns the folder for runs in a studio's folder. */
export function runsFolder(folder: string): string {
  return join(folder, 'runs')
}

export function artifactsFolder(folder: string): string {
  return join(folder, 'artifacts')
}

/** Returns the folder of a run. An id that is not a plain name becomes a hash, so that it cannot lead outside. */
export function runFolder(folder: string, id: string): string {
  return join(runsFolder(folder), isPlainName(id) ? id : `id-${sha256(id)}`)
}

function isPlainName(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id) && !/^id-|\.$/.test(id)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}

/** Creates a folder that only the owner can access, and its parents. */
export function createFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: folderMode })
}

/** Replaces a file atomically. Readers see the old text or the new one. */
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

/** Creates the folders of a studio and its runs. A `.gitignore` in `.capstan` keeps them out of repositories. */
export function createStudioFolder(folder: string): void {
  createFolder(runsFolder(folder))
  const parent = dirname(folder)
  const ignore = join(basename(parent) === '.capstan' ? parent : folder, '.gitignore')
  if (!existsSync(ignore)) replaceFile(ignore, '*\n')
  createOriginKey(join(folder, originKey))
}

/** The file with the key for run marks. No run contains it, so runs from elsewhere have other marks. */
const originKey = 'origin.key'

function createOriginKey(path: string): void {
  if (existsSync(path)) return
  try {
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: fileMode, flag: 'wx' })
  } catch (error) {
    // Another process was first.
    if (Object(error).code !== 'EEXIST') throw error
  }
}

/**
 * Reads the key of a studio's folder once. Returns a function that returns the mark for a run's folder; undefined
 * without a key. Runs from elsewhere have a different mark, or none.
 */
export function originsOf(folder: string): (runFolder: string) => string | undefined {
  try {
    const key = readFileSync(join(folder, originKey), 'utf8')
    return (runFolder) => createHmac('sha256', key).update(basename(runFolder)).digest('hex')
  } catch {
    return () => undefined
  }
}

/** Returns a project's studio folder: next to the nearest `package.json` above `from`. */
export function studioFolder(from: string = process.cwd()): string {
  let folder = from
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) return join(from, '.capstan', 'studio')
    folder = parent
  }
  return join(folder, '.capstan', 'studio')
}
