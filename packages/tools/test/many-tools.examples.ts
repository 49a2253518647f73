// Code that docs/tools/many-tools.md shows in addition to the example; `many-tools.examples.test.ts` runs it.
import { Agent, type AnyTool, type ChatModel } from '@capstan/core'
import { deferred } from '../src/search.js'

interface Given {
  readonly model: ChatModel
  readonly look: AnyTool
  readonly github: readonly AnyTool[]
  readonly mail: readonly AnyTool[]
}

export function groups({ model, look, github, mail }: Given) {
  // #region groups
  const agent = new Agent({
    model,
    tools: [look, deferred(github, { group: 'github' }), deferred(mail, { group: 'mail', max: 2 })],
  })
  // #endregion
  return agent
}

export function byCall({ model, github }: Given) {
  // #region call
  const agent = new Agent({ model, tools: [deferred(github, { group: 'github', by: 'call' })] })
  // #endregion
  return agent
}

export function named({ model, github }: Given) {
  // #region prepare
  const agent = new Agent({
    model,
    tools: [deferred(github, { group: 'github' })],
    prepareStep: ({ step }) => (step === 0 ? { tools: ['find_tools', 'issues_create'] } : undefined),
  })
  // #endregion
  return agent
}
