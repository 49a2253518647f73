import type { ToolContext } from '../tool/tool.js'
import { settle, type Tool } from '../tool/tool.js'
import type { Toolset } from '../tool/toolset.js'
import { validate } from '../tool/validate.js'
import type { ArtifactStore } from '../words/artifact.js'
import { messageOf } from '../words/error.js'
import type { Emit } from '../words/event.js'
import type { StepContext } from '../words/host.js'
import type { ToolCall } from '../words/message.js'
import type { Answer } from '../words/state.js'
import { parseArguments } from './parse-arguments.js'
import { renderOutput } from './render-output.js'
import { withDeadline } from './with-deadline.js'
import type { Slots } from './with-slots.js'

/** What answering calls needs, the same for all calls of a turn. */
export interface Desk {
  readonly toolset: Toolset
  readonly context: unknown
  readonly artifacts: ArtifactStore
  readonly slots: Slots
  readonly runId: string
  readonly step: number
  readonly emit: Emit
}

/** Answers one call: never throws, whatever the model sent and whatever the tool does. */
export async function dispatch(call: ToolCall, desk: Desk, step: StepContext): Promise<Answer> {
  const { name } = call.function
  const tool = desk.toolset.get(name)
  if (!tool) return rejection(unknownTool(name, desk.toolset))
  const parsed = parseArguments(call.function.arguments)
  if (!parsed.ok) return rejection(invalidArguments(name, parsed.reason))
  let started = Number.NaN
  try {
    const checked = await validate(tool.parameters, parsed.value)
    if (!checked.ok) return rejection(invalidArguments(name, checked.issues.join('; ')))
    return await desk.slots.take(tool, step.signal, () => {
      started = performance.now()
      return withDeadline(step.signal, tool.settings.timeoutMs, (signal) =>
        execute({ tool, call, args: checked.value, started }, desk, { ...step, signal }),
      )
    })
  } catch (error) {
    return failure(error, started, step.signal)
  }
}

/** An answer that tells the model what it got wrong; the function did not run. */
export function rejection(why: string): Answer {
  return { status: 'rejected', content: `Error: ${why.toWellFormed()}`, ms: 0 }
}

/** What a call is answered with when the run ends before it could run. */
export const notRun: Answer = {
  status: 'not_run',
  content: 'Error: the run was stopped; this call did not run.',
  ms: 0,
}

interface Ready {
  readonly tool: Tool
  readonly call: ToolCall
  readonly args: unknown
  readonly started: number
}

async function execute({ tool, call, args, started }: Ready, desk: Desk, step: StepContext): Promise<Answer> {
  const { context, artifacts: store, runId, emit } = desk
  const ref = { step: desk.step, callId: call.id, name: tool.name }
  // A function that outlives its answer has nothing more to say in the run.
  const progress = (value: unknown) => {
    if (!step.signal.aborted) emit?.({ type: 'tool-progress', ...ref, value })
  }
  const ctx: ToolContext = {
    ...step,
    context,
    artifacts: store,
    runId,
    callId: call.id,
    step: desk.step,
    progress,
  }
  emit?.({ type: 'tool-start', ...ref, arguments: args })
  const output = await settle(tool.execute(args, ctx), progress, step.signal)
  const { content, result, artifacts } = renderOutput(output)
  const ms = since(started)
  return { status: 'ok', content, ...(result === undefined ? {} : { result }), artifacts, ms }
}

function failure(error: unknown, started: number, signal: AbortSignal): Answer {
  if (!signal.aborted)
    return { status: 'error', content: `Error: ${messageOf(error).toWellFormed()}`, ms: since(started) }
  if (Number.isNaN(started)) return notRun
  return {
    status: 'cut_off',
    content: 'Error: the run was stopped; this call may have taken effect.',
    ms: since(started),
  }
}

function since(started: number): number {
  return Number.isNaN(started) ? 0 : Math.round(performance.now() - started)
}

function invalidArguments(name: string, why: string): string {
  return `invalid arguments for "${name}", nothing was run: ${why}`
}

function unknownTool(name: string, { names }: Toolset): string {
  const list = names.length > 0 ? `The tools are: ${names.join(', ')}.` : 'There are no tools.'
  return `there is no tool "${name}". ${list}`
}
