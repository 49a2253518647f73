import { parseArgs } from 'node:util'
import { suggest } from '@capstan/core/internal'
import { UsageError } from './exit-codes.js'

/** Parses a command's arguments. @throws UsageError for an unknown option, or too few or too many positionals */
export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const options = { ...command.flags, ...commonFlags }
  const config = { args: [...args], options, allowPositionals: true } as const
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) throw unknownOption(command, token)
  try {
    const { values: flags, positionals } = parseArgs(config)
    if (!flags.help) checkPositionals(command, positionals)
    return { positionals, flags: flags as CommandLine['flags'] }
  } catch (error) {
    if (error instanceof UsageError) throw error
    // Node's message goes on with advice for the command's author, not for its user.
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/[.\n]/)
    throw new UsageError(`${first}.`)
  }
}

function unknownOption(command: Command, { name, rawName }: { name: string; rawName: string }): UsageError {
  const meant = suggest(name, Object.keys({ ...command.flags, ...commonFlags }))
  const advice =
    meant === undefined ? 'Put an argument that starts with a dash after --.' : `Did you mean --${meant}?`
  return new UsageError(`Unknown option ${rawName} for ${command.name}. ${advice}`)
}

function checkPositionals(
  { name, usage, positionals: { least, most } }: Command,
  positionals: readonly string[],
): void {
  if (positionals.length >= least && positionals.length <= most) return
  const what =
    positionals.length < least
      ? 'Missing argument'
      : `Unexpected argument "${positionals[most]}"; quote text that contains spaces`
  throw new UsageError(`${what}. Usage: capstan ${name} ${usage}`)
}

/** A command's option, in the form that `parseArgs` from `node:util` takes, and its description. */
interface Flag {
  readonly type: 'string' | 'boolean'
  /** The value's placeholder in the help, such as `FILE`. */
  readonly valueName?: string
  readonly multiple?: boolean
  readonly short?: string
  /** Shown in the help. Starts in lower case and has no full stop. */
  readonly description: string
}

export type Flags = Readonly<Record<string, Flag>>

/** The parsed options: a boolean, a string, or an array of strings if the option can be repeated. */
type FlagValues<Options extends Flags> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]> | undefined
}

type ValueOf<One extends Flag> = One['type'] extends 'boolean'
  ? boolean
  : One extends { readonly multiple: true }
    ? readonly string[]
    : string

/** The options that all commands accept. */
const commonFlags = {
  debug: { type: 'boolean', description: 'print stack traces of errors' },
  'no-color': { type: 'boolean', description: 'no colours (as with NO_COLOR in the environment)' },
  help: { type: 'boolean', short: 'h', description: 'show this help' },
} as const satisfies Flags

export interface CommandLine<Options extends Flags = Flags> {
  /** The arguments that are not options, in order. */
  readonly positionals: readonly string[]
  readonly flags: FlagValues<Options & typeof commonFlags>
}

export interface Command<Options extends Flags = Flags> {
  readonly name: string
  /** The arguments in the help, such as `FILE [PROMPT]`. */
  readonly usage: string
  /** Shown in the list of commands. Starts in lower case and has no full stop. */
  readonly summary: string
  /** Sentences that follow the summary in `capstan help COMMAND`. */
  readonly details?: string
  /** The minimum and maximum number of positionals. */
  readonly positionals: { readonly least: number; readonly most: number }
  readonly flags: Options
  /** Runs the command. Resolves to the process's exit code. */
  run(line: CommandLine<Options>): Promise<number>
}

/** Defines a command. The type of `run` follows from `flags`. */
export function command<const Options extends Flags>(made: Command<Options>): Command {
  // The cast is safe: `run` only receives command lines that were parsed with the command's own options.
  return made as unknown as Command
}

/** Returns the text that `capstan --help` prints. */
export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, usage, summary }): Row => [`capstan ${name} ${usage}`, summary])
  const general: Row[] = [
    ['capstan help COMMAND', "shows a command's options"],
    ['capstan --version', 'shows the version'],
  ]
  return ['capstan: agents on the command line', '', ...columns([...rows, ...general])].join('\n')
}

/** Returns the text that `capstan help COMMAND` prints. */
export function commandHelp({ name, usage, summary, details, flags }: Command): string {
  const own = columns(Object.entries({ ...flags, ...commonFlags } as Flags).map(toRow))
  return [
    `capstan ${name} ${usage}`,
    '',
    `${sentence(summary)}${details ? ` ${details}` : ''}`,
    '',
    ...own,
  ].join('\n')
}

type Row = readonly [left: string, right: string]

function toRow([name, { short, valueName, description, multiple }]: [string, Flags[string]]): Row {
  const left = `${short ? `-${short}, ` : ''}--${name}${valueName ? ` ${valueName}` : ''}`
  return [left, multiple ? `${description}; repeatable` : description]
}

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
