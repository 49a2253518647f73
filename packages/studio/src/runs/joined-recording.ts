import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord, tryJson } from '@capstan/core/internal'

/** Joins the recordings of a run's rounds into one recording, which contains each round as a run. */
export function joinRecordings(files: readonly string[]): string {
  const lines: string[] = []
  let first = 0
  for (const file of files) {
    const [head = '', ...rest] = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    if (lines.length === 0) lines.push(head)
    let last = -1
    for (const line of rest) {
      const value = tryJson(line)
      // If the process was killed, the last line can be cut off.
      if (!isRecord(value) || typeof value.run !== 'number') continue
      last = Math.max(last, value.run)
      lines.push(JSON.stringify({ ...value, run: first + value.run }))
    }
    first += last + 1
  }
  return `${lines.join('\n')}\n`
}

/** Joins recordings into a temporary file, calls `use` with the file's path, and removes the file afterwards. */
export async function withJoinedRecording<T>(
  files: readonly string[],
  use: (path: string) => T | Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-recording-'))
  try {
    const path = join(folder, 'run.recording.jsonl')
    await writeFile(path, joinRecordings(files), { mode: 0o600 })
    return await use(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
