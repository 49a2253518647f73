import { type Command, commonFlags, type Flags } from './command.js'

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
