import { tool } from '@capstan/core'
import { checkRequiredOption } from '@capstan/core/internal'
import { Folder } from '../folder/folder.js'
import { parameters } from '../parameters.js'
import { type Command, checkCommand, runProcess } from './run-process.js'

export interface ShellToolOptions {
  /**
   * The folder in which commands run. It is not a sandbox: a command can access everything that the current user can.
   */
  readonly cwd: string
  /**
   * Commands that run without approval. Each entry is a prefix that is compared word by word: `'npm test'` or `['npm',
   * 'test']` also allows `npm test -- --watch`. All other commands need approval. Default: none.
   */
  readonly allow?: readonly (string | readonly string[])[]
  /** Environment variables to set, in addition to common ones such as `PATH` and `HOME`. Default: none. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Time limit in milliseconds. At the limit, the command and all processes that it started are stopped. Default
   * 120,000.
   */
  readonly timeoutMs?: number
}

/**
 * Returns the tool `run_command`, which runs a program without a shell. It is not a sandbox: only allow commands that
 * you would let anyone run. An abort or a timeout stops the entire process group.
 * @throws CapstanError `not_found` if `cwd` does not exist, `invalid_request` for an unknown or invalid option
 */
export function shellTool(options: ShellToolOptions) {
  checkRequiredOption(options, optionKinds, { of: 'shellTool', required: 'cwd' })
  const { cwd, allow = [], env = {}, timeoutMs = 120_000 } = options
  const { root } = new Folder(cwd, 'shellTool')
  const allowed = allow.map(toWords)
  return tool({
    name: 'run_command',
    description:
      'Run a program and read its output. There is no shell: no pipes, no variables, no wildcards.',
    parameters: parameters(
      {
        command: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: 1000,
          description: 'The program and its arguments, one word each: ["git", "status", "--short"]',
        },
      },
      ['command'],
    ),
    needsApproval: ({ command }) => !allowed.some((words) => words.every((word, at) => command[at] === word)),
    execute({ command }, { signal }): Promise<Command> {
      checkCommand(command)
      return runProcess(command, { cwd: root, env: { ...inherited(), ...env }, timeoutMs, signal })
    },
    toModel({ exitCode, signal, timedOut, stdout, stderr }) {
      const ended = timedOut
        ? `ended at the timeout of ${timeoutMs} ms`
        : signal
          ? `ended by ${signal}`
          : `exit code ${exitCode}`
      const outputs = Object.entries({ stdout, stderr }).filter(([, text]) => text !== '')
      return [ended, ...outputs.map(([name, text]) => `${name}:\n${text.trimEnd()}`)].join('\n')
    },
  })
}

const isText = (value: unknown) => typeof value === 'string' && value !== '' && !value.includes('\0')

const optionKinds = {
  cwd: ['the path of a folder', isText],
  allow: [
    'an array of command prefixes: ["npm test"], or [["npm", "test"]] for words with spaces or quotes',
    (value: unknown) => Array.isArray(value) && value.every(isBeginning),
  ],
  env: [
    'an object of strings',
    (value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((one) => typeof one === 'string' && !one.includes('\0')),
  ],
  timeoutMs: [
    'a number of milliseconds above 0',
    (value: unknown) => typeof value === 'number' && value > 0 && value < 2 ** 31,
  ],
} as const

/**
 * Whether an entry of `allow` is valid. An empty entry would allow every command. Quotes are rejected, because they
 * would not have the meaning that they have in a shell.
 */
function isBeginning(entry: unknown): boolean {
  if (typeof entry === 'string') return entry.trim() !== '' && isText(entry) && !/["'`\\$]/.test(entry)
  return Array.isArray(entry) && entry.length > 0 && entry.every(isText)
}

function toWords(entry: string | readonly string[]): readonly string[] {
  return typeof entry === 'string' ? entry.trim().split(/\s+/) : entry
}

/** Matches the names of environment variables that programs need and that contain no secrets. */
const names =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|TZ|TMPDIR|TEMP|TMP|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|UserProfile|UserName|AppData|LocalAppData|ProgramData|ProgramFiles(?:\(x86\))?)$/i

function inherited(): Record<string, string> {
  const known = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && names.test(name) ? [[name, withoutRelative(name, value)] as const] : [],
  )
  return Object.fromEntries(known)
}

/**
 * Removes relative folders from `PATH`, so that a program that the model has written cannot be found through `PATH`. On
 * Windows, returns the value unchanged.
 */
function withoutRelative(name: string, value: string): string {
  if (process.platform === 'win32' || name !== 'PATH') return value
  return value
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .join(':')
}
