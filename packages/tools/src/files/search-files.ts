import { Worker } from 'node:worker_threads'
import { CapstanError, jsonSchema, tool } from '@capstan/core'
import { toText } from '../folder/content.js'
import type { Folder } from '../folder/folder.js'
import { walk } from '../folder/walk.js'
import { parameters } from '../parameters.js'

const mostMatches = 100
/** The maximum number of matches to count. If there are more, the model gets "at least" and this number. */
const mostCounted = 1000
const maxFileBytes = 5 * 1024 * 1024
const maxBytes = 256 * 1024 * 1024
/** The time limit for a search with a regular expression, in milliseconds. */
const maxMs = 5000

/** Creates the tool `search_files`. Its result contains at most 100 matches. */
export function searchFiles(folder: Folder, settings: { readonly untrusted: boolean }) {
  return tool({
    name: 'search_files',
    description: `Find up to ${mostMatches} lines in text files that contain a string or match a regular expression.`,
    parameters: parameters(
      {
        query: { type: 'string', minLength: 1, maxLength: 1000, description: 'Text to find in a line' },
        regex: {
          type: 'boolean',
          description:
            'Whether the query is a JavaScript regular expression, with the flag "u". Default false',
        },
        ignoreCase: { type: 'boolean', description: 'Whether "a" matches "A". Default false' },
        path: { type: 'string', description: 'Folder or file to search. Default: the entire folder' },
      },
      ['query'],
    ),
    effects: 'read',
    ...settings,
    async execute({ query, regex = false, ignoreCase = false, path = '' }, { signal }): Promise<FileMatches> {
      using matcher = regex ? new PatternMatcher(query, ignoreCase, signal) : textMatcher(query, ignoreCase)
      const matches: FileMatch[] = []
      let [count, left, skipped] = [0, maxBytes, 0]
      for await (const { real, isFolder } of walk(folder, path, { signal })) {
        if (isFolder) continue
        const shown = folder.shown(real)
        const bytes = left > 0 ? await bytesOf(folder, shown) : undefined
        left -= bytes?.byteLength ?? 0
        const text = bytes && toText(bytes)
        if (text === undefined) skipped += 1
        else
          for (const { line, text: found } of await matcher.find(text))
            if (++count <= mostMatches) matches.push({ path: shown, line, text: found })
        if (count > mostCounted) break
      }
      return { matches, more: count - matches.length, skipped }
    },
    toModel({ matches, more, skipped }) {
      const lines = matches.map(({ path, line, text }) => `${path}:${line}: ${text}`)
      if (matches.length === 0) lines.push('No matches.')
      const least = matches.length + more > mostCounted ? 'at least ' : ''
      if (more > 0) lines.push(`[${least}${more} more; narrow the query or the path]`)
      if (skipped > 0) lines.push(`[${skipped} files were not searched: they are not text, or too large]`)
      return lines.join('\n')
    },
  })
}

export interface FileMatches {
  readonly matches: readonly FileMatch[]
  /** How many matches `matches` omits. Counting stops after 1,000 matches. */
  readonly more: number
  /**
   * How many files were not searched because they are not text, are larger than 5 MiB, or came after the first 256 MiB.
   */
  readonly skipped: number
}

export interface FileMatch {
  readonly path: string
  readonly line: number
  /** The line, or if it is long, the part around the match. */
  readonly text: string
}

/** Returns a file's content. Undefined if it is too large, no longer exists or cannot be read. */
async function bytesOf(folder: Folder, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await folder.read(path, maxFileBytes)).bytes
  } catch (error) {
    if (error instanceof CapstanError) return undefined
    throw error
  }
}

type Found = Omit<FileMatch, 'path'>

interface Matcher extends Disposable {
  find(text: string): Promise<readonly Found[]> | readonly Found[]
}

/** How many characters of a line to show before and after the start of a match. */
const around = [80, 160] as const

function textMatcher(query: string, ignoreCase: boolean): Matcher {
  const folded = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const wanted = folded(query)
  return {
    find(text) {
      if (!folded(text).includes(wanted)) return []
      const found: Found[] = []
      for (const [index, line] of text.split('\n').entries()) {
        const at = folded(line).indexOf(wanted)
        if (at === -1) continue
        found.push({
          line: index + 1,
          text: line.slice(Math.max(0, at - around[0]), at + around[1]).trimEnd(),
        })
        if (found.length > mostCounted) break
      }
      return found
    },
    [Symbol.dispose]() {},
  }
}

/**
 * The code that runs in the thread. The only way to stop a regular expression that takes too long is to end its thread.
 */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
const { pattern, flags, before, after, most } = workerData
const expression = new RegExp(pattern, flags)
parentPort.on('message', (text) => {
  const found = []
  for (const [index, line] of text.split('\\n').entries()) {
    const match = expression.exec(line)
    if (!match) continue
    const from = Math.max(0, match.index - before)
    found.push({ line: index + 1, text: line.slice(from, match.index + after).trimEnd() })
    if (found.length > most) break
  }
  parentPort.postMessage(found)
})`

/**
 * Matches lines against the model's regular expression in a separate thread. Ends the thread if the search takes too
 * long.
 */
class PatternMatcher implements Matcher {
  readonly #worker: Worker
  readonly #ended: Promise<never>
  readonly #timer: NodeJS.Timeout
  #end: (reason: unknown) => void = () => {}

  /** @throws CapstanError `invalid_arguments` if the expression is invalid, or could take practically forever */
  constructor(pattern: string, ignoreCase: boolean, signal: AbortSignal) {
    checkPattern(pattern)
    const [before, after] = around
    const workerData = { pattern, flags: ignoreCase ? 'iu' : 'u', before, after, most: mostCounted }
    this.#worker = new Worker(program, { eval: true, workerData, env: {}, execArgv: [] })
    this.#ended = new Promise<never>((_resolve, reject) => {
      this.#end = reject
    })
    this.#ended.catch(() => {})
    const abort = () => this.#end(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#worker.once('error', this.#end)
    this.#worker.once('exit', () => signal.removeEventListener('abort', abort))
    this.#timer = setTimeout(() => this.#end(tooSlow()), maxMs)
  }

  find(text: string): Promise<readonly Found[]> {
    const found = new Promise<readonly Found[]>((resolve) => {
      this.#worker.once('message', resolve)
    })
    this.#worker.postMessage(text)
    return Promise.race([found, this.#ended])
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    void this.#worker.terminate()
  }
}

/**
 * Rejects invalid patterns and patterns with catastrophic backtracking, as `jsonSchema` does for `pattern`.
 * @throws CapstanError `invalid_arguments`
 */
function checkPattern(pattern: string): void {
  try {
    RegExp(pattern, 'u')
    jsonSchema({ type: 'string', pattern })
  } catch (error) {
    const reason =
      error instanceof SyntaxError
        ? `is not valid: ${error.message}`
        : 'can match in too many ways and may never end'
    const message = `The query ${reason}. Use a simpler regular expression, or search for a plain string.`
    throw new CapstanError('invalid_arguments', message)
  }
}

function tooSlow(): CapstanError {
  const message = `The regular expression took more than ${maxMs / 1000} s. Simplify it, use a plain string, or search a smaller folder.`
  return new CapstanError('invalid_arguments', message)
}
