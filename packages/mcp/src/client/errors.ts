import { CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'
import { type Address, tidyText, withoutSecrets } from './server-text.js'

/** What failed, as an error that says what to do. `doing` says in words what was tried. */
export function toError(error: unknown, doing: string, address: Address): CapstanError {
  if (isCapstanError(error)) return error
  const { code, status, message } = read(error)
  // What is nested deeper than anybody can follow is no answer.
  const [known, advice] = error instanceof RangeError ? odd : kindOf(code, status)
  const words = tidyText(withoutSecrets(message, address), maxWords)
  const said = `The MCP server "${address.called}" could not be used for ${doing}: ${words}`
  return new CapstanError(known, `${said.replace(/[.\s]*$/, '')}. ${advice}`, {
    evidence: { server: address.called, code },
    retryable: retryable.includes(known),
    ...(status === undefined ? {} : { status }),
  })
}

const maxWords = 1000
const retryable: readonly ErrorCode[] = ['network', 'timeout', 'rate_limit']

type Kind = readonly [code: ErrorCode, advice: string]

const lost: Kind = ['network', 'What it was doing may have taken effect; see whether the server still runs.']
const odd: Kind = ['invalid_response', 'Its answer does not follow the protocol: tell its makers.']
const unable: Kind = ['unsupported', 'Use another server, or another version of it.']
const absent: Kind = ['not_found', 'Check the command or the address.']
const refused: Kind = ['auth', 'Give what it asks for in headers, env or authProvider.']

/** By the codes of the client, of JSON-RPC and of the system. */
const kinds: Readonly<Record<string, Kind>> = {
  REQUEST_TIMEOUT: ['timeout', 'It may have taken effect; raise timeoutMs if the server needs longer.'],
  CONNECTION_CLOSED: lost,
  NOT_CONNECTED: lost,
  SEND_FAILED: lost,
  ERA_NEGOTIATION_FAILED: ['network', 'See whether the server runs, and is one.'],
  ECONNREFUSED: lost,
  ECONNRESET: lost,
  EPIPE: lost,
  INVALID_RESULT: odd,
  UNSUPPORTED_RESULT_TYPE: odd,
  LIST_PAGINATION_EXCEEDED: [
    'invalid_response',
    'Its list of tools does not come to an end: tell its makers.',
  ],
  CAPABILITY_NOT_SUPPORTED: unable,
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: unable,
  ENOENT: absent,
  EACCES: absent,
  '-32601': unable,
  '-32602': ['invalid_arguments', 'Call it with arguments that it takes.'],
}

function kindOf(code: string | undefined, status: number | undefined): Kind {
  if (status === 401 || status === 403) return refused
  if (status === 404) return absent
  if (status === 429) return ['rate_limit', 'Ask again later, or bound the calls with the setting rate.']
  if (code !== undefined && Object.hasOwn(kinds, code)) return kinds[code] ?? lost
  return code === undefined ? lost : ['api', 'See what the server says of it.']
}

interface Read {
  readonly code: string | undefined
  readonly status: number | undefined
  readonly message: string
}

/** The innermost reason counts: fetch says no more than that it failed. */
function read(error: unknown): Read {
  const { code, status, message, cause, data } = Object(error) as Readonly<Record<string, unknown>>
  const inner = cause ?? Object(data).cause
  if (inner instanceof Error && code === undefined) return read(inner)
  return {
    code: code === undefined ? undefined : String(code),
    status: typeof status === 'number' ? status : undefined,
    message: String(message ?? error),
  }
}
