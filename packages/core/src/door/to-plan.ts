import { toSlots } from '../answer/with-slots.js'
import type { ChatModel } from '../ask/model.js'
import { type OnCheckpoint, withCheckpoints } from '../run/checkpoints.js'
import { memoryHost } from '../run/memory-host.js'
import type { Instructions, PrepareStep, RunPlan, Walk } from '../run/walk.js'
import type { Toolset } from '../tool/toolset.js'
import type { AnyTool } from '../tool/types.js'
import type { ArtifactStore } from '../words/artifact.js'
import type { Policy } from '../words/policy.js'
import type { AgentOptions, CommonRunOptions } from './agent-options.js'
import type { RunStart } from './run.js'
import { toEmit } from './to-emit.js'

/** What a run's options say, whatever their types were. */
export type StartOptions = CommonRunOptions & { readonly context?: unknown }

/** What the agent, and the way a run was started, add to the options. */
export interface RunParts {
  readonly agent: string
  readonly model: ChatModel
  readonly artifacts: ArtifactStore
  readonly toolset: Toolset
  readonly walk: Walk
  readonly signal: AbortSignal
  readonly save: OnCheckpoint | undefined
  /** Of a run that is streamed. */
  readonly start: RunStart | undefined
}

/** What a run is made of, from the options of its agent and its own. */
export function toPlan(
  options: AgentOptions<readonly AnyTool[]>,
  run: StartOptions,
  parts: RunParts,
): RunPlan {
  const { agent, model, artifacts, toolset, walk, signal, save, start } = parts
  const { state } = walk
  const { context } = run
  const emit = toEmit(state.runId, [start?.listen, run.observe, options.observe])
  const room = start?.room
  const host = withCheckpoints(run.host ?? memoryHost, state, save)
  return {
    agent,
    model,
    // Written for the context that the types have made sure of.
    instructions: options.instructions as Instructions<unknown> | undefined,
    prepareStep: options.prepareStep as PrepareStep<unknown> | undefined,
    guards: { policies: [options.policy ?? []].flat() as Policy[], taint: options.taint ?? true },
    toolset,
    toolChoice: options.toolChoice ?? 'auto',
    settings: { ...options.settings, ...run.settings },
    context,
    artifacts,
    slots: toSlots(options.concurrency ?? 8),
    prices: options.price,
    stopWhen: options.stopWhen,
    stuck: options.stuck === false ? undefined : (options.stuck ?? {}),
    landing: options.landing ?? true,
    stepTimeoutMs: options.stepTimeoutMs,
    decisions: run.decisions ?? {},
    repair: options.repair === 'safe',
    stream: start !== undefined,
    signal,
    host: host({
      runId: state.runId,
      agents: new Map(),
      context,
      signal,
      emit,
      ...(room ? { decided: (call) => room.wait(call, signal) } : {}),
    }),
    emit,
  }
}
