import { tool } from '@capstan/core'
import * as z from 'zod'

/** A tool without descriptions. */
export const hasty = tool({
  name: 'do_it',
  description: ' ',
  parameters: z.object({ when: z.string(), what: z.string().regex(/^a/i) }),
  execute: () => 'done',
})
