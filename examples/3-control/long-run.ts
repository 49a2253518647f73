// A long run in a small window: old results become references, and the oldest steps are omitted.
import { Agent, clearResults, tool, trimHistory } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const readPage = tool({
  name: 'read_page',
  description: 'Reads a page of the report.',
  parameters: z.object({ page: z.number() }),
  effects: 'read',
  execute: ({ page }) => `Page ${page}. ${'The harbour opens at six, and the boats go out. '.repeat(60)}`,
})

const pages = Array.from({ length: 16 }, (_, at) => reply.call('read_page', { page: at + 1 }))
const model = scriptedModel([...pages, reply.text('All sixteen pages are read.')])

// #region agent
const agent = new Agent({
  model,
  tools: [readPage],
  middleware: [clearResults({ maxTokens: 6000 }), trimHistory({ maxTokens: 8000 })],
  observe(event) {
    if (event.type !== 'context-trimmed') return
    const { step, by, before, after, tokens } = event
    console.log(
      `step ${step}, ${by}: ${after} of ${before} messages, ${tokens.after} of ${tokens.before} tokens`,
    )
  },
})
// #endregion

const result = await agent.run('Read the report.')
console.log(`${result.text} ${result.messages.length} messages are kept.`)
