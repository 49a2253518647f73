import { CapstanError, messageOf } from '../words/error.js'
import { fileSystem, folderOf } from './file-system.js'
import { head, type Line } from './lines.js'
import { comparePlaces, isOutermost } from './place.js'

/**
 * A file of lines in the order of their places. What happens side by side waits until all of it has happened: then it
 * is written in call order, whichever was first. The file begins anew with the first line.
 */
export class LineFile {
  readonly #path: string
  readonly #waiting = new Map<number, Line[]>()
  #hasBegun = false

  constructor(path: string) {
    this.#path = path
  }

  add(line: Line): void {
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
      this.#waiting.delete(one)
      this.#write(lines.toSorted((a, b) => comparePlaces(a.at, b.at)))
    }
  }

  #write(lines: readonly Line[]): void {
    const text = [...(this.#hasBegun ? [] : [head]), ...lines].map((line) => `${JSON.stringify(line)}\n`)
    const { appendFileSync, mkdirSync, writeFileSync } = fileSystem()
    try {
      if (this.#hasBegun) appendFileSync(this.#path, text.join(''))
      else {
        mkdirSync(folderOf(this.#path), { recursive: true })
        writeFileSync(this.#path, text.join(''))
      }
    } catch (error) {
      throw new CapstanError('invalid_request', `Cannot record into "${this.#path}": ${messageOf(error)}`, {
        cause: error,
      })
    }
    this.#hasBegun = true
  }
}
