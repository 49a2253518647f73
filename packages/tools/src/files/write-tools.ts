import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type AnyTool, CapstanError, effectKeys, tool } from '@capstan/core'
import { toText } from '../folder/content.js'
import type { Folder } from '../folder/folder.js'
import { partsOf, rejectedPath, shownPath } from '../folder/path.js'
import { parameters } from '../parameters.js'

interface WriteSettings {
  readonly needsApproval: boolean
}

/** Creates the tool `edit_file`, which replaces text that occurs exactly once in a file. */
export function editFile(folder: Folder, { needsApproval }: WriteSettings) {
  const made = tool({
    name: 'edit_file',
    description:
      'Replace text in a file. The text must occur exactly once: include enough surrounding lines, with their white space.',
    parameters: parameters(
      {
        path: { type: 'string', description: 'Path of the file' },
        old: { type: 'string', minLength: 1, description: 'Text to replace, exactly as it is in the file' },
        new: { type: 'string', description: 'Replacement text' },
      },
      ['path', 'old', 'new'],
    ),
    effects: ({ path }) => keyOf(folder, path),
    needsApproval,
    async execute({ path, old, new: text }): Promise<FileEdit> {
      const before = await folder.read(path)
      const content = toText(before.bytes)
      if (content === undefined) throw rejectedPath(path, 'it is not a text file', 'Edit text files only')
      const { at, length, put } = onlyMatch(content, { path, old, text })
      const after = content.slice(0, at) + put + content.slice(at + length)
      await folder.write(path, new TextEncoder().encode(after), before)
      return { path: folder.shown(before.path), line: lineAt(content, at) }
    },
    toModel: ({ path, line }) => `Edited ${path} at line ${line}.`,
  })
  return withKeys(made)
}

/** The result of `edit_file`. The path is relative to the folder. */
export interface FileEdit {
  readonly path: string
  /** The number of the line where the replaced text started, counted from 1. */
  readonly line: number
}

/** Creates the tool `write_file`, which creates or replaces a file. */
export function writeFile(folder: Folder, { needsApproval }: WriteSettings) {
  const made = tool({
    name: 'write_file',
    description: 'Create a file and its folders, or replace the content of a file.',
    parameters: parameters(
      {
        path: { type: 'string', description: 'Path of the file, such as "notes/plan.md"' },
        content: { type: 'string', description: 'The full new content' },
      },
      ['path', 'content'],
    ),
    effects: ({ path }) => keyOf(folder, path),
    needsApproval,
    async execute({ path, content }): Promise<WrittenFile> {
      const bytes = new TextEncoder().encode(content)
      const { created } = await folder.write(path, bytes)
      return { path: partsOf(path).join('/'), created, bytes: bytes.byteLength }
    },
    toModel: ({ path, created, bytes }) => `${created ? 'Created' : 'Replaced'} ${path} (${bytes} bytes).`,
  })
  return withKeys(made)
}

/** The result of `write_file`. The path is relative to the folder. */
export interface WrittenFile {
  readonly path: string
  /** Whether the file is new. False if an existing file was replaced. */
  readonly created: boolean
  readonly bytes: number
}

/** Adds the middleware that enforces the tool's `effects` keys. */
function withKeys<One extends AnyTool>(made: One): One {
  return { ...made, middleware: keys }
}

const keys = effectKeys()

/**
 * Returns a file's key: the same key for every path to the file. The key contains a hash instead of the file's
 * location, because errors may show the key to the model.
 * @throws CapstanError `invalid_arguments` for an invalid path. The error becomes the call's result
 */
function keyOf({ root }: Folder, path: string): string {
  const real = realOf(join(root, ...partsOf(path)))
    .normalize('NFKC')
    .toLowerCase()
  return `${basename(real)} (${createHash('sha256').update(real).digest('hex').slice(0, 12)})`
}

/** Returns a file's real path, even if the file or its folders do not exist yet. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realOf(folder), basename(path))
  }
}

interface Edit {
  readonly path: string
  readonly old: string
  readonly text: string
}

/**
 * Finds the only match of `old`.
 * @throws CapstanError `invalid_arguments` if there is no match or more than one; the message states how many, and
 * their lines
 */
function onlyMatch(content: string, { path, old, text }: Edit) {
  const places = matchesOf(content, old)
  const [at] = places
  if (at !== undefined && places.length === 1) return { at, length: old.length, put: text }
  if (at === undefined && hasBareBreak(old) && content.includes('\r\n')) {
    // The model cannot see that lines end in \r\n.
    const edit = { path, old: withReturns(old), text: withReturns(text) }
    if (matchesOf(content, edit.old).length > 0) return onlyMatch(content, edit)
  }
  throw new CapstanError('invalid_arguments', `${problemOf(content, { path, old, text }, places)}`)
}

/** The maximum number of matches to count. */
const mostMatches = 100

function matchesOf(content: string, old: string): readonly number[] {
  const places: number[] = []
  for (let at = content.indexOf(old); at !== -1 && places.length <= mostMatches; ) {
    places.push(at)
    at = content.indexOf(old, at + 1)
  }
  return places
}

function hasBareBreak(text: string): boolean {
  return /(?<!\r)\n/.test(text)
}

function withReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}

function problemOf(content: string, { path, old }: Edit, places: readonly number[]): string {
  const where = shownPath(path)
  if (places.length > 0) {
    const lines = places.slice(0, 10).map((at) => lineAt(content, at))
    const count = places.length > mostMatches ? `more than ${mostMatches}` : places.length
    const further = places.length > lines.length ? ', ...' : ''
    return `The old text occurs ${count} times in ${where}, at lines ${lines.join(', ')}${further}. Include more lines around it.`
  }
  const line = similarLine(content, old)
  const near = line === undefined ? '' : ` Line ${line} differs only in white space.`
  return `The old text does not occur in ${where}.${near} Read the file and pass the exact text.`
}

/** Returns the number of the first line that equals the first non-blank line of `old`, ignoring white space. */
function similarLine(content: string, old: string): number | undefined {
  const plain = (line: string) => line.replace(/\s+/g, '')
  const first = plain(old.split('\n').find((line) => plain(line) !== '') ?? '')
  if (first === '') return undefined
  const found = content.split('\n').findIndex((line) => plain(line) === first)
  return found === -1 ? undefined : found + 1
}

function lineAt(content: string, at: number): number {
  let line = 1
  for (let end = content.indexOf('\n'); end !== -1 && end < at; end = content.indexOf('\n', end + 1)) line++
  return line
}
