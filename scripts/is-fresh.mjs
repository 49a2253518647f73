import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a built file exists and is newer than each of its sources: files, or folders with all their files. */
export function isFresh(built, sources) {
  const builtAt = timeOf(built)
  return builtAt !== undefined && sources.every((source) => newestIn(source) < builtAt)
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

function newestIn(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  // A missing source may have been renamed.
  if (!stat) return Infinity
  if (!stat.isDirectory()) return stat.mtimeMs
  // The time of a folder changes when a file in it is removed.
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))))
}
