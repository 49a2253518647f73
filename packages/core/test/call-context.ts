import { expect } from 'vitest'
import { memoryArtifacts } from '../src/artifacts/memory-artifacts.js'
import { policies } from '../src/features/policies.js'
import { SpendLimiter } from '../src/limits.js'
import { createCallScheduler, KeyOrder } from '../src/tools/concurrency.js'
import { dispatch } from '../src/tools/execute-call.js'
import { jsonSchema } from '../src/tools/json-schema.js'
import type { Policy, PolicyView } from '../src/tools/policies.js'
import { type CallContext, type Judge, judgeCall } from '../src/tools/prepare-call.js'
import { type Tool, type ToolContext, type ToolSettings, tool, toToolset } from '../src/tools/tool.js'
import type { StepContext } from '../src/types/host.js'
import type { ToolCall } from '../src/types/message.js'
import type { CallResult } from '../src/types/state.js'
import { noUsage } from '../src/usage.js'

/** Judges calls by these policies and by `needsApproval`, in the fourth step of a run. */
export function judgeOf(list: readonly Policy[]): CallContext['judge'] {
  const view = { context: { user: 'Ada' }, runId: 'run-1', step: 3, usage: noUsage, approved: [] }
  const judges = [policies().forAgent?.({ policy: list }) ?? []].flat() as readonly Judge<PolicyView>[]
  return (call, one) => judgeCall(call, one, judges, view)
}

/** A call context for these tools, in the fourth step of a run. */
export const callContextOf = (tools: readonly Tool[], emit?: CallContext['emit']): CallContext => ({
  toolset: toToolset(tools),
  context: { user: 'Ada' },
  artifacts: memoryArtifacts(),
  scheduler: createCallScheduler(8),
  order: new KeyOrder(),
  spendLimiter: () => new SpendLimiter({ usage: noUsage, limits: {}, results: {} }, undefined),
  judge: judgeOf([]),
  wrap: undefined,
  finish: (_call, result) => result,
  unattended: false,
  runId: 'run-1',
  step: 3,
  repair: undefined,
  toolErrors: { shown: 'all' },
  failures: new Map(),
  emit,
})

/** Runs a call that needs no decision. */
export async function answerOf(
  call: ToolCall,
  callContext: CallContext,
  step: StepContext,
): Promise<CallResult> {
  const outcome = await dispatch(call, callContext, step)
  return 'content' in outcome ? outcome : expect.unreachable('nobody else is asked')
}

export const callOf = (name: string, text = '{}'): ToolCall => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: text },
})

export const stepOf = (signal = new AbortController().signal): StepContext => ({
  idempotencyKey: 'run-1/step3/call0',
  signal,
})

/** A tool that accepts any object. */
export const named = (
  name: string,
  execute: (args: unknown, ctx: ToolContext) => unknown,
  settings: ToolSettings = {},
): Tool => tool({ name, description: 'D', parameters: jsonSchema({ type: 'object' }), execute, ...settings })
