import { CapstanError } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import { fileSystem, folderOf } from './file-system.js'
import { head, type Line } from './lines.js'
import { comparePlaces, isOutermost } from './place.js'

/** The files that are written at this time. Two who begin the same one anew would lose what each other wrote. */
const open = new Set<string>()

/**
 * A file of lines in the order of their places. What happens side by side waits until all of it has happened: then it
 * is written in call order, whichever was first. The file begins anew with the first line.
 * @throws CapstanError `conflict` for a file that somebody in this process writes already
 */
export class LineFile {
  readonly #path: string
  readonly #waiting = new Map<number, Line[]>()
  #hasBegun = false
  #isClosed = false

  constructor(path: string) {
    this.#path = absolute(path)
    if (open.has(this.#path)) throw taken(path)
    open.add(this.#path)
  }

  add(line: Line): void {
    if (this.#isClosed) throw closed(this.#path)
    const waiting = this.#waiting.get(line.run) ?? []
    waiting.push(line)
    this.#waiting.set(line.run, waiting)
    // Nothing that belongs before an answer to the run itself can still come.
    if ('end' in line || (('reply' in line || 'failure' in line) && isOutermost(line.at)))
      this.flush(line.run)
  }

  /** Writes what waits. */
  flush(run?: number): void {
    const runs = run === undefined ? [...this.#waiting.keys()] : [run]
    for (const one of runs) {
      const lines = this.#waiting.get(one) ?? []
      this.#write(lines.toSorted((a, b) => comparePlaces(a.at, b.at)))
      this.#waiting.delete(one)
    }
  }

  /** Writes what waits, and lets others write the file. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    open.delete(this.#path)
    this.flush()
  }

  #write(lines: readonly Line[]): void {
    const text = [...(this.#hasBegun ? [] : [head]), ...lines].map((line) => `${JSON.stringify(line)}\n`)
    const { appendFileSync, mkdirSync, writeFileSync } = fileSystem()
    try {
      if (this.#hasBegun) appendFileSync(this.#path, text.join(''))
      else {
        mkdirSync(folderOf(this.#path), { recursive: true, mode: 0o700 })
        writeFileSync(this.#path, text.join(''), { mode: 0o600 })
      }
    } catch (error) {
      throw new CapstanError('invalid_request', `Cannot record into "${this.#path}": ${messageOf(error)}`, {
        cause: error,
      })
    }
    this.#hasBegun = true
  }
}

function taken(file: string): CapstanError {
  const message = `"${file}" is recorded into already. Record several runs by the same options (const recording = recordRun(file)), or dispose of those options first: then the file begins anew.`
  return new CapstanError('conflict', message, { evidence: { file } })
}

function closed(file: string): CapstanError {
  const message = `The recorder of "${file}" was disposed of, and what happens now is not in the file. Dispose of it after its runs.`
  return new CapstanError('invalid_state', message, { evidence: { file } })
}

/** The same path, however it is written. @throws CapstanError `unsupported` where there are no files */
function absolute(path: string): string {
  fileSystem()
  return globalThis.process.getBuiltinModule('node:path').resolve(path)
}
