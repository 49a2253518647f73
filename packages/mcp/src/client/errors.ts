import { CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'
import { sanitizeText } from '@capstan/schema/sanitize-text'
import { notAResult, streamEnded } from './messages.js'
import { redactSecrets, type ServerAddress } from './server-text.js'
import type { ProcessEnd, ServerProcess } from './transport.js'

/** Converts a failure to an error with advice on how to fix it. `doing` describes the work that failed. */
export function toError(error: unknown, doing: string, address: ServerAddress): CapstanError {
  if (isCapstanError(error)) return error
  const { code, status, message, kind } = read(error)
  const [known, fact, fix] = kind ?? kindOf(code, status)
  // Errors from calls are for the model, which cannot change the program.
  const advice = doing.startsWith(calling) ? [fact] : [fact, fix ?? '']
  const detail = sanitizeText(redactSecrets(message, address), maxDetail)
  // Text for the model.
  const text = `The MCP server "${address.label}" failed while ${doing}: ${detail}`
  const sentences = [`${text.replace(/[.\s]*$/, '')}.`, ...advice]
  return new CapstanError(known, sentences.filter(Boolean).join(' '), {
    evidence: { server: address.label, code },
    retryable: retryable.includes(known),
    ...(status === undefined ? {} : { status }),
  })
}

/** The server that caused an error, and what Capstan was doing at that time. */
interface FailedServer {
  readonly label: string
  readonly process: ServerProcess | undefined
  /** The work that failed. Default: not mentioned in the error. */
  readonly doing?: string
}

/** Adds how the server process exited, and the end of its standard error output, to an error. */
export function withProcess(failure: CapstanError, server: FailedServer): CapstanError {
  const stderr = server.process?.lastStderr() ?? ''
  const end = server.process?.end()
  const { code, message, retryable, evidence, status } = failure
  if (code === 'invalid_arguments' || (!end && stderr === '')) return failure
  const output = stderr === '' ? '' : ` Its stderr ends with:\n${stderr}`
  return new CapstanError(code, end ? `${endedMessage(failure, end, server)}${output}` : message, {
    retryable,
    evidence: { ...evidence, ...end, ...(stderr === '' ? {} : { stderr }) },
    ...(status === undefined ? {} : { status }),
  })
}

function endedMessage({ code, message }: CapstanError, end: ProcessEnd, server: FailedServer): string {
  const { label, doing } = server
  const how = 'signal' in end ? `ended by ${end.signal}` : `ended with exit code ${end.exitCode}`
  if (doing === undefined || code !== 'network') return `${message} It ${how}.`
  const advice = doing === connecting ? environmentAdvice : 'The request may have taken effect'
  return `The MCP server "${label}" failed while ${doing}: it ${how}. ${advice}.`
}

/** The value of `doing` until the server has responded to `initialize`. */
export const connecting = 'connecting'

/** The prefix of `doing` for calls. */
export const calling = 'calling '

/** Advice for a server that has exited: missing environment variables are a common reason. */
const environmentAdvice = 'It gets only PATH, HOME and the like: pass other variables in env'

const maxDetail = 1000
const retryable: readonly ErrorCode[] = ['network', 'timeout', 'rate_limit']

/** The kind of an error. `fix` is for the developer. */
type Kind = readonly [code: ErrorCode, fact: string, fix?: string]

const lost: Kind = [
  'network',
  'The request may have taken effect.',
  'Check whether the server is still running.',
]
const notSent: Kind = ['network', 'Nothing was sent.', 'Check the URL, and that the server is running.']
const malformed: Kind = [
  'invalid_response',
  'Its response violates the protocol.',
  "Report it to the server's authors.",
]
const unsupported: Kind = ['unsupported', '', 'Use a different server, or a different version of it.']
const notFound: Kind = ['not_found', '', 'Check the command or the URL.']
const unauthorized: Kind = ['auth', '', 'Pass credentials in headers, env or authProvider.']

/** Error codes of connections that were never established. */
const notSentCodes = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
]

