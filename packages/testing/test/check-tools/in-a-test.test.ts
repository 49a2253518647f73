// docs/reference/tool-rules.md shows this file's region.
import { tool } from '@capstan/core'
import { checkTools } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'

const tools = [
  tool({
    name: 'get_tides',
    description: 'High and low water at a harbour on a day.',
    parameters: z.object({
      harbour: z.string().describe('Name of the harbour'),
      day: z.iso.date().describe('Which day'),
    }),
    execute: ({ harbour, day }) => `${harbour} on ${day}: 04:12 high, 10:31 low`,
  }),
]

// #region test
test('a model can use our tools', () => {
  const { findings } = checkTools(tools, { off: ['default-true'], maxTokens: 2000 })
  expect(findings).toEqual([])
})
// #endregion
