import { checkTools, toReportText } from '@capstan/testing'
import { command } from '../args.js'
import { exits, UsageError } from '../exit-codes.js'
import { findTools, loadFile } from '../load-file.js'
import { openScreen } from '../terminal.js'

/** `capstan check` */
export const check = command({
  name: 'check',
  form: 'FILE',
  says: 'looks for what is wrong with the tools of a file',
  more: 'It ends with 1 when there is an error among the findings.',
  words: { least: 1, most: 1 },
  flags: {
    json: { type: 'boolean', says: 'the report as JSON' },
    off: { type: 'string', value: 'RULE', multiple: true, says: 'do not ask this rule' },
    'max-tokens': { type: 'string', value: 'N', says: 'more tokens for the list of tools are an error' },
    strict: { type: 'boolean', says: 'warnings count as errors' },
  },
  async run({ words: [file = ''], flags }) {
    openScreen(flags['no-color'])
    const report = checkTools(findTools(await loadFile(file), file), {
      off: flags.off ?? [],
      warningsAsErrors: flags.strict ?? false,
      ...bound(flags['max-tokens']),
    })
    process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : toReportText(report)}\n`)
    return report.ok ? exits.done : exits.error
  },
})

function bound(given: string | undefined): { readonly maxTokens?: number } {
  if (given === undefined) return {}
  if (!/^[1-9]\d*$/.test(given)) throw new UsageError(`--max-tokens is a number above 0, not "${given}".`)
  return { maxTokens: Number(given) }
}
