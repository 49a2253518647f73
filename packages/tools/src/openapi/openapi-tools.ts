import {
  CapstanError,
  effectKeys,
  isCapstanError,
  type JsonSchemaParameters,
  type ToolContext,
  tool,
} from '@capstan/core'
import { blockReason, type FetchPolicy } from '@capstan/guarded-fetch/address-policy'
import { toParameters } from '@capstan/schema/imported-schema'
import { sanitizeText } from '@capstan/schema/sanitize-text'
import { toolNames } from '@capstan/schema/tool-names'
import { checkedSettings } from '@capstan/schema/tool-settings'
import { Credentials, type SentCredentials } from './credentials.js'
import { readDocument } from './document.js'
import { type FilledRequest, fillRequest, InvalidArgument } from './fill-request.js'
import { allowedOf, type ListedOperation, listOperations, nameOf } from './operations.js'
import {
  checkOptions,
  defaultMaxBytes,
  defaultTimeoutMs,
  type OpenApiOperation,
  type OpenApiResult,
  type OpenApiTool,
  type OpenApiTools,
  type OpenApiToolsOptions,
  type SkippedOperation,
} from './options.js'
import { readResponse } from './read-response.js'
import { apiAddress, type PlanScope, type RequestPlan, readPlan } from './request-plan.js'
import { type HttpRequest, sendRequest, toFailure } from './send-request.js'
import { type WrittenBody, writeBody } from './write-body.js'

/**
 * Creates tools from the operations in an OpenAPI 3.0 or 3.1 document. Pass the document as an object or as JSON text.
 * Parameters and body fields become arguments. Tools for GET and HEAD have `effects: 'read'`. All tools are `untrusted`
 * by default.
 * @throws CapstanError `invalid_request` for an invalid option or document, `unsupported` for a different OpenAPI
 * version, `invalid_tool` for an entry of `allow` that matches no operation
 */
export function openapiTools(document: string | object, options: OpenApiToolsOptions): OpenApiTools {
  checkOptions(options)
  const read = readDocument(document)
  const baseURL = options.baseURL === undefined ? undefined : new URL(options.baseURL)
  const api = () => apiAddress(read, baseURL)
  const credentials = new Credentials(read, options)
  const { listed, skipped: unreadable } = listOperations(read)
  // Names depend on the entire document, so that allowing more operations does not change them.
  const keys = listed.map(({ key }) => key)
  const names = toolNames(keys, options.prefix)
  const tools: OpenApiTool[] = []
  const skipped: SkippedOperation[] = [...unreadable]
  const policy = { ...(baseURL && { ownOrigin: baseURL.origin }), anyPublic: 'http' } as const
  const isTaken = (place: string, name: string) => credentials.isTaken(place, name)
  for (const one of allowedOf(listed, options.allow)) {
    const callable = readCallable(one, { document: read, api, isTaken }, policy)
    if (typeof callable === 'string') {
      skipped.push({ name: nameOf(one.operation), reason: callable })
      continue
    }
    const name = names.get(one.key) ?? one.key
    tools.push(toTool(one.operation, name, { ...callable, policy, api, credentials, options }))
  }
  return { tools, skipped }
}

/** How to call an operation: its request plan and its parameters. */
interface Callable {
  readonly plan: RequestPlan
  readonly parameters: JsonSchemaParameters
}

/** Returns the plan for calling an operation, or the reason why it cannot be called. */
function readCallable(one: ListedOperation, scope: PlanScope, policy: FetchPolicy): Callable | string {
  try {
    const plan = readPlan(one, scope)
    const reason = blockReason(plan.server, policy)
    return reason === undefined
      ? { plan, parameters: toParameters(plan.schema) }
      : `Its server cannot be called: ${reason}.`
  } catch (error) {
    // The application can fix this by passing `baseURL`, so it is not a reason to skip one operation.
    if (isCapstanError(error) && error.code === 'invalid_request') throw error
    return sanitizeText(error instanceof Error ? error.message : String(error), 1000)
  }
}

interface ToolScope extends Callable {
  readonly policy: FetchPolicy
  readonly credentials: Credentials
  readonly options: OpenApiToolsOptions
  api(): URL
}

