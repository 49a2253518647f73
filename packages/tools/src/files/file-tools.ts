import { checkRequiredOption } from '@capstan/core/internal'
import { Folder } from '../folder/folder.js'
import { ignoring } from '../folder/path.js'
import { listFiles, readFile } from './read-tools.js'
import { searchFiles } from './search-files.js'
import { editFile, writeFile } from './write-tools.js'

export interface FileToolsOptions {
  /** Whether files may be written: after an approval, without one, or not at all. Default `'ask'`. */
  readonly write?: 'ask' | 'allow' | false
  /**
   * Names (`'dist'`, `'*.log'`) and paths of the folder (`'build/out'`) that the tools omit, in addition to
   * `node_modules` and `.git`. They are neither listed nor searched, read or written.
   */
  readonly ignore?: readonly string[]
  /**
   * Whether files may contain untrusted text. After the model has read a file, calls that write need an approval.
   * Default false.
   */
  readonly untrusted?: boolean
}

/** Tools that read files of a folder. */
export type ReadingTools = readonly [
  ReturnType<typeof listFiles>,
  ReturnType<typeof readFile>,
  ReturnType<typeof searchFiles>,
]

/** Tools that read and write files of a folder. */
export type FileTools = readonly [...ReadingTools, ReturnType<typeof editFile>, ReturnType<typeof writeFile>]

/**
 * Returns tools for the files of a folder: `list_files`, `read_file`, `search_files`, `edit_file` and `write_file`;
 * with `write: false` the first three. Nothing outside the folder is read or written.
 * @throws CapstanError `not_found` without such a folder, `invalid_request` for an unknown or wrong option
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
