// Files that a run appends to.

import { closeSync, existsSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { fileMode } from '../store/run-folder.js'

/** A file that only grows. It is written at once, so that a process that ends loses nothing. */
export class KeptFile {
  readonly #path: string
  #file: number | undefined
  #size = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Appends, and returns the place of the bytes in the file. @throws the error of the file system */
  append(bytes: Uint8Array): { readonly offset: number; readonly length: number } {
    if (this.#file === undefined) {
      this.#file = openSync(this.#path, 'a', fileMode)
      this.#size = fstatSync(this.#file).size
    }
    const offset = this.#size
    let done = 0
    while (done < bytes.byteLength) done += writeSync(this.#file, bytes, done)
    this.#size += bytes.byteLength
    return { offset, length: bytes.byteLength }
  }

  appendLine(value: unknown): void {
    this.append(Buffer.from(`${JSON.stringify(value)}\n`))
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** Counts the complete lines of a file, and ends one that was cut off. A missing file has none. */
export function countLines(path: string): number {
  if (!existsSync(path)) return 0
  const text = readFileSync(path, 'utf8')
  if (text !== '' && !text.endsWith('\n')) {
    const file = openSync(path, 'a', fileMode)
    writeSync(file, '\n')
    closeSync(file)
  }
  return text.split('\n').filter((line) => line !== '').length
}
