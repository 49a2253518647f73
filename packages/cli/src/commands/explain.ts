import { explain as toText } from '@capstan/testing/recording'
import { command } from '../args.js'
import { exitCodes } from '../exit-codes.js'

/** `capstan explain`: explains a recorded run, step by step. */
export const explain = command({
  name: 'explain',
  usage: 'RECORDING',
  summary: 'explains a recorded run step by step',
  positionals: { least: 1, most: 1 },
  flags: {},
  async run({ positionals: [file = ''] }) {
    process.stdout.write(`${toText(file)}\n`)
    return exitCodes.done
  },
})
