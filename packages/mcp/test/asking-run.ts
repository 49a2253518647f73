// A run that waits for the answer to a question, in a process of its own: asking-run.ts URL STATE-FILE
import { renameSync, writeFileSync } from 'node:fs'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { mcpTools } from '../src/index.js'

const [url = '', file = ''] = process.argv.slice(2)
const { tools } = await mcpTools({ url })
const model = scriptedModel([reply.call('book', { day: 'Monday' }, { id: 'c1' })])
const run = new Agent({ name: 'clerk', model, tools }).stream('Book.', {
  wait: true,
  onCheckpoint: (state) => {
    // Whole at any time.
    writeFileSync(`${file}.new`, JSON.stringify(state))
    renameSync(`${file}.new`, file)
    if (state.pending.length > 0) console.log(`waits for ${state.pending[0]?.callId}`)
  },
})
await run.result
