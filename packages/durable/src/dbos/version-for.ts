import type { RunState } from '@capstan/core'
import { hasToolsOf } from '@capstan/core/wire'
import type { WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { Plan } from './engine.js'

/**
 * Who may go on with a state: whoever is the latest where the tools are as they were, else those of the version that
 * it was made by.
 */
export async function versionFor(
  { agent }: Plan,
  { definitionHash }: RunState,
  { applicationVersion }: WorkflowStatus,
): Promise<{ readonly appVersion?: string }> {
  if (applicationVersion === undefined || (await hasToolsOf(agent, definitionHash))) return {}
  return { appVersion: applicationVersion }
}

/** Changes when the tools of an agent do, or of those that its runs may come to. */
export async function definitionHashOf(agent: Plan['agent']): Promise<string> {
  return (await agent.prepare('.')).definitionHash
}
