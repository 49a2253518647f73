// An abort: the run ends with what it has done so far, and with your reason.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const look = tool({
  name: 'look_at_page',
  description: 'Looks at a page of a book',
  parameters: z.object({ page: z.int() }),
  execute: ({ page }) => ({ page, words: page * 100 }),
})

const agent = new Agent({ model: 'planner', tools: [look] })
const run = agent.stream('Look at page 3, then look at page 4.')
run.on('step-end', () => run.abort('The reader closed the book.'))

const { stopReason, abortReason, steps, state } = await run.result
console.log(`${stopReason}: ${abortReason}`)
for (const { toolCalls } of steps) for (const { content } of toolCalls) console.log(content)

// The state resumes the same run.
const { text } = await agent.run(state)
console.log(text)
