import type { PendingCall } from '@capstan/core'
import { canonicalJson, toBase64, tryJson } from '@capstan/core/internal'
import { HttpError } from './http-error.js'

export interface TokenCall {
  readonly runId: string
  readonly call: Pick<PendingCall, 'callId' | 'name' | 'arguments' | 'message' | 'schema' | 'url'>
  /** The hash of the agent's tools, from the run's state. */
  readonly definitionHash: string
}

export interface ApprovalTokenOptions {
  /** The secret that signs the token. At least 32 characters, from a random source. */
  readonly secret: string
  /** The time when the token expires, in milliseconds since 1970. */
  readonly expiresAt: number
  /** The id of the only user who may decide. By default, anyone who has the token may decide. */
  readonly who?: string
}

/** What a token states: the call that it is for, when it expires, and who may use it. */
export interface ApprovalToken {
  readonly runId: string
  readonly callId: string
  readonly name: string
  readonly definitionHash: string
  /**
   * The SHA-256 hash, in base64url, of what the user was shown: the arguments and, for a question, its text, schema and
   * URL.
   */
  readonly argumentsHash: string
  readonly expiresAt: number
  readonly who?: string
}

/**
 * Creates a token that lets its holder decide on one pending call without a login, for example through a link in an
 * email. It is signed with HMAC-SHA-256 over the run, the call with its arguments, the tool definitions and the expiry
 * time. It contains no secret and no arguments, and needs no encoding in a URL path.
 * @throws TypeError if the secret is too short or `expiresAt` is invalid
 */
export async function approvalToken(
  { runId, call, definitionHash }: TokenCall,
  { secret, expiresAt, who }: ApprovalTokenOptions,
): Promise<string> {
  checkSecret(secret)
  if (!Number.isSafeInteger(expiresAt) || expiresAt < 0)
    throw new TypeError(
      `expiresAt of approvalToken must be a time in milliseconds since 1970, not ${expiresAt}.`,
    )
  const { callId, name } = call
  const fields = [runId, callId, name, definitionHash, await hashShown(call), expiresAt]
  const payload = toBase64Url(encoder.encode(JSON.stringify(who === undefined ? fields : [...fields, who])))
  const signature = await crypto.subtle.sign('HMAC', await toKey(secret), toSigned(payload))
  return `${payload}.${toBase64Url(new Uint8Array(signature))}`
}

/**
 * Verifies a token and returns its content. The call may have changed since the token was created: check it with
 * `isCallOf`.
 * @throws TypeError if there are no secrets or one is too short; an error with the `code` `invalid_token` (status 403)
 * if the token was changed or signed with a different secret, or `expired` (410) if it has expired
 */
export async function readApprovalToken(
  token: string,
  { secrets }: { readonly secrets: readonly string[] },
): Promise<ApprovalToken> {
  if (secrets.length === 0)
    throw new TypeError(
      'readApprovalToken needs at least one secret. Pass the secrets that may have signed the token.',
    )
  secrets.forEach(checkSecret)
  const [, payload = '', signed = ''] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? []
  const signature = fromBase64Url(signed)
  if (payload === '' || !signature) throw invalidToken()
  for (const secret of secrets) {
    const isSigned = await crypto.subtle.verify('HMAC', await toKey(secret), signature, toSigned(payload))
    if (isSigned) return readPayload(payload)
  }
  throw invalidToken()
}

/** Whether a call is the one that the token was created for, with the same arguments and tools. */
export async function isCallOf(
  { runId, callId, name, definitionHash, argumentsHash }: ApprovalToken,
  other: TokenCall,
): Promise<boolean> {
  const { call } = other
  const isSame = runId === other.runId && callId === call.callId && name === call.name
  if (!isSame || definitionHash !== other.definitionHash) return false
  return argumentsHash === (await hashShown(call))
}

/**
 * Checks a secret's length.
 * @throws TypeError if it has fewer than 32 characters
 */
export function checkSecret(secret: unknown): asserts secret is string {
  if (typeof secret === 'string' && secret.length >= 32) return
  const found = typeof secret === 'string' ? `has ${secret.length} characters` : `is of type ${typeof secret}`
  throw new TypeError(`A secret for approval tokens ${found}. Use at least 32 random characters.`)
}

/**
 * Creates the error for an invalid token. The error does not state the reason, because that would help attackers forge
 * a token.
 */
export function invalidToken(): HttpError {
  return new HttpError(403, 'invalid_token', 'This link is not valid.')
}

/**
 * Reads the content of a token whose signature has been verified.
 * @throws HttpError 410 if it has expired
 */
function readPayload(payload: string): ApprovalToken {
  const bytes = fromBase64Url(payload)
  const fields = bytes && tryJson(decoder.decode(bytes))
  if (!Array.isArray(fields)) throw invalidToken()
  const [runId, callId, name, definitionHash, argumentsHash, expiresAt, who] = fields
  // By this process's clock. Run stores, whose clock may differ, check separately whether the call has expired.
  if (Date.now() >= expiresAt) throw new HttpError(410, 'expired', 'This link has expired.')
  return {
    ...{ runId, callId, name, definitionHash, argumentsHash, expiresAt },
    ...(who === undefined ? {} : { who }),
  }
}

/** Hashes the parts of the call that the token's holder was shown. */
async function hashShown({ arguments: args, message, schema, url }: TokenCall['call']): Promise<string> {
  const shown = message === undefined ? args : [args, message, schema ?? null, url ?? null]
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(canonicalJson(shown)))
  return toBase64Url(new Uint8Array(digest))
}

function toKey(secret: string): Promise<CryptoKey> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign', 'verify'])
}

/**
 * Returns the bytes to sign. Because of the prefix, a signature that was made with the same secret for other data is
 * not valid for a token.
 */
function toSigned(payload: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`capstan-approval-1.${payload}`)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/**
 * Decodes base64url. Undefined if encoding the bytes again gives a different string, because the unused bits of the
 * last character could otherwise be changed.
 */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    return toBase64Url(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
