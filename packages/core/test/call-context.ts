import { expect } from 'vitest'
import { policies } from '../src/features/policies.js'
import { Hooks } from '../src/run/hooks.js'
import type { ContextParts } from '../src/run/run-context.js'
import { toCallStep } from '../src/run/run-tools.js'
import { dispatch } from '../src/tools/execute-call.js'
import { jsonSchema } from '../src/tools/json-schema.js'
import type { Policy } from '../src/tools/policies.js'
import type { CallStep } from '../src/tools/prepare-call.js'
import { type Tool, type ToolContext, type ToolSettings, tool } from '../src/tools/tool.js'
import type { StepContext } from '../src/types/host.js'
import type { ToolCall } from '../src/types/message.js'
import type { CallResult } from '../src/types/state.js'
import { callsTo, runOf, stateOf } from './run-of.js'

/** Judges calls by these policies and by `needsApproval`. */
export function judgeOf(list: readonly Policy[]): CallStep['hooks'] {
  return new Hooks([policies().forAgent?.({ policy: list }) ?? []].flat())
}

/** A call context for these tools, in the fourth step of a run. */
export function callContextOf(
  tools: readonly Tool[],
  emit?: CallStep['emit'],
  parts: Partial<ContextParts> = {},
): CallStep {
  const run = runOf(tools, stateOf(callsTo('t'), { stepCount: 4 }), {
    settings: { hooks: new Hooks([]) },
    parts: { context: { user: 'Ada' }, emit, ...parts },
  })
  return toCallStep(run)
}

/** Runs a call that needs no decision. */
export async function answerOf(
  call: ToolCall,
  callContext: CallStep,
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
