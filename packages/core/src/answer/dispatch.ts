import { exampleOf } from '../tool/example-of.js'
import { settle } from '../tool/settle.js'
import type { Tool } from '../tool/tool.js'
import type { ToolContext } from '../tool/tool-context.js'
import type { Toolset } from '../tool/toolset.js'
import { type Checked, validate } from '../tool/validate.js'
import type { ArtifactStore } from '../words/artifact.js'
import { messageOf } from '../words/error.js'
import type { Emit } from '../words/event.js'
import type { StepContext } from '../words/host.js'
import type { ToolCall } from '../words/message.js'
import type { Answer } from '../words/state.js'
import { coerce } from './coerce.js'
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
  /** Whether arguments may be read as the schema means them. */
  readonly repair: boolean
  readonly emit: Emit
}

/** Answers one call: never throws, whatever the model sent and whatever the tool does. */
export async function dispatch(call: ToolCall, desk: Desk, step: StepContext): Promise<Answer> {
  const { name } = call.function
  const tool = desk.toolset.get(name)
  if (!tool) return rejection(unknownTool(name, desk.toolset))
  const parsed = parseArguments(call.function.arguments)
  if (!parsed.ok) return rejection(invalidArguments(tool, name, parsed.reason))
  let started = Number.NaN
  try {
    const checked = await check(tool, parsed.value, call, desk)
    if (!checked.ok) return rejection(invalidArguments(tool, name, checked.issues.join('; ')))
    const outcome = await desk.slots.take(tool, step.signal, () => {
      started = performance.now()
      return withDeadline(step.signal, tool.settings.timeoutMs, (signal) =>
        execute({ tool, call, args: checked.value, started }, desk, { ...step, signal }),
      )
    })
    return checked.repaired ? { ...outcome, repaired: true } : outcome
  } catch (error) {
    return failure(error, started, step.signal)
  }
}

/** Arguments that do not fit are read as the schema means them, where the agent asked for that. */
async function check(
  tool: Tool,
  value: unknown,
  { id }: ToolCall,
  { repair, step, emit }: Desk,
): Promise<Checked & { readonly repaired?: boolean }> {
  const checked = await validate(tool.parameters, value)
  if (checked.ok || !repair) return checked
  const coerced = coerce(value, tool.definition.function.parameters)
  if (coerced.repairs.length === 0) return checked
  const again = await validate(tool.parameters, coerced.value)
  if (again.ok)
    emit?.({ type: 'repair-applied', step, callId: id, name: tool.name, repairs: coerced.repairs })
  return again.ok ? { ...again, repaired: true } : checked
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

/** What is wrong with a call's arguments, and a small example of what would do. */
export function invalidArguments(tool: Tool | undefined, name: string, why: string): string {
  const example = tool ? exampleOf(tool.definition.function.parameters) : undefined
  const shown = example === undefined ? '' : `\nFor example: ${JSON.stringify(example)}`
  return `invalid arguments for "${name}", nothing was run: ${why}${shown}`
}

/** That no tool has this name, and which there are. */
export function unknownTool(said: string, { names }: Toolset): string {
  const what = said.trim() === '' ? 'the call has no tool name' : `there is no tool "${said}"`
  return `${what}. ${names.length > 0 ? `The tools are: ${names.join(', ')}.` : 'There are no tools.'}`
}
