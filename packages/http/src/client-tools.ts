import { type AnyTool, type RunOptions, tool } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { type HttpError, invalidRequest, toHttpError } from './http-error.js'

/**
 * The tool for approval requests. A client that offers a tool with this name receives approval requests as calls to it.
 */
export const approvalTool = 'request_approval'

/**
 * Converts the client's tools, except `request_approval`. They have no `execute`, so their calls are sent back to the
 * client.
 * @throws HttpError 400 for an invalid tool
 */
export function clientTools(given: unknown): readonly AnyTool[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) throw invalidRequest('`tools` must be an array.')
  return given.map(toTool).filter(({ name }) => name !== approvalTool)
}

/** Whether the client offers `request_approval`, to receive approval requests as calls to it. */
export function asksForApprovals(given: unknown): boolean {
  return Array.isArray(given) && given.some((one) => one?.function?.name === approvalTool)
}

/** Creates the error for a tool that this server would have to run itself. */
export function wrongTool(type: unknown, wanted: string): HttpError {
  return invalidRequest(
    `A tool of type ${JSON.stringify(type)} is not supported: this server runs the agent's own tools. Offer ${wanted} only.`,
  )
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
      parameters: unvalidatedSchema(schema as Record<string, unknown>),
    })
  } catch (error) {
    // The error is about the client's own tool, so the client gets the message.
    throw toHttpError(error, false)
  }
}

/**
 * Returns a schema that is passed to the model unchanged, and accepts all arguments. The client validates its own
 * arguments, and a pattern from a client could run forever.
 */
function unvalidatedSchema(schema: Readonly<Record<string, unknown>>) {
  const toJson = () => ({ ...schema, type: 'object' })
  const validate = (value: unknown) =>
    isRecord(value) ? { value } : { issues: [{ message: 'must be an object' }] }
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'capstan-http',
      validate,
      jsonSchema: { input: toJson, output: toJson },
    },
  }
}

/** Converts the client's `tool_choice`. Undefined for `auto`, and for `none`: the run then gets no client tools. */
export function toToolChoice(given: unknown): RunOptions['toolChoice'] {
  if (given === undefined || given === null || given === 'auto' || given === 'none') return undefined
  if (given === 'required') return 'required'
  const { name } = (given as { function?: { name?: unknown } }).function ?? {}
  if (typeof name === 'string') return { type: 'function', function: { name } }
  throw invalidRequest(
    '`tool_choice` must be auto, none, required, or { type: "function", function: { name } }.',
  )
}
