// `warning`. The schema contains itself. Servers that make a grammar of it, or know only a subset of JSON
// Schema, refuse it. Models nest deeper than intended.
import * as z from 'zod'

// #region bad
const Folder = z.object({
  name: z.string(),
  get folders() {
    return z.array(Folder)
  },
})

export const bad = z.object({ root: Folder.describe('What is to be made') })
// #endregion

// #region good
export const good = z.object({
  paths: z.array(z.string()).describe('Folders to be made, as "photos/2026"'),
})
// #endregion
