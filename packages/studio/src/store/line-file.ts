// Reads JSON Lines files to which another process may be appending.

import { open, readFile, stat } from 'node:fs/promises'
import { tryJson } from '@capstan/core/internal'

/** Reads a file's lines. Skips lines that are incomplete or damaged. Returns an empty array if the file is missing. */
export async function readLines<Line>(path: string): Promise<Line[]> {
  const text = await readFile(path, 'utf8').catch(absent)
  return text === undefined ? [] : toLines(text)
}

function toLines<Line>(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    const value = line === '' ? undefined : tryJson(line)
    return typeof value === 'object' && value !== null ? [value as Line] : []
  })
}

/** Reads a file that is being appended to. Returns each line once. */
export class GrowingFile<Line> {
  readonly #path: string
  #offset = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Returns the lines that have been completed since the last call. If the file has become shorter, starts over. */
  async read(): Promise<Line[]> {
    const size = (await stat(this.#path).catch(absent))?.size ?? 0
    if (size < this.#offset) this.#offset = 0
    if (size === this.#offset) return []
    const bytes = await readRange(this.#path, this.#offset, size - this.#offset)
    const end = bytes.lastIndexOf(0x0a) + 1
    this.#offset += end
    return toLines(bytes.subarray(0, end).toString('utf8'))
  }
}

/** Reads `length` bytes of a file, or fewer if the file ends earlier. */
export async function readRange(path: string, offset: number, length: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const into = Buffer.alloc(length)
    let done = 0
    while (done < length) {
      const { bytesRead } = await file.read(into, done, length - done, offset + done)
      if (bytesRead === 0) break
      done += bytesRead
    }
    return into.subarray(0, done)
  } finally {
    await file.close()
  }
}

/** A handler for `catch`. Returns undefined if a file or folder is missing, and rethrows all other errors. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}
