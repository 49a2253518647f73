import { checkRequiredOption } from '@capstan/core/internal'
import { Folder } from '../folder/folder.js'
import { ignoring } from '../folder/path.js'
import { listFiles, readFile } from './read-tools.js'
import { searchFiles } from './search-files.js'
import { editFile, writeFile } from './write-tools.js'

export interface FileToolsOptions {
  /**
   * Whether files may be written: `ask` requires approval, `allow` does not, and `false` omits the tools that write.
   * Default `'ask'`.
   */
  readonly write?: 'ask' | 'allow' | false
  /**
   * Names (`'dist'`, `'*.log'`) and paths in the folder (`'build/out'`) to ignore, in addition to `node_modules` and
   * `.git`. Ignored files are not listed, searched, read or written.
   */
  readonly ignore?: readonly string[]
  /**
   * Whether files may contain untrusted text. If so, calls that can change data need approval after the model has read
   * from the folder. Default false.
   */
  readonly untrusted?: boolean
}

/** The tools that `fileTools` returns with `write: false`: `list_files`, `read_file` and `search_files`. */
export type ReadingTools = readonly [
  ReturnType<typeof listFiles>,
  ReturnType<typeof readFile>,
  ReturnType<typeof searchFiles>,
]

/** The tools that `fileTools` returns by default: the reading tools, `edit_file` and `write_file`. */
export type FileTools = readonly [...ReadingTools, ReturnType<typeof editFile>, ReturnType<typeof writeFile>]

/**
 * Returns tools for the files in a folder: `list_files`, `read_file`, `search_files`, `edit_file` and `write_file`.
 * With `write: false`, returns only the first three. The tools cannot access anything outside the folder.
 * @throws CapstanError `not_found` if the folder does not exist, `invalid_request` for an unknown or invalid option
 */
export function fileTools(folder: string, options: FileToolsOptions & { readonly write: false }): ReadingTools
export function fileTools(folder: string, options?: FileToolsOptions): FileTools
export function fileTools(folder: string, options: FileToolsOptions = {}): ReadingTools | FileTools {
  checkRequiredOption({ ...options, folder }, optionKinds, { of: 'fileTools', required: 'folder' })
  const { write = 'ask', ignore = [], untrusted = false } = options
  const within = new Folder(folder, 'fileTools', ignoring(['node_modules', '.git', ...ignore], 'fileTools'))
  const reading = [
    listFiles(within, { untrusted }),
    readFile(within, { untrusted }),
    searchFiles(within, { untrusted }),
  ] as const
  if (write === false) return reading
  const needsApproval = write === 'ask'
  return [...reading, editFile(within, { needsApproval }), writeFile(within, { needsApproval })]
}

const optionKinds = {
  folder: ['the path of a folder', (value: unknown) => typeof value === 'string' && value !== ''],
  write: ['"ask", "allow" or false', (value: unknown) => ['ask', 'allow', false].includes(value as string)],
  ignore: [
    'an array of names: ["dist", "*.log"]',
    (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  ],
  untrusted: ['true or false', (value: unknown) => typeof value === 'boolean'],
} as const
