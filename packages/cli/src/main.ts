#!/usr/bin/env node
import { capstan } from './capstan.js'
import { exits } from './line/exits.js'
import { tellError } from './say/tell-error.js'

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
