#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { suggest } from '@capstan/core/internal'
import { type Command, commandHelp, generalHelp, parseCommandLine } from './args.js'
import { commands } from './commands/index.js'
import { exitCodes, UsageError } from './exit-codes.js'
import { formatFailure } from './format.js'

void main()

async function main(): Promise<void> {
  // A pipe's reader may have exited, as in "| head".
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Handles errors that the user's file throws outside of any call.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`capstan: ${formatFailure(error, process.argv.includes('--debug'))}\n`)
    process.exit(exitCodes.error)
  })
  const exit = await capstan(process.argv.slice(2))
  // Exits explicitly, because handles that the user's file left open would keep the process alive.
  process.stdout.write('', () => process.exit(exit))
}

/** Runs a command line. If it fails, prints the error. Resolves to the exit code. */
async function capstan(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args)
  } catch (error) {
    const isUsage = error instanceof UsageError
    process.stderr.write(`capstan: ${formatFailure(error, args.includes('--debug') && !isUsage)}\n`)
    return isUsage ? exitCodes.usage : exitCodes.error
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  // Options may come before the command.
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  const name = args[at]
  const rest = args.filter((_, index) => index !== at)
  if (name === undefined) return withoutCommand(rest)
  if (name === 'help') {
    const about = rest.find((word) => !word.startsWith('-'))
    return print(about === undefined ? generalHelp(commands) : commandHelp(find(about)))
  }
  const command = find(name)
  const line = parseCommandLine(command, rest)
  return line.flags.help ? print(commandHelp(command)) : command.run(line)
}

function withoutCommand(args: readonly string[]): number {
  const [flag] = args
  if (flag === undefined) throw new UsageError('No command. Run capstan --help to list the commands.')
  if (flag === '--help' || flag === '-h') return print(generalHelp(commands))
  if (flag === '--version' || flag === '-v') return print(version())
  throw new UsageError(`Unknown option ${flag}. Run capstan --help to list the commands.`)
}

function find(name: string): Command {
  const found = commands.find((command) => command.name === name)
  if (found) return found
  const names = commands.map((command) => command.name)
  const meant = suggest(name, names)
  const advice = meant === undefined ? `Commands: ${names.join(', ')}.` : `Did you mean "${meant}"?`
  throw new UsageError(`Unknown command "${name}". ${advice}`)
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return exitCodes.done
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
