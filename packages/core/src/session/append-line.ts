import type { FileHandle } from 'node:fs/promises'
import { type Addition, checkVersion } from './addition.js'
import { bytesFrom, openToAppend } from './session-file.js'
import { toLine } from './session-line.js'
import { parseLog, readable } from './session-log.js'

/**
 * Adds a line to a session's file, on disk when this returns. @throws CapstanError `conflict` when the session has
 * another version, or another writer's line came first
 */
export async function appendLine(path: string, addition: Addition): Promise<void> {
  for (;;) {
    const file = await openToAppend(path, addition.at === 0 && addition.count > 0)
    if (!file) return checkVersion(addition, 0)
    try {
      if (await tryAppend(path, file, addition)) return
    } finally {
      await file.close()
    }
  }
}

/** False when the line was lost though nobody's came first: then it can be written again. */
async function tryAppend(path: string, file: FileHandle, addition: Addition): Promise<boolean> {
  const { id, by } = addition
  const bytes = await bytesFrom(file, 0)
  const before = readable(path, id, parseLog(bytes, id))
  checkVersion(addition, before.version)
  if (addition.count === 0) return true
  // What was cut off must neither swallow this line nor become whole by its line end, should nothing else be missing.
  const start = before.end === bytes.length ? '' : ' (cut off)\n'
  // One write: lines of several writers then stand one behind the other, never in each other.
  await file.write(Buffer.from(`${start}${toLine(addition)}\n`))
  await file.sync()
  const after = parseLog(await bytesFrom(file, before.end), id, before.version)
  if (after.taken.some((line) => line.by === by)) return true
  // With no other line either, this one met one that was cut off since the file was read, or is cut off itself.
  checkVersion(addition, after.version)
  return false
}
