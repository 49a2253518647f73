import { checkTools, toReportText } from '@capstan/testing'
import { command } from '../args.js'
import { exitCodes, UsageError } from '../exit-codes.js'
import { sanitizeText } from '../format.js'
import { findTools, loadFile } from '../load-file.js'
import { openTerminal } from '../terminal.js'

/** The command `capstan check`. */
export const check = command({
  name: 'check',
  usage: 'FILE',
  summary: 'checks the tools of a file for common faults',
  details: 'The exit code is 1 if there is an error.',
  positionals: { least: 1, most: 1 },
  flags: {
    json: { type: 'boolean', description: 'print the report as JSON' },
    off: { type: 'string', valueName: 'RULE', multiple: true, description: 'skip this rule' },
    'max-tokens': {
      type: 'string',
      valueName: 'N',
      description: 'report an error if the tool list takes more tokens',
    },
    strict: { type: 'boolean', description: 'treat warnings as errors' },
  },
  async run({ positionals: [file = ''], flags }) {
    openTerminal(flags['no-color'])
    const report = checkTools(findTools(await loadFile(file), file), {
      off: flags.off ?? [],
      warningsAsErrors: flags.strict ?? false,
      ...parseMaxTokens(flags['max-tokens']),
    })
    const text = flags.json ? JSON.stringify(report, null, 2) : toReportText(report)
    process.stdout.write(`${sanitizeText(text)}\n`)
    return report.ok ? exitCodes.done : exitCodes.error
  },
})

function parseMaxTokens(given: string | undefined): { readonly maxTokens?: number } {
  if (given === undefined) return {}
  if (!/^[1-9]\d*$/.test(given))
    throw new UsageError(`--max-tokens must be a number above 0, not "${given}".`)
  return { maxTokens: Number(given) }
}
