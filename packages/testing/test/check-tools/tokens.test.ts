import { Agent, compactHistory, tool } from '@capstan/core'
import { checkTools, reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'

test('the tokens of a report are those that requests are estimated with', async () => {
  const read = (name: string) =>
    tool({
      name,
      description: 'Reads a page of the report, by its number.',
      parameters: z.object({ page: z.number().describe('The number of the page') }),
      execute: ({ page }) => `Page ${page}`,
    })
  const tools = [read('read_report'), read('read_letter')]
  const fixed: number[] = []
  const watch = compactHistory((history) => {
    fixed.push(history.fixed)
    return history.messages
  })
  const model = scriptedModel([reply.text('Nothing.')])
  await new Agent({ model, tools, middleware: [watch] }).run('Read.')
  expect(fixed).toEqual([checkTools(tools).tokens])
})