function toTool(operation: OpenApiOperation, name: string, scope: ToolScope): OpenApiTool {
  const { plan, parameters, options } = scope
  const { untrusted = true, timeoutMs = defaultTimeoutMs, settings } = options
  const isRead = plan.method === 'GET' || plan.method === 'HEAD'
  const made = tool({
    untrusted,
    timeoutMs,
    effects: isRead ? 'read' : (args) => keyOf(plan, args),
    ...checkedSettings(settings?.(operation), name),
    name,
    description: describe(operation),
    parameters: withFilling(parameters, plan),
    execute: (args, ctx: ToolContext) => call(args, ctx, { ...scope, name: nameOf(operation) }),
  })
  const needsKeys = typeof made.settings.effects === 'function'
  return { ...made, isDynamic: true, ...(needsKeys && { middleware: keyLocks }) }
}

/** Serializes calls that write the same data. The tools include this middleware, so agents need not add it. */
const keyLocks = /* @__PURE__ */ effectKeys()

function keyOf(plan: RequestPlan, args: Readonly<Record<string, unknown>>): string {
  const { origin, pathname } = fill(plan, args).url
  return `${plan.method} ${origin}${pathname}`
}

function describe({ summary, description, method, path, deprecated }: OpenApiOperation): string {
  const texts = [summary, description].filter((text) => text !== undefined)
  const text = texts.length === 0 ? `${method} ${path}` : texts.join('\n\n')
  return sanitizeText(deprecated ? `Deprecated. ${text}` : text, maxDescription)
}

const maxDescription = 4096

/**
 * Extends a schema's validation. Arguments that match the schema but cannot be sent are rejected before the call runs.
 */
function withFilling(parameters: JsonSchemaParameters, plan: RequestPlan): JsonSchemaParameters {
  const { validate, ...standard } = parameters['~standard']
  return {
    ...parameters,
    '~standard': {
      ...standard,
      async validate(value) {
        const checked = await validate(value)
        if (checked.issues) return checked
        try {
          fillRequest(plan, checked.value)
          return checked
        } catch (error) {
          if (!(error instanceof InvalidArgument)) throw error
          return { issues: [{ message: error.message, path: [error.argument] }] }
        }
      },
    },
  }
}

/**
 * Fills in the request.
 * @throws CapstanError `invalid_arguments` for arguments that cannot be sent, if the caller has not validated them
 */
function fill(plan: RequestPlan, args: Readonly<Record<string, unknown>>): FilledRequest {
  try {
    return fillRequest(plan, args)
  } catch (error) {
    if (!(error instanceof InvalidArgument)) throw error
    const message = `Invalid argument "${error.argument}": ${error.message}.`
    throw new CapstanError('invalid_arguments', message, { evidence: { argument: error.argument } })
  }
}

async function call(
  args: Readonly<Record<string, unknown>>,
  { artifacts, signal }: ToolContext,
  { plan, policy, credentials, options, name, api }: ToolScope & { readonly name: string },
): Promise<OpenApiResult> {
  const { maxBytes = defaultMaxBytes, fetch } = options
  const filled = fill(plan, args)
  const body =
    plan.body && filled.body !== undefined
      ? await writeBody(plan.body, filled.body, { artifacts, maxBytes })
      : undefined
  // An operation may have its own server, which may have a different owner.
  const isOwn = plan.server.origin === originOf(api)
  const sent = isOwn ? await credentials.toSend(plan.security) : nothing
  const missing = isOwn ? credentials.missing(plan.security) : []
  try {
    const answer = await sendRequest(toRequest(plan.method, filled, body, sent), {
      policy,
      signal,
      name,
      fetch,
    })
    const { method } = plan
    return await readResponse(answer, { artifacts, maxBytes, credentials, name, method, missing })
  } catch (error) {
    throw toFailure(error, { name, signal, redact: (text) => credentials.redact(text) })
  }
}

const nothing: SentCredentials = { headers: {}, query: [], cookies: [] }

function originOf(api: () => URL): string | undefined {
  try {
    return api().origin
  } catch {
    // The API has no usable URL, so only operations with their own server can be called.
    return undefined
  }
}

function toRequest(
  method: string,
  { url: filled, headers, cookies: given }: FilledRequest,
  body: WrittenBody | undefined,
  sent: SentCredentials,
): HttpRequest {
  const url = new URL(filled)
  url.search = [url.search.slice(1), ...sent.query].filter((part) => part !== '').join('&')
  const cookies = [...[sent.headers.cookie ?? []].flat(), ...given, ...sent.cookies].join('; ')
  return {
    method,
    url,
    headers: {
      accept: 'application/json, */*',
      'user-agent': 'capstan',
      ...headers,
      ...(body && { 'content-type': body.contentType }),
      ...sent.headers,
      ...(cookies !== '' && { cookie: cookies }),
    },
    body: body?.bytes,
  }
}
