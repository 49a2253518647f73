// The files to which a run in progress appends.

import { closeSync, existsSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { fileMode } from '../store/run-folder.js'

/** Called when a run's files have been written, or could not be written. */
export interface KeptFilesListener {
  onFlushed(): void
  onError(error: unknown): void
}

/**
 * The files of one run. Appended data is written after a short delay, together with other new data, and at the latest
 * when the process exits. Call `flush` to write immediately: before code that can block, and after each state from
 * which the run can continue.
 */
export class KeptFiles {
  readonly #listener: KeptFilesListener
  /** The files, in the order in which they are written. A file can refer to data in the files before it. */
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

  /** Closes the files. Data that has not been flushed is lost. */
  close(): void {
    this.#stopWaiting()
    for (const file of this.#files) file.close()
  }
}

/** The interval between two writes, in milliseconds. It is shorter than the interval at which a page is updated. */
const flushMs = 20

/** The runs whose files have unwritten data. */
const waiting = new Set<KeptFiles>()
let isListening = false

function listenForExit(): void {
  if (isListening) return
  isListening = true
  process.on('exit', () => {
    for (const files of waiting) files.flush()
  })
}

/** A file that is only ever appended to. */
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

  /**
   * Queues bytes to append, and returns their position in the file. @throws the system's error if the file cannot be
   * opened
   */
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

/**
 * Counts a file's lines. Returns 0 if the file is missing. If a crash has cut off the last line, ends that line with a
 * line break.
 */
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
