import { parseArgs } from 'node:util'
import { type Command, commonFlags, type Line } from './command.js'
import { nearest } from './nearest.js'
import { UsageError } from './usage-error.js'

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