/** Whether a request failed before the server received any of it. */
export function isNotSent(error: unknown): boolean {
  return notSentCodes.includes(read(error).code ?? '')
}

/** Error kinds, by the error code of the client, JSON-RPC or the operating system. */
const kinds: Readonly<Record<string, Kind>> = {
  REQUEST_TIMEOUT: ['timeout', 'It may have taken effect.', 'Raise timeoutMs if the server needs longer.'],
  CONNECTION_CLOSED: lost,
  NOT_CONNECTED: lost,
  SEND_FAILED: lost,
  ERA_NEGOTIATION_FAILED: ['network', '', 'Check that the server is running and supports MCP.'],
  ...Object.fromEntries(notSentCodes.map((code) => [code, notSent])),
  ECONNRESET: lost,
  EPIPE: lost,
  [streamEnded]: lost,
  [notAResult]: malformed,
  INVALID_RESULT: malformed,
  UNSUPPORTED_RESULT_TYPE: malformed,
  LIST_PAGINATION_EXCEEDED: [
    'invalid_response',
    'Its list of tools never ends.',
    "Report it to the server's authors.",
  ],
  CAPABILITY_NOT_SUPPORTED: unsupported,
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: unsupported,
  ENOENT: notFound,
  EACCES: notFound,
  '-32601': unsupported,
  '-32602': ['invalid_arguments', 'Call it with arguments that match its schema.'],
}

/** Error codes of the operating system and of `fetch`, such as `ETIMEDOUT` and `UND_ERR_SOCKET`. */
const systemCodes = /^(E[A-Z]+$|UND_ERR_|ERR_[A-Z])/

function kindOf(code: string | undefined, status: number | undefined): Kind {
  if (status === 401 || status === 403) return unauthorized
  if (status === 404) return notFound
  if (status === 429) return ['rate_limit', 'Retry later.', 'Limit the calls with the setting rate.']
  if (code !== undefined && Object.hasOwn(kinds, code)) return kinds[code] ?? lost
  return code === undefined || systemCodes.test(code) ? lost : ['api', '', "Check the server's message."]
}

interface Read {
  readonly code: string | undefined
  readonly status: number | undefined
  readonly message: string
  /** Set for an error whose class determines the kind. */
  readonly kind?: Kind | undefined
}

/**
 * Reads the innermost cause of an error, because errors from `fetch` and from handshakes only state that they failed.
 */
function read(error: unknown): Read {
  const { code, status, message, cause, data, issues } = Object(error) as Readonly<Record<string, unknown>>
  const inner = cause ?? Object(data).cause
  if (inner instanceof Error && (code === undefined || code === 'ERA_NEGOTIATION_FAILED')) {
    const found = read(inner)
    // For a failed handshake, use the cause only if it is more specific.
    if (code === undefined || found.code !== undefined || found.kind) return found
  }
  // The SDK's schemas throw their issues. A RangeError means that the message was nested too deeply.
  const isMalformed = error instanceof RangeError || error instanceof SyntaxError || Array.isArray(issues)
  return {
    code: code === undefined ? undefined : String(code),
    status: typeof status === 'number' ? status : undefined,
    message:
      isMalformed && Array.isArray(issues) ? 'it sent no valid message' : String(message || code || error),
    kind: isMalformed ? malformed : isRefusal(error, code) ? unauthorized : undefined,
  }
}

/** Whether authorization failed. The SDK marks errors from `authProvider` and from its requests. */
function isRefusal(error: unknown, code: unknown): boolean {
  const { name, [authMark]: isMarked } = Object(error) as Readonly<Record<PropertyKey, unknown>>
  return (isMarked === true || name === 'UnauthorizedError') && !busyCodes.has(String(code))
}

/** Error codes from an authorization server for which a retry may succeed. */
const busyCodes = new Set(['server_error', 'temporarily_unavailable', 'too_many_requests'])
const authMark = Symbol.for('mcp.authSeamEscape')
