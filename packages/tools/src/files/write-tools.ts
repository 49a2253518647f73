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

/** The tool `edit_file`. */
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

/** The result of `edit_file`. */
export interface FileEdit {
  readonly path: string
  /** The line where the text was, from 1. */
  readonly line: number
}

/** The tool `write_file`. */
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

/** The result of `write_file`. */
export interface WrittenFile {
  readonly path: string
  /** Whether the file was created. */
  readonly created: boolean
  readonly bytes: number
}

/** Returns a tool with the middleware that its `effects` keys need. */
function withKeys<One extends AnyTool>(made: One): One {
  return { ...made, middleware: keys }
}

const keys = effectKeys()

/**
 * Returns the key of a file, which is the same through each path to it. The model may get it in an error, so it
 * contains a hash of the location.
 * @throws CapstanError `invalid_arguments`, which becomes the result of the call
 */
function keyOf({ root }: Folder, path: string): string {
  const real = realOf(join(root, ...partsOf(path)))
    .normalize('NFKC')
    .toLowerCase()
  return `${basename(real)} (${createHash('sha256').update(real).digest('hex').slice(0, 12)})`
}

/** Returns the real path of a file. The file and its folders may be missing. */
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

/** @throws CapstanError `invalid_arguments` with the number and the lines of the matches */
function onlyMatch(content: string, { path, old, text }: Edit) {
  const places = matchesOf(content, old)
  const [at] = places
  if (at !== undefined && places.length === 1) return { at, length: old.length, put: text }
  if (at === undefined && hasBareBreak(old) && content.includes('\r\n')) {
    // A model does not see that lines end in \r\n.
    const edit = { path, old: withReturns(old), text: withReturns(text) }
    if (matchesOf(content, edit.old).length > 0) return onlyMatch(content, edit)
  }
  throw new CapstanError('invalid_arguments', `${problemOf(content, { path, old, text }, places)}`)
}

/** Maximum matches that are counted. */
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
  const near = line === undefined ? '' : ` Line ${line} differs in white space only.`
  return `The old text does not occur in ${where}.${near} Read the file and pass the exact text.`
}

/** Returns the line that equals the first line of `old`, ignoring white space. */
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
