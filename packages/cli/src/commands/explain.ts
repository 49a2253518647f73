import { explain as toText } from '@capstan/testing/recording'
import { command } from '../args.js'
import { exits } from '../exit-codes.js'

/** `capstan explain` */
export const explain = command({
  name: 'explain',
  form: 'RECORDING',
  says: 'tells what happened in a recorded run, step by step',
  words: { least: 1, most: 1 },
  flags: {},
  async run({ words: [file = ''] }) {
    process.stdout.write(`${toText(file)}\n`)
    return exits.done
  },
})
