import type { Decision, PendingCall } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import {
  type ApprovalToken,
  invalidToken,
  isCallOf,
  readApprovalToken,
  type TokenCall,
} from './approval-tokens.js'
import type { RequestContext } from './context.js'
import { HttpError, invalidRequest, methodNotAllowed, toHttpError } from './http-error.js'
import type { User } from './options.js'
import { readJson } from './read-json.js'
import { alreadyDecided } from './runs/decisions.js'

/** The part of the runs that token holders may use. */
export interface TokenDecisions {
  /** Returns a call of any user's run, pending or decided. Undefined if the run no longer exists. */
  findPending(runId: string, callId: string): Promise<FoundCall | undefined>
  /**
   * Decides on a call once, in any process. If it was already decided, returns the earlier decision, even if it is the
   * same.
   */
  decide(runId: string, callId: string, decision: Decision): Promise<DecidedBefore | undefined>
}

/** A call that is or was pending. */
export interface FoundCall extends Pick<TokenCall, 'definitionHash'> {
  /** The agent of the run. */
  readonly agent: string
  readonly call: PendingCall
  readonly decided?: DecidedBefore
}

/** The decision that applies. */
export interface DecidedBefore {
  readonly decision: Decision['type']
  /** Time of the decision, in milliseconds since 1970. */
  readonly at: number
  /** True if the call expired without a decision. */
  readonly isExpired?: boolean
}

/** A request that a token authorizes. */
export interface DecisionRequest extends Pick<RequestContext, 'request' | 'handler' | 'rest'> {
  readonly secrets: readonly string[]
  readonly decisions: TokenDecisions
  /**
   * Returns the user, or the response of the application's own `authenticate`. Called only for tokens that belong to
   * one user.
   */
  authenticate(): Promise<User | Response>
}

/**
 * `GET decisions/TOKEN` returns the call and decides nothing, because programs that scan emails follow links.
 * `POST decisions/TOKEN` with `{ decision }` approves it without changes, or denies it. A question is answered or
 * declined.
 * @throws HttpError 403 `invalid_token`; 410 `expired`; 409 `already_decided`, with the decision and its time; 409
 * `conflict` when the call or the tools have changed; 404 for a run that no longer exists
 */
export async function decisionsRoute(given: DecisionRequest): Promise<Response> {
  const { request, rest, secrets } = given
  const [text] = rest
  if (text === undefined || rest.length !== 1 || secrets.length === 0)
    throw new HttpError(404, 'not_found', 'No such route.')
  if (request.method !== 'GET' && request.method !== 'POST') throw methodNotAllowed('GET, POST')
  const token = await readApprovalToken(text, { secrets })
  const refused = token.who === undefined ? undefined : await checkUser(token.who, given)
  if (refused) return refused
  const found = await given.decisions.findPending(token.runId, token.callId)
  if (!found) throw new HttpError(404, 'not_found', "This link's run has expired. Start a new run.")
  return request.method === 'GET' ? show(token, found) : decide(token, found, given)
}

async function checkUser(who: string, { authenticate }: DecisionRequest): Promise<Response | undefined> {
  const user = await authenticate()
  if (user instanceof Response) return user
  if (user.id !== who) throw invalidToken()
  return undefined
}

async function show(token: ApprovalToken, found: FoundCall): Promise<Response> {
  const { call, agent, decided } = found
  if (!decided) await checkCall(token, found)
  const { name, arguments: args, kind, reason, message, schema, url } = call
  const body = {
    status: decided ? 'decided' : 'pending',
    ...{ name, arguments: args, agent: call.agent ?? agent },
    // JSON omits what is absent.
    ...(kind === 'input' ? { kind, message, schema, url } : { reason }),
    expiresAt: token.expiresAt,
    ...(decided ? { decision: decided.decision, at: decided.at } : {}),
  }
  return Response.json(body, { headers: noStore })
}

async function decide(
  token: ApprovalToken,
  found: FoundCall,
  { request, handler, rest, decisions }: DecisionRequest,
): Promise<Response> {
  const { runId, callId } = token
  const { decided, call } = found
  // The token has no user: its bodies count together.
  const { decision: given } = await readJson({ request, handler, rest, user: { id: '' } })
  if (decided) throw refusal(decided)
  await checkCall(token, found)
  const before = await decisions.decide(runId, callId, readDecision(given, call)).catch((error: unknown) => {
    // An answer that does not fit has no effect, so its holder gets the message.
    throw toHttpError(error, false)
  })
  if (before) throw refusal(before)
  return new Response(null, { status: 204, headers: noStore })
}

const noStore = { 'cache-control': 'no-store' }

/** @throws HttpError 409 if the call differs from the one shown in the email */
async function checkCall(token: ApprovalToken, { call, definitionHash }: FoundCall): Promise<void> {
  if (await isCallOf(token, { runId: token.runId, call, definitionHash })) return
  throw new HttpError(
    409,
    'conflict',
    'The call or its tools changed after this link was sent. Decide in the application.',
  )
}

/** @throws HttpError 400 for a decision that does not match the pending call */
function readDecision(given: unknown, { kind }: PendingCall): Decision {
  const { type, reason, value, arguments: args } = isRecord(given) ? given : {}
  if (kind === 'result')
    throw invalidRequest('This call needs a result, which a link cannot send. Decide in the application.')
  const isQuestion = kind === 'input'
  if (isQuestion && type === 'result') return { type, value }
  if (!isQuestion && type === 'approve') {
    if (args === undefined) return { type }
    throw invalidRequest('A link approves the call as it is. Omit `arguments`.')
  }
  const yes = isQuestion ? '{ type: "result", value }' : '{ type: "approve" }'
  if (type !== 'deny') throw invalidRequest(`\`decision\` must be ${yes} or { type: "deny", reason }.`)
  const hasReason = typeof reason === 'string' && reason.trim() !== ''
  return { type, reason: hasReason ? reason.slice(0, 1000) : 'The user did not approve.' }
}

function refusal({ isExpired, ...decided }: DecidedBefore): HttpError {
  return isExpired
    ? new HttpError(410, 'expired', 'The time to decide on this call has passed. Start a new run.')
    : alreadyDecided('This call', decided)
}
