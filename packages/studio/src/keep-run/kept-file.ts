// Files that a run appends to.

import { closeSync, existsSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { fileMode } from '../store/run-folder.js'

/** Called when the files of a run were written, or could not be. */
export interface KeptFilesListener {
  onFlushed(): void
  onError(error: unknown): void
}

/**
 * The files of one run. What is appended close together is written together, at the latest when the process exits.
 * `flush` writes at once: before code that may block, and with each state from which a run can continue.
 */
export class KeptFiles {
  readonly #listener: KeptFilesListener
  /** In the order of writing: a file may refer to those before it. */
  readonly #files: KeptFile[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(listener: KeptFilesListener) {
    this.#listener = listener
  }

  open(path: string): KeptFile {
    const file = new KeptFile(path, () => this.#flushSoon())
    this.#files.push(file)
    return file
  }

  #flushSoon(): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => this.flush(), flushMs)
    this.#timer.unref()
    listenForExit()
    waiting.add(this)
  }

  flush(): void {
    if (!this.#timer) return
    this.#stopWaiting()
    try {
      for (const file of this.#files) file.flush()
    } catch (error) {
      this.#listener.onError(error)
      return
    }
    this.#listener.onFlushed()
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    waiting.delete(this)
  }

  /** Closes the files. What was not written is lost. */
  close(): void {
    this.#stopWaiting()
    for (const file of this.#files) file.close()
  }
}

/** Shorter than the pause between two messages to a page. */
const flushMs = 20

/** Files with something to write. */
const waiting = new Set<KeptFiles>()
let isListening = false

function listenForExit(): void {
  if (isListening) return
  isListening = true
  process.on('exit', () => {
    for (const files of waiting) files.flush()
  })
}

/** A file that only grows. */
export class KeptFile {
  readonly #path: string
  readonly #onAppended: () => void
  #file: number | undefined
  #size = 0
  #waiting: Uint8Array[] = []

  constructor(path: string, onAppended: () => void) {
    this.#path = path
    this.#onAppended = onAppended
  }

  /** Appends, and returns the place of the bytes in the file. @throws the error of the file system */
  append(bytes: Uint8Array): { readonly offset: number; readonly length: number } {
    if (this.#file === undefined) {
      this.#file = openSync(this.#path, 'a', fileMode)
      this.#size = fstatSync(this.#file).size
    }
    const offset = this.#size
    this.#waiting.push(bytes)
    this.#size += bytes.byteLength
    this.#onAppended()
    return { offset, length: bytes.byteLength }
  }

  appendLine(value: unknown): void {
    this.append(Buffer.from(`${JSON.stringify(value)}\n`))
  }

  flush(): void {
    const [first, ...more] = this.#waiting
    this.#waiting = []
    if (this.#file === undefined || first === undefined) return
    const bytes = more.length === 0 ? first : Buffer.concat([first, ...more])
    let done = 0
    while (done < bytes.byteLength) done += writeSync(this.#file, bytes, done)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#waiting = []
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
