// How an agent runs behind a tool: as a child run, within the limits of its parent.

import { type ChildCode, findTaint, type InnerAgent, raiseChildrenOf, toRunParts } from '../agent-core.js'
import { messageOf } from '../errors.js'
import { toLimits } from '../limits.js'
import { memoryHost } from '../run/memory-host.js'
import { toolsIdentityOf } from '../run/reachable-agents.js'
import { RunContext } from '../run/run-context.js'
import { runToEnd } from '../run/run-to-end.js'
import { createState, firstUserMessage } from '../run/start.js'
import { toEmit } from '../run.js'
import { withoutCredentials } from '../secrets/secrets.js'
import { type Emit, withError, withFields } from '../types/event.js'
import type { HostContext } from '../types/host.js'
import type { Limits, RunState } from '../types/state.js'

/** Starts child runs and runs them to their end. */
export const childCode: ChildCode = {
  start: (agent, input, { runId, limits }) =>
    createState(input, {
      agent: agent.name,
      ...toolsIdentityOf(agent, agent.toolset),
      runId,
      limits: agent.limits,
      further: tighter(agent.limits, limits),
    }),
  proceed,
}

async function proceed(agent: InnerAgent, given: RunState, binding: HostContext): Promise<RunState> {
  const { agents, toolset, limits, observers, options } = agent
  // Limits raised for the parent run do not raise the limits of this agent.
  const further = toLimits(limits, tighter(limits, given.limits))
  const { allowChangedTools, prices } = binding
  const state = createState(given, {
    agent: agent.name,
    ...toolsIdentityOf(agent, toolset, agents),
    limits: {},
    further,
    allowChangedTools,
    // The decisions of the parent run.
    decisions: given.decisions,
    raiseChildren: raiseChildrenOf(toolset, agents),
  })
  const inner = {
    ...binding,
    agents,
    emit: both(binding.emit, toEmit(given.runId, binding.silent ? [] : observers)),
    prices: options.price ?? prices,
  }
  const parts = toRunParts(agent, toolset, { ...inner, host: (inner.hostWithin ?? memoryHost)(inner) })
  try {
    const run = new RunContext(state, firstUserMessage(state), parts)
    return await runToEnd(run, async () => ({ taintedBy: await findTaint(run, {}) }))
  } catch (error) {
    // The parent run sees a failed call.
    state.flags.failed = withoutCredentials(messageOf(error))
    return withError(state, error)
  }
}

/** Sends each event to both sinks as a copy: one stamps the run, the other the agent. */
function both(one: Emit, other: Emit): Emit {
  if (!one || !other) return one ?? other
  return (event) => {
    other(withFields(event, {}))
    one(event)
  }
}

/** The smaller of each two limits. */
function tighter(own: Limits, left: Limits): Limits {
  const { perTool, ...amounts } = left as Limits & Record<string, number | undefined>
  const smaller = (bounds: object, others: object) =>
    Object.entries(bounds).map(([name, bound]) => [
      name,
      Math.min(bound, new Map(Object.entries(others)).get(name) ?? bound),
    ])
  const inner = perTool && { ...own.perTool, ...Object.fromEntries(smaller(perTool, own.perTool ?? {})) }
  return { ...Object.fromEntries(smaller(amounts, own)), ...(inner ? { perTool: inner } : {}) }
}
