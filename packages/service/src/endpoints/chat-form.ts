import { ServiceError } from '../http/service-error.js'
import type { JsonSchema } from '../plan/json-schema.js'
import { uncheckedIn } from '../plan/unchecked-schema.js'
import { isRecord } from '../record.js'

/** The form an answer in words must have. */
export type AnswerForm =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly name: string
      readonly description: string
      readonly schema: JsonSchema
    }

/** Checks `response_format`; 400 `invalid_response_format` says what is wrong, also with a schema that could not be kept. */
export function parseForm(format: unknown): AnswerForm {
  if (format === undefined || format === null) return { type: 'text' }
  const type = isRecord(format) ? format.type : undefined
  if (type === 'text' || type === 'json_object') return { type }
  if (!isRecord(format) || type !== 'json_schema') {
    throw invalid('response_format.type', 'must be "text", "json_object" or "json_schema"')
  }
  return parseSchema(format.json_schema)
}

const at = 'response_format.json_schema'

function parseSchema(given: unknown): AnswerForm {
  if (!isRecord(given)) throw invalid(at, 'must be an object with a name and a schema')
  const { name, description = '', schema, strict } = given
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw invalid(`${at}.name`, 'must be 1 to 64 letters, digits, underscores or hyphens')
  }
  if (description !== null && typeof description !== 'string')
    throw invalid(`${at}.description`, 'must be a string')
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    throw invalid(`${at}.strict`, 'must be true or false')
  if (!isRecord(schema)) throw invalid(`${at}.schema`, 'must be a JSON Schema')
  const unchecked = uncheckedIn(schema)
  if (unchecked !== undefined) {
    throw invalid(`${at}.schema`, `uses "${unchecked}", which this service cannot check an answer against`)
  }
  return { type: 'json_schema', name, description: description ?? '', schema }
}

function invalid(field: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_response_format', `${field} ${what}.`, field)
}
