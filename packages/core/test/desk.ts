import type { Desk } from '../src/answer/dispatch.js'
import { toSlots } from '../src/answer/with-slots.js'
import { jsonSchema } from '../src/tool/json-schema.js'
import { memoryArtifacts } from '../src/tool/memory-artifacts.js'
import { type Tool, type ToolSettings, tool } from '../src/tool/tool.js'
import type { ToolContext } from '../src/tool/tool-context.js'
import { toToolset } from '../src/tool/toolset.js'
import type { StepContext } from '../src/words/host.js'
import type { ToolCall } from '../src/words/message.js'

/** A desk that answers calls of these tools, in the fourth turn of a run. */
export const deskOf = (tools: readonly Tool[], emit?: Desk['emit']): Desk => ({
  toolset: toToolset(tools),
  context: { user: 'Ada' },
  artifacts: memoryArtifacts(),
  slots: toSlots(8),
  runId: 'run-1',
  step: 3,
  repair: false,
  emit,
})

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
