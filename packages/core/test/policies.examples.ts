// Code of docs/guides/approvals.md; `policies.examples.test.ts` runs it.
import { Agent, type AnyTool, type ChatModel, verdict } from '../src/index.js'

export function careful(model: ChatModel, tools: readonly AnyTool[]) {
  // #region policy
  const agent = new Agent({
    model,
    tools,
    policy: ({ name, readsOnly }) => {
      if (readsOnly) return verdict.allow
      if (name === 'delete_account') return verdict.deny('accounts are deleted by hand')
      return verdict.ask('It changes data.')
    },
  })
  // #endregion
  return agent
}
