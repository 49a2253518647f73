// Code that docs/tools/skills.md shows in addition to the example; `skills.examples.test.ts` runs it.
import { Agent, type ChatModel } from '@capstan/core'
import { skills } from '../src/skills.js'

export async function several(model: ChatModel) {
  // #region several
  const found = await skills(['handbook', 'node_modules/@tanstack/ai/skills'], { untrusted: true })
  const agent = new Agent({ model, middleware: [found.middleware] })
  // #endregion
  return { found, agent }
}
