import { chatModel } from '../ask/chat-model.js'
import { begin } from '../run/begin.js'
import { withFailure } from '../run/child-steps.js'
import { drive } from '../run/drive.js'
import { memoryHost } from '../run/memory-host.js'
import { type OutputPlan, toOutputPlan } from '../run/output.js'
import { toLimits } from '../run/to-limits.js'
import { memoryArtifacts } from '../tool/memory-artifacts.js'
import { type Toolset, toToolset } from '../tool/toolset.js'
import type { AnyTool } from '../tool/types.js'
import { type Emit, withFields } from '../words/event.js'
import type { HostBinding } from '../words/host.js'
import type { ChatModel } from '../words/model.js'
import type { Limits, RunState } from '../words/state.js'
import type { AgentOptions } from './agent-options.js'
import { agentsOf, toolsIdentityOf } from './agents-of.js'
import { type ArtifactLibrary, artifactLibrary } from './artifact-library.js'
import { checkOptions } from './check-options.js'
import type { InnerAgent } from './inner-agent.js'
import { toEmit } from './to-emit.js'
import { toPlan } from './to-plan.js'

/** What an agent is, its types aside: what its runs, and runs of others that come to it, are made of. */
export class AgentCore implements InnerAgent {
  readonly name: string
  readonly options: AgentOptions<readonly AnyTool[]>
  readonly model: ChatModel
  readonly toolset: Toolset
  readonly output: OutputPlan | undefined
  readonly artifacts: ArtifactLibrary
  /** Those that a run of it may come to, itself among them, by name. */
  readonly agents: ReadonlyMap<string, InnerAgent>
  /** Of its runs, before what a run says. */
  readonly limits: Limits

  constructor(options: AgentOptions<readonly AnyTool[]>) {
    this.name = options.name ?? 'agent'
    this.options = options
    this.model = typeof options.model === 'string' ? chatModel(options.model) : options.model
    this.toolset = toToolset(options.tools ?? [])
    this.output = options.output && toOutputPlan(options.output, this.toolset.tools)
    this.artifacts = artifactLibrary(options.artifacts ?? memoryArtifacts())
    checkOptions(options, this.toolset)
    this.limits = toLimits({ steps: 20 }, options.limits)
    this.agents = agentsOf(this, this.toolset)
  }

  start(input: string, { runId, limits }: { readonly runId: string; readonly limits: Limits }): RunState {
    return begin(input, {
      agent: this.name,
      ...toolsIdentityOf(this, this.toolset),
      runId,
      limits: this.limits,
      further: tighter(this.limits, limits),
    }).state
  }

  async proceed(given: RunState, binding: HostBinding): Promise<RunState> {
    const { agents } = this
    // What the run around it was raised by must not raise what it bounds itself.
    const further = toLimits(this.limits, tighter(this.limits, given.limits))
    const { allowChangedTools, prices } = binding
    const walk = begin(given, {
      agent: this.name,
      ...toolsIdentityOf(this, this.toolset, agents),
      limits: {},
      further,
      allowChangedTools,
      // Those that the run around it was given.
      decisions: given.decisions,
    })
    const inner = {
      ...binding,
      agents,
      emit: both(binding.emit, toEmit(given.runId, [binding.silent ? undefined : this.options.observe])),
      prices: this.options.price ?? prices,
    }
    const run = { ...inner, walk, host: (inner.hostWithin ?? memoryHost)(inner) }
    try {
      return await drive(walk, toPlan(this, this.toolset, run), async () => undefined)
    } catch (error) {
      // The run that asked hears of it as of any call that fails.
      return withFailure(walk.state, error)
    }
  }
}

/** Each is given its own event: one is stamped as the run's, the other as the agent's. */
function both(one: Emit, other: Emit): Emit {
  if (!one || !other) return one ?? other
  return (event) => {
    other(withFields(event, {}))
    one(event)
  }
}

/** The tighter of each two bounds. */
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
