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

/** The operations on runs that token holders can use. */
export interface TokenDecisions {
  /** Finds a call, pending or decided, in a run of any user. Undefined if the run no longer exists. */
  findPending(runId: string, callId: string): Promise<FoundCall | undefined>
  /**
   * Decides on a call. If the call has already been decided in any process, returns the earlier decision, even if the
   * new one is the same.
   */
  decide(runId: string, callId: string, decision: Decision): Promise<DecidedBefore | undefined>
}

/** A call that is or was pending. */
export interface FoundCall extends Pick<TokenCall, 'definitionHash'> {
  /** The name of the agent that the run started with. */
  readonly agent: string
  readonly call: PendingCall
  readonly decided?: DecidedBefore
}

/** The first decision on a call. Only this decision applies. */
export interface DecidedBefore {
  readonly decision: Decision['type']
  /** Time of the decision, in milliseconds since 1970. */
  readonly at: number
  /** True if the call expired without a decision. */
  readonly isExpired?: boolean
}

/** A request that is authorized by a token. */
export interface DecisionRequest extends Pick<RequestContext, 'request' | 'handler' | 'rest'> {
  readonly secrets: readonly string[]
  readonly decisions: TokenDecisions
  /**
   * Returns the user, or the response that the application's `authenticate` returned. Called only for tokens that are
   * limited to one user.
   */
  authenticate(): Promise<User | Response>
}

/**
 * `GET decisions/TOKEN` returns the call without deciding on it, because email scanners follow links. `POST
 * decisions/TOKEN` with `{ decision }` approves the call without changes, or denies it. If the call is a question, the
 * decision answers or declines it.
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
  if (!found)
    throw new HttpError(404, 'not_found', 'The run that this link is for has expired. Start a new run.')
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
    // JSON omits undefined fields.
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
  // The token does not identify a user, so all requests with tokens share one user's limit on body bytes.
  const { decision: given } = await readJson({ request, handler, rest, user: { id: '' } })
  if (decided) throw refusal(decided)
  await checkCall(token, found)
  const before = await decisions.decide(runId, callId, readDecision(given, call)).catch((error: unknown) => {
    // A decision that does not match the call has no effect, so the token's holder gets the error's message.
    throw toHttpError(error, false)
  })
  if (before) throw refusal(before)
  return new Response(null, { status: 204, headers: noStore })
}

const noStore = { 'cache-control': 'no-store' }

/**
 * Checks that the call is still the one that the token was created for.
 * @throws HttpError 409 if it has changed
 */
async function checkCall(token: ApprovalToken, { call, definitionHash }: FoundCall): Promise<void> {
  if (await isCallOf(token, { runId: token.runId, call, definitionHash })) return
  throw new HttpError(
    409,
    'conflict',
    "The call or the agent's tools have changed since this link was created. Approve or deny the call in the application.",
  )
}

/**
 * Reads the decision in a request's body.
 * @throws HttpError 400 if it does not match the kind of pending call
 */
function readDecision(given: unknown, { kind }: PendingCall): Decision {
  const { type, reason, value, arguments: args } = isRecord(given) ? given : {}
  if (kind === 'result')
    throw invalidRequest('This call needs a result, which a link cannot send. Decide in the application.')
  const isQuestion = kind === 'input'
  if (isQuestion && type === 'result') return { type, value }
  if (!isQuestion && type === 'approve') {
    if (args === undefined) return { type }
    throw invalidRequest('A link can only approve a call with its own arguments. Omit `arguments`.')
  }
  const yes = isQuestion ? '{ type: "result", value }' : '{ type: "approve" }'
  if (type !== 'deny') throw invalidRequest(`\`decision\` must be ${yes} or { type: "deny", reason }.`)
  const hasReason = typeof reason === 'string' && reason.trim() !== ''
  return { type, reason: hasReason ? reason.slice(0, 1000) : 'The user did not approve.' }
}

function refusal({ isExpired, ...decided }: DecidedBefore): HttpError {
  return isExpired
    ? new HttpError(410, 'expired', 'It is too late to decide on this call. Start a new run.')
    : alreadyDecided('This call', decided)
}
