#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { type Command, commandHelp, generalHelp, nearest, readLine } from './args.js'
import { commands } from './commands/index.js'
import { exits, UsageError } from './exit-codes.js'
import { tellError } from './format.js'

void main()

async function main(): Promise<void> {
  // Whoever read may be gone, as "| head" is.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // What a user's file fails of by itself, outside of any call.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`capstan: ${tellError(error, process.argv.includes('--debug'))}\n`)
    process.exit(exits.error)
  })
  const exit = await capstan(process.argv.slice(2))
  // What a user's file keeps open does not keep the command.
  process.stdout.write('', () => process.exit(exit))
}

/** Does what a command line says, and says what the process ends with. */
async function capstan(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args)
  } catch (error) {
    const isUsage = error instanceof UsageError
    process.stderr.write(`capstan: ${tellError(error, args.includes('--debug') && !isUsage)}\n`)
    return isUsage ? exits.usage : exits.error
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  // Options may stand before the command.
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  const name = args[at]
  const rest = args.filter((_, index) => index !== at)
  if (name === undefined) return withoutCommand(rest)
  if (name === 'help') {
    const about = rest.find((word) => !word.startsWith('-'))
    return print(about === undefined ? generalHelp(commands) : commandHelp(find(about)))
  }
  const command = find(name)
  const line = readLine(command, rest)
  return line.flags.help ? print(commandHelp(command)) : command.run(line)
}

function withoutCommand(args: readonly string[]): number {
  const [flag] = args
  if (flag === undefined) throw new UsageError('Which command? capstan --help shows them.')
  if (flag === '--help' || flag === '-h') return print(generalHelp(commands))
  if (flag === '--version' || flag === '-v') return print(version())
  throw new UsageError(`There is no option ${flag}. capstan --help shows what there is.`)
}

function find(name: string): Command {
  const found = commands.find((command) => command.name === name)
  if (found) return found
  const names = commands.map((command) => command.name)
  const meant = nearest(name, names)
  const advice = meant === undefined ? `There is: ${names.join(', ')}.` : `Did you mean "${meant}"?`
  throw new UsageError(`There is no command "${name}". ${advice}`)
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return exits.done
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
