import { expect } from 'vitest'
import { CallOrder } from '../src/answer/call-order.js'
import type { Desk } from '../src/answer/desk.js'
import { dispatch } from '../src/answer/dispatch.js'
import { Purse } from '../src/answer/purse.js'
import { toSlots } from '../src/answer/with-slots.js'
import { jsonSchema } from '../src/tool/json-schema.js'
import { memoryArtifacts } from '../src/tool/memory-artifacts.js'
import { type Tool, tool } from '../src/tool/tool.js'
import type { ToolContext } from '../src/tool/tool-context.js'
import type { ToolSettings } from '../src/tool/tool-settings.js'
import { toToolset } from '../src/tool/toolset.js'
import type { StepContext } from '../src/words/host.js'
import type { ToolCall } from '../src/words/message.js'
import type { Answer } from '../src/words/state.js'
import { noUsage } from '../src/words/usage.js'

/** A desk that answers calls of these tools, in the fourth turn of a run. */
export const deskOf = (tools: readonly Tool[], emit?: Desk['emit']): Desk => ({
  toolset: toToolset(tools),
  context: { user: 'Ada' },
  artifacts: memoryArtifacts(),
  slots: toSlots(8),
  order: new CallOrder(),
  purse: new Purse(noUsage, {}, undefined),
  guards: { policies: [], taint: true },
  view: { context: { user: 'Ada' }, runId: 'run-1', step: 3, usage: noUsage, approved: [] },
  runId: 'run-1',
  step: 3,
  repair: false,
  untrustedSource: async () => undefined,
  toolErrors: { shown: 'all' },
  failures: new Map(),
  emit,
})

/** Answers a call that waits for nobody. */
export async function answerOf(call: ToolCall, desk: Desk, step: StepContext): Promise<Answer> {
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

/** A tool that takes any object. */
export const named = (
  name: string,
  execute: (args: unknown, ctx: ToolContext) => unknown,
  settings: ToolSettings = {},
): Tool => tool({ name, description: '', parameters: jsonSchema({ type: 'object' }), execute, ...settings })
