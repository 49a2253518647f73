import { exampleOf } from '../tool/example-of.js'
import type { Tool } from '../tool/tool.js'
import type { Answer, CallStatus } from '../words/state.js'

/** An answer that tells the model what it got wrong; the function did not run. */
export function rejection(why: string): Answer {
  return refusal('rejected', why)
}

/** What a call is answered with when a policy or a person says no. */
export function denial(reason: string): Answer {
  return refusal('denied', `this call was not allowed: ${reason}`)
}

/** What a call is answered with when the run ends before it could run. */
export const notRun: Answer = refusal('not_run', 'the run was stopped; this call did not run.')

/** What a call is answered with that had started when the run ended. */
export const cutOff: Answer = refusal('cut_off', 'the run was stopped; this call may have taken effect.')

/** An answer in place of a result. */
export function refusal(status: Exclude<CallStatus, 'ok'>, why: string): Answer {
  return { status, content: `Error: ${why.toWellFormed()}`, ms: 0 }
}

/** What is wrong with a call's arguments, and a small example of what would do. */
export function invalidArguments(tool: Tool | undefined, name: string, why: string): string {
  const example = tool ? exampleOf(tool.definition.function.parameters) : undefined
  const shown = example === undefined ? '' : `\nFor example: ${JSON.stringify(example)}`
  return `invalid arguments for "${name}", nothing was run: ${why}${shown}`
}

/** That no tool has this name, and which there are. */
export function unknownTool(said: string, names: readonly string[]): string {
  const what = said.trim() === '' ? 'the call has no tool name' : `there is no tool "${said}"`
  return `${what}. ${listed(names)}`
}

/** That a tool cannot be used now, and which can. */
export function notOffered(name: string, names: readonly string[]): string {
  return `"${name}" cannot be used in this step, nothing was run. ${listed(names)}`
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? `The tools are: ${names.join(', ')}.` : 'There are no tools.'
}
