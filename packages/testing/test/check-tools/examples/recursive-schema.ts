// `warning`. The schema contains itself. Servers that turn it into a grammar, or that support only a part of JSON
// Schema, reject it. Models nest more deeply than you intend.
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
