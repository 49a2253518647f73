// Reads the questions in servers' requests. All of their content is untrusted.
import { CapstanError, type Json } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { limitSchemaText, schemaCost } from '@capstan/schema/imported-schema'
import { sanitizeText } from '@capstan/schema/sanitize-text'

/** A question for the user, with text that is safe to show. */
export interface Question {
  /** The server's name for the question. */
  readonly key: string
  readonly message: string
  /** The answer's schema. */
  readonly schema?: Readonly<Record<string, Json>>
  /** A URL that the user opens instead of filling in a form. */
  readonly url?: string
}

/**
 * Reads the parameters of `elicitation/create`.
 * @throws CapstanError `invalid_response` for a question that the protocol does not define
 */
export function readQuestion(key: string, params: unknown): Question {
  const { mode = 'form', message, requestedSchema, url } = isRecord(params) ? params : {}
  if (typeof message !== 'string') throw malformed('it has no message')
  const shown = sanitizeText(message, maxMessage)
  if (mode === 'url') return { key, message: shown, url: toAddress(url) }
  if (mode !== 'form') throw malformed('its mode is neither "form" nor "url"')
  if (!isRecord(requestedSchema) || requestedSchema.type !== 'object')
    throw malformed('its requestedSchema is not the schema of an object')
  const schema = limitSchemaText(requestedSchema) as Readonly<Record<string, Json>>
  const isLong = JSON.stringify(schema).length > maxSchema || schemaCost(requestedSchema).parts > maxParts
  if (isLong) throw malformed('its requestedSchema is too long')
  return { key, message: shown, schema }
}

/** The questions that a server asks before it returns a call's result. */
export interface InputRequired {
  readonly questions: readonly Question[]
  /** The server's own data, to send back with the answers. */
  readonly requestState?: string
}

/**
 * Reads an `input_required` result.
 * @throws CapstanError `unsupported` for a request other than a question to the user, `invalid_response` if anything is
 * invalid or too long
 */
export function readInputRequired({
  inputRequests,
  requestState,
}: {
  readonly inputRequests?: unknown
  readonly requestState?: unknown
}): InputRequired {
  const state = typeof requestState === 'string' ? { requestState } : {}
  const bytes = new TextEncoder().encode(state.requestState).byteLength
  if (bytes > maxState) throw malformed(`its requestState has ${bytes} bytes, more than ${maxState}`)
  const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {})
  if (requests.length > maxQuestions)
    throw malformed(`it asks more than ${maxQuestions} questions in one result`)
  const questions = requests.map(([key, request]) => {
    const { method, params } = isRecord(request) ? request : {}
    if (method === 'elicitation/create') return readQuestion(key, params)
    const asked = sanitizeText(String(method), maxMethod)
    throw new CapstanError(
      'unsupported',
      `The server requested "${asked}" during a call. Only questions for the user are supported.`,
    )
  })
  return { questions, ...state }
}

function toAddress(url: unknown): string {
  const { protocol, href } = typeof url === 'string' && URL.canParse(url) ? new URL(url) : {}
  const isWeb = protocol === 'https:' || protocol === 'http:'
  if (!isWeb || href === undefined || href.length > maxUrl) throw malformed('its url is not a web URL')
  return href
}

function malformed(why: string): CapstanError {
  const message = `The server's question to the user cannot be shown: ${why}. Report it to the server's authors.`
  return new CapstanError('invalid_response', message)
}

const maxMessage = 4096
const maxMethod = 100
const maxUrl = 4096
const maxSchema = 32_768
const maxParts = 1000
const maxState = 64 * 1024
const maxQuestions = 20
