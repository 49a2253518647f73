import { parseArgs } from 'node:util'
import { UsageError } from './exit-codes.js'

/** What a command line says to a command. @throws UsageError */
export function readLine(command: Command, args: readonly string[]): Line {
  const options = { ...command.flags, ...commonFlags }
  const config = { args: [...args], options, allowPositionals: true } as const
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) throw unknownOption(command, token)
  try {
    const { values: flags, positionals: words } = parseArgs(config)
    if (!flags.help) checkCount(command, words)
    return { words, flags: flags as Line['flags'] }
  } catch (error) {
    if (error instanceof UsageError) throw error
    // Node adds advice for who writes commands.
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/[.\n]/)
    throw new UsageError(`${first}.`)
  }
}

function unknownOption(command: Command, { name, rawName }: { name: string; rawName: string }): UsageError {
  const meant = nearest(name, Object.keys({ ...command.flags, ...commonFlags }))
  const advice =
    meant === undefined
      ? 'What begins with a dash and is no option stands after --.'
      : `Did you mean --${meant}?`
  return new UsageError(`${command.name} has no option ${rawName}. ${advice}`)
}

function checkCount({ name, form, words: { least, most } }: Command, words: readonly string[]): void {
  if (words.length >= least && words.length <= most) return
  const what =
    words.length < least
      ? 'Something is missing'
      : `"${words[most]}" is one word too many; texts with blanks need quotes`
  throw new UsageError(`${what}: capstan ${name} ${form}`)
}

/** An option of a command. */
interface Flag {
  readonly type: 'string' | 'boolean'
  /** What stands for its value in the help. */
  readonly value?: string
  readonly multiple?: boolean
  readonly short?: string
  /** What it does, for the help. */
  readonly says: string
}

export type Flags = Readonly<Record<string, Flag>>

/** The value that each option of a command has on a command line. */
type Given<Options extends Flags> = {
  readonly [Name in keyof Options]?: ValueOf<Options[Name]> | undefined
}

type ValueOf<One extends Flag> = One['type'] extends 'boolean'
  ? boolean
  : One extends { readonly multiple: true }
    ? readonly string[]
    : string

/** What every command takes. */
const commonFlags = {
  debug: { type: 'boolean', says: 'errors say where they come from' },
  'no-color': { type: 'boolean', says: 'no colours; as NO_COLOR in the environment' },
  help: { type: 'boolean', short: 'h', says: 'show this' },
} as const satisfies Flags

/** A command line, read. */
export interface Line<Options extends Flags = Flags> {
  /** What stands on it besides options. */
  readonly words: readonly string[]
  readonly flags: Given<Options & typeof commonFlags>
}

/** One of the commands. */
export interface Command<Options extends Flags = Flags> {
  readonly name: string
  /** How it is written, after its name. */
  readonly form: string
  /** One line of what it does. */
  readonly says: string
  /** More of it, for its own help. */
  readonly more?: string
  /** How many words it takes besides options. */
  readonly words: { readonly least: number; readonly most: number }
  readonly flags: Options
  /** Does it, and says what the process ends with. */
  run(line: Line<Options>): Promise<number>
}

/** A command with the types of its options. */
export function command<const Options extends Flags>(made: Command<Options>): Command {
  // It is only ever given lines that were read by its own options.
  return made as unknown as Command
}

/** What `capstan --help` shows. */
export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, form, says }): Row => [`capstan ${name} ${form}`, says])
  const more: Row[] = [
    ['capstan help COMMAND', 'the options of a command'],
    ['capstan --version', 'which version this is'],
  ]
  return ['capstan: agents on the command line', '', ...columns([...rows, ...more])].join('\n')
}

/** What `capstan help COMMAND` shows. */
export function commandHelp({ name, form, says, more, flags }: Command): string {
  const own = columns(Object.entries({ ...flags, ...commonFlags } as Flags).map(toRow))
  return [`capstan ${name} ${form}`, '', `${sentence(says)}${more ? ` ${more}` : ''}`, '', ...own].join('\n')
}

type Row = readonly [left: string, right: string]

function toRow([name, { short, value, says, multiple }]: [string, Flags[string]]): Row {
  const left = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
  return [left, multiple ? `${says}; may be given again` : says]
}

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

/** The name that was probably meant, if any is near. */
export function nearest(said: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, away: distance(said, name) }))
    .sort((one, other) => one.away - other.away)
  const [best] = near
  return best && (best.away <= Math.ceil(said.length / 3) || isStart(said, best.name)) ? best.name : undefined
}

function isStart(said: string, name: string): boolean {
  return said.length > 1 && name.startsWith(said)
}

/** How many letters must be put in, taken out or changed. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let index = 1; index <= other.length; index++) {
      const changed = (row[index - 1] ?? 0) + (other[index - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
