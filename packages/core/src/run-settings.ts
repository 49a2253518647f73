import { type InnerAgent, trustIn } from './agents/reachable-agents.js'
import { CapstanError } from './errors.js'
import { outputToolName, toStructuredOutput } from './middleware/structured-output.js'
import type {
  Instructions,
  PrepareStep,
  QueuedMessages,
  RunContext,
  RunSettings,
  ToolChoice,
} from './run/run-context.js'
import { createCallScheduler } from './tools/concurrency.js'
import { allow, type Policy } from './tools/policies.js'
import type { Toolset } from './tools/tool.js'
import type { HostContext, RunHost } from './types/host.js'
import type { ChatModel } from './types/model.js'

/** The parts of a run that all its agents share. */
export interface RunParts extends HostContext {
  readonly walk: RunContext
  readonly agents: ReadonlyMap<string, InnerAgent>
  readonly host: RunHost
  readonly inbox?: QueuedMessages | undefined
  /** The tool choice of one agent of the run, in place of its own. */
  readonly toolChoice?: { readonly of: string; readonly choice: ToolChoice } | undefined
  /** Request fields of the run, merged over an agent's. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  /** The untrusted source of text in the input; `false`: results of unknown tools are trusted. Default: found in it. */
  readonly taintedBy?: string | false | undefined
}

/** Returns the settings of a run while this agent has the conversation. */
export function toRunSettings(
  { name, options, model, output, toolset: own }: InnerAgent,
  toolset: Toolset,
  run: RunParts,
): RunSettings {
  const { agents, context, signal, emit, host, artifacts, stream = false, prices, inbox, settings } = run
  const chosen = run.toolChoice?.of === name ? run.toolChoice.choice : undefined
  const modelOf = (own: ChatModel) => run.modelOf?.(own, name) ?? own
  const plans = new Map<string, RunSettings>()
  let trustOf: RunSettings['trustOf'] | undefined
  return {
    agent: name,
    model: modelOf(model),
    modelOf,
    // The types have checked the context.
    instructions: options.instructions as Instructions<unknown> | undefined,
    prepareStep: options.prepareStep as PrepareStep<unknown> | undefined,
    guards: {
      policies: [options.policy ?? []].flat().map((policy) => besidesOutput(policy as Policy)),
      taint: options.taint ?? true,
      unattended: run.unattended,
    },
    toolset,
    toolChoice: chosen ?? options.toolChoice ?? 'auto',
    settings: { ...options.settings, ...settings },
    context,
    artifacts,
    slots: createCallScheduler(options.concurrency ?? 8),
    prices: options.price ?? prices,
    stopWhen: options.stopWhen,
    stuck: options.stuck === false ? undefined : (options.stuck ?? {}),
    landing: options.landing ?? true,
    // Includes the tools of this run, if there are any.
    output: output && (toolset === own ? output : toStructuredOutput(output.schema, toolset.tools)),
    compact: options.compact,
    show: options.show ?? {},
    inbox,
    waits: run.decided !== undefined,
    stepTimeoutMs: options.stepTimeoutMs,
    toolErrors: { shown: options.toolErrors ?? 'all', onToolError: options.onToolError },
    repair: options.repair,
    stream,
    signal,
    host,
    emit,
    trustOf(tool) {
      trustOf ??= trustIn(agents, toolset)
      return trustOf(tool)
    },
    taintedBy: run.taintedBy,
    agents,
    of(other) {
      const agent = agents.get(other)
      if (!agent) throw unknownAgent(other, [...agents.keys()])
      const plan = plans.get(other) ?? toRunSettings(agent, agent.toolset, run)
      plans.set(other, plan)
      return plan
    },
  }
}

/** The tool of the final answer changes nothing, so it needs no approval. */
function besidesOutput(policy: Policy): Policy {
  return (call, view) => (call.name === outputToolName ? allow : policy(call, view))
}

function unknownAgent(name: string, names: readonly string[]): CapstanError {
  const message = `The state belongs to the agent "${name}", which this run does not have. Agents: ${names.join(', ')}.`
  return new CapstanError('invalid_state', message, { evidence: { name } })
}
