// `info`. The schema's own code, a getter or `z.lazy`, throws when it is read again. The part inside it was not
// checked, and can fail in a run too.
import { tool } from '@capstan/core'
import * as z from 'zod'

// #region bad
const shared: { lamp?: z.ZodType } = { lamp: z.string().describe('Id of the lamp') }

export const bad = tool({
  name: 'dim_lamp',
  description: 'Makes a lamp less bright.',
  parameters: z.object({
    lamp: z.lazy(() => {
      if (!shared.lamp) throw new Error('the schema is gone')
      return shared.lamp
    }),
  }),
  execute: () => 'done',
})

delete shared.lamp
// #endregion

// #region good
const lamp = z.string().describe('Id of the lamp')

export const good = tool({
  name: 'dim_lamp',
  description: 'Makes a lamp less bright.',
  parameters: z.object({ lamp }),
  execute: () => 'done',
})
// #endregion
