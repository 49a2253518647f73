import { type AnyTool, type RunOptions, tool } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { invalidRequest, toHttpError } from './http-error.js'

/** A caller that offers a tool of this name is asked there for a yes to calls that need one. */
export const approvalTool = 'request_approval'

/** The tools that a caller answers itself: without a function, their calls are handed back. */
export function callerTools(given: unknown): readonly AnyTool[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) throw invalidRequest('`tools` must be a list.')
  return given.map(toTool).filter(({ name }) => name !== approvalTool)
}

/** Whether the caller wants to be asked for approvals. */
export function asksForApprovals(given: unknown): boolean {
  return Array.isArray(given) && given.some((one) => one?.function?.name === approvalTool)
}

function toTool(
  given: { function?: { name?: unknown; description?: unknown; parameters?: unknown } } | null,
) {
  const { name, description, parameters } = given?.function ?? {}
  if (typeof name !== 'string')
    throw invalidRequest(
      'Each tool must be { type: "function", function: { name, description, parameters } }.',
    )
  const schema =
    typeof parameters === 'object' && parameters !== null ? parameters : { type: 'object', properties: {} }
  try {
    return tool({
      name,
      description: typeof description === 'string' && description.trim() !== '' ? description : name,
      parameters: onlyShown(schema as Record<string, unknown>),
    })
  } catch (error) {
    // What is wrong with a tool of its own is the caller's to know.
    throw toHttpError(error, false)
  }
}

/**
 * A caller's schema goes to the model as it is, and is not looked at here: it checks its own arguments, and a pattern
 * of its making may take for ever.
 */
function onlyShown(schema: Readonly<Record<string, unknown>>) {
  const toJson = () => ({ ...schema, type: 'object' })
  const validate = (value: unknown) =>
    isRecord(value) ? { value } : { issues: [{ message: 'it is no object' }] }
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'capstan-http',
      validate,
      jsonSchema: { input: toJson, output: toJson },
    },
  }
}

/** The caller's `tool_choice`; `none` is said by giving the run no tools of theirs. */
export function toToolChoice(given: unknown): RunOptions['toolChoice'] {
  if (given === undefined || given === null || given === 'auto' || given === 'none') return undefined
  if (given === 'required') return 'required'
  const { name } = (given as { function?: { name?: unknown } }).function ?? {}
  if (typeof name === 'string') return { type: 'function', function: { name } }
  throw invalidRequest(
    '`tool_choice` must be auto, none, required, or { type: "function", function: { name } }.',
  )
}
