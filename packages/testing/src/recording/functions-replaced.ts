import type { AnyTool, Artifact, ArtifactStore, Tool, ToolContext } from '@capstan/core'
import { Agent, type AnyAgent } from '@capstan/core'
import type { InnerAgent } from '@capstan/core/internal'
import { agentBehind, coreOf, withAgent } from '@capstan/core/internal'
import type { Replaced } from './replaying-host.js'

/** Replaces a tool's function, by the idempotency key of the call. */
export type Replacement = (idempotencyKey: string) => Replaced

/** An agent and further tools, whose functions are replaced, also in those that it hands over to; all else is theirs. */
export function functionsReplaced(
  agent: AnyAgent,
  further: readonly AnyTool[],
  by: Replacement,
  store: ArtifactStore = agent.artifacts.store,
): { readonly agent: AnyAgent; readonly further: readonly AnyTool[]; readonly artifacts: ArtifactStore } {
  const known = new Map<InnerAgent, Agent<readonly AnyTool[]>>()
  const toAgent = (core: InnerAgent) => {
    const { options, model } = core
    const tools = (options.tools ?? []).map(toTool)
    const made = known.get(core) ?? new Agent({ ...options, model, tools } as typeof options)
    known.set(core, made)
    return made
  }
  const toTool = (one: Tool): Tool => {
    // Nobody waits for a function that does not run.
    const { rate: _, ...settings } = one.settings
    const execute = async (_args: unknown, ctx: ToolContext) => {
      const { output, artifacts } = by(ctx.idempotencyKey)
      for (const artifact of artifacts) recorded.set(artifact.id, artifact)
      await Promise.all(artifacts.map(({ id }) => ctx.artifacts.stat(id)))
      return output
    }
    const made = { ...one, settings, ...(one.execute ? { execute } : {}) }
    const behind = agentBehind(one)
    return behind ? withAgent(made, coreOf(toAgent(behind))) : made
  }
  const recorded = new Map<string, Artifact>()
  // The bytes of a recorded artifact may be gone; its description is in the recording.
  const artifacts: ArtifactStore = {
    put: (data, info) => store.put(data, info),
    open: (id) => store.open(id),
    stat: async (id) => recorded.get(id) ?? store.stat(id),
    list: () => store.list(),
    delete: (id) => store.delete(id),
  }
  return { agent: toAgent(coreOf(agent)), further: further.map(toTool), artifacts }
}
