import { instructions, toolsOf } from './conversation.js'
import type { Peer, RunOnce } from './peer.js'
import type { Scenario } from './scenarios.js'

export interface Task {
  readonly scenario: Scenario
  /** Where the server is. */
  readonly origin: string
  /** Hears of each call that runs. */
  ran(): void
}

/** Loads a peer and sets it up for a scenario. */
export async function prepare(name: string, { scenario, origin, ran }: Task): Promise<RunOnce> {
  const { peer } = (await import(`./peers/${name}.js`)) as { peer: Peer }
  return peer.prepare({
    baseURL: `${origin}/${scenario.name}/v1`,
    model: 'bench',
    instructions,
    tools: toolsOf(scenario, ran),
    stream: scenario.stream,
    maxSteps: scenario.steps + 2,
  })
}
