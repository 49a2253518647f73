import { type Artifact, CapstanError, tool } from '@capstan/core'
import { storeFile, toText } from '../folder/content.js'
import type { Folder } from '../folder/folder.js'
import { shownPath } from '../folder/path.js'
import { walk } from '../folder/walk.js'
import { parameters } from '../parameters.js'

const mostEntries = 500
/** The maximum number of entries to count. If there are more, the model gets "at least" and this number. */
const mostCounted = 20_000

/** Creates the tool `list_files`. Its result contains at most 500 entries. */
export function listFiles(folder: Folder, settings: { readonly untrusted: boolean }) {
  return tool({
    name: 'list_files',
    description: `List the files in a folder and its subfolders, at most ${mostEntries}. Folders end in "/".`,
    parameters: parameters(
      {
        path: { type: 'string', description: 'Folder to list. Default: the entire folder' },
        deep: { type: 'boolean', description: 'Whether to list subfolders too. Default true' },
      },
      [],
    ),
    effects: 'read',
    ...settings,
    async execute({ path = '', deep = true }, { signal }): Promise<FileList> {
      const files: string[] = []
      let count = 0
      for await (const { real, isFolder } of walk(folder, path, { deep, signal })) {
        if (++count > mostCounted) break
        if (count <= mostEntries) files.push(folder.shown(real) + (isFolder ? '/' : ''))
      }
      return { files, more: count - files.length }
    },
    toModel({ files, more }) {
      if (files.length === 0) return 'No files.'
      const least = files.length + more > mostCounted ? 'at least ' : ''
      const rest = more === 0 ? [] : [`[${least}${more} more; list one of the folders]`]
      return [...files, ...rest].join('\n')
    },
  })
}

/** The result of `list_files`. Paths are relative to the tool's folder. A folder's path ends in "/". */
export interface FileList {
  readonly files: readonly string[]
  /** How many entries `files` omits. Counting stops after 20,000 entries. */
  readonly more: number
}

const mostCharacters = 48_000

/** Creates the tool `read_file`. It returns text in parts of up to 48,000 characters, and other files as artifacts. */
export function readFile(folder: Folder, settings: { readonly untrusted: boolean }) {
  return tool({
    name: 'read_file',
    description: `Read a text file or a part of it, up to ${mostCharacters} characters per call. Other files become artifacts.`,
    parameters: parameters(
      {
        path: { type: 'string', description: 'Path of the file, such as "notes/plan.md"' },
        from: { type: 'integer', minimum: 1, description: 'First line to read. Default 1' },
        to: { type: 'integer', minimum: 1, description: 'Last line to read. Default: the last one' },
      },
      ['path'],
    ),
    effects: 'read',
    ...settings,
    async execute({ path, from = 1, to = Infinity }, { artifacts }): Promise<FilePart | Artifact> {
      const { path: real, bytes } = await folder.read(path)
      const text = toText(bytes)
      if (text === undefined) return storeFile(bytes, folder.shown(real), artifacts)
      return { path: folder.shown(real), ...linesOf(text, path, { from, to }) }
    },
    toModel(part) {
      if (!('text' in part)) return part
      const { path, from, to, of, text, cut } = part
      const rest = cut ? '; the last one is cut' : ''
      return of === 0 ? `[${path} is empty]` : `[${path}, lines ${from} to ${to} of ${of}${rest}]\n${text}`
    },
  })
}

export interface FilePart {
  readonly path: string
  /** The first and last line of this part, counted from 1. `of` is the number of lines in the file. */
  readonly from: number
  readonly to: number
  readonly of: number
  readonly text: string
  /** Whether the last line was cut off because it is too long for one result. */
  readonly cut: boolean
}

function linesOf(
  text: string,
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): Omit<FilePart, 'path'> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const of = lines.length
  if (from > Math.max(of, 1) || to < from) {
    const asked = to === Infinity ? `line ${from}` : `lines ${from} to ${to}`
    const message = `${shownPath(path)} has no ${asked}: its last line is ${of}. Choose lines that exist.`
    throw new CapstanError('invalid_arguments', message)
  }
  const shown: string[] = []
  let left = mostCharacters
  for (const line of lines.slice(from - 1, to)) {
    if (shown.length > 0 && line.length + 1 > left) break
    shown.push(line.slice(0, mostCharacters))
    left -= line.length + 1
  }
  const last = from + shown.length - 1
  return { from, to: last, of, text: shown.join('\n'), cut: left < -1 }
}
