// Code that docs/tools/files.md shows in addition to the example; `files.examples.test.ts` runs it.
import { Agent, type ChatModel } from '@capstan/core'
import { fileTools, shellTool } from '../src/files.js'

export function reader(model: ChatModel) {
  // #region read
  const agent = new Agent({ model, tools: fileTools('notes', { write: false, ignore: ['*.key', 'drafts'] }) })
  // #endregion
  return agent
}

export function editor(model: ChatModel) {
  // #region commands
  const agent = new Agent({
    model,
    tools: [
      ...fileTools('notes', { write: 'allow' }),
      shellTool({ cwd: 'notes', allow: ['git status', 'git diff'], env: { GIT_PAGER: 'cat' } }),
    ],
  })
  // #endregion
  return agent
}
