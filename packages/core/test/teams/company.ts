import { Agent, type AgentOptions, type AnyTool, agentTool } from '../../src/index.js'
import type { MayBreak } from '../prefix/watch.js'
import { conflictsOf, type Toolbox, toolbox } from '../run-control/toolbox.js'
import { startTeamServer, type TeamScript, type TeamServer } from './team-server.js'

/** Agents that all have the toolbox, over a server that plays their models: each has its agent's name. */
export interface Company extends AsyncDisposable, Toolbox {
  readonly server: TeamServer
  /** A new agent, as another process would make it. */
  agent(name: string, options?: Options): Agent<readonly AnyTool[]>
  /** The agent `lead`, with the agent `worker` for a tool besides the toolbox. */
  lead(options?: Options): Agent<readonly AnyTool[]>
  /** Keys under which different things were done. */
  conflicts(): string[]
}

type Options = Partial<AgentOptions<readonly AnyTool[], undefined>>

export async function startCompany(script: TeamScript, mayBreak?: MayBreak): Promise<Company> {
  const server = await startTeamServer(script, mayBreak)
  const box = toolbox()
  const agent: Company['agent'] = (name, options) =>
    new Agent<readonly AnyTool[]>({ name, model: server.model(name), tools: box.tools, ...options })
  return {
    ...box,
    server,
    agent,
    lead: (options) => agent('lead', { tools: [agentTool(agent('worker')), ...box.tools], ...options }),
    conflicts: () => conflictsOf(box.ledger),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export const toWorker = (input = 'Do it.') => ['worker', { input }] as const
export const send = (to: string) => ['send', { to }] as const
