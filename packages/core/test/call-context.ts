import { expect } from 'vitest'
import { memoryArtifacts } from '../src/artifacts/memory-artifacts.js'
import { SpendLimiter } from '../src/limits.js'
import { createCallScheduler, KeyOrder } from '../src/tools/concurrency.js'
import { type CallContext, dispatch } from '../src/tools/execute-call.js'
import { jsonSchema } from '../src/tools/json-schema.js'
import { type Tool, type ToolContext, type ToolSettings, tool, toToolset } from '../src/tools/tool.js'
import type { StepContext } from '../src/types/host.js'
import type { ToolCall } from '../src/types/message.js'
import type { CallResult } from '../src/types/state.js'
import { noUsage } from '../src/usage.js'

/** A call context for these tools, in the fourth step of a run. */
export const deskOf = (tools: readonly Tool[], emit?: CallContext['emit']): CallContext => ({
  toolset: toToolset(tools),
  context: { user: 'Ada' },
  artifacts: memoryArtifacts(),
  slots: createCallScheduler(8),
  order: new KeyOrder(),
  spendLimiter: new SpendLimiter(noUsage, {}, undefined),
  guards: { policies: [], taint: true },
  view: { context: { user: 'Ada' }, runId: 'run-1', step: 3, usage: noUsage, approved: [] },
  runId: 'run-1',
  step: 3,
  repair: undefined,
  untrustedSource: async () => undefined,
  toolErrors: { shown: 'all' },
  failures: new Map(),
  emit,
})

/** Runs a call that needs no decision. */
export async function answerOf(call: ToolCall, desk: CallContext, step: StepContext): Promise<CallResult> {
  const outcome = await dispatch({ call }, desk, step)
  return 'content' in outcome ? outcome : expect.unreachable('nobody else is asked')
}

export const callOf = (name: string, text = '{}'): ToolCall => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: text },
})

export const stepOf = (signal = new AbortController().signal): StepContext => ({
  idempotencyKey: 'run-1/t3/tool0',
  signal,
})

/** A tool that accepts any object. */
export const named = (
  name: string,
  execute: (args: unknown, ctx: ToolContext) => unknown,
  settings: ToolSettings = {},
): Tool => tool({ name, description: '', parameters: jsonSchema({ type: 'object' }), execute, ...settings })
