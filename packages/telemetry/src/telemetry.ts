import { type CreateHost, type ModelOverride, memoryHost, type RunEvent } from '@capstan/core'
import { attributeNames, eventNames } from './attributes.js'
import { ignoreErrors } from './errors.js'
import { opentelemetry } from './opentelemetry.js'
import { type TelemetryOptions, toTelemetryContext } from './options.js'
import { Invocation, Invocations } from './spans.js'
import { tracedHost } from './traced-host.js'
import { tracedModel } from './traced-model.js'

/**
 * Run options that trace a run: `agent.run(input, telemetry())`, or with other options `{ signal, ...telemetry() }`.
 */
export interface TracedRun {
  readonly model: ModelOverride
  readonly host: CreateHost
  observe(event: RunEvent): void
}

/**
 * Traces runs as OpenTelemetry spans and metrics, following the conventions for generative AI. Each agent, model reply
 * and tool call has a span, which is active during its work. Spans and metrics go to the providers that are registered
 * when a run starts. If no provider is registered, or the API is not installed, nothing is recorded. You can use the
 * returned object for any number of runs.
 */
export function telemetry(options: TelemetryOptions = {}): TracedRun {
  const { host = memoryHost, model } = options
  const modelOf: ModelOverride = typeof model === 'function' ? model : (own) => model ?? own
  const found = (options.api as typeof opentelemetry) ?? opentelemetry
  if (!found) return { model: modelOf, host, observe: (event) => options.observe?.(event) }
  const api = found
  const invocations = new Invocations()
  return {
    model: (own, agent) => tracedModel(modelOf(own, agent), invocations),
    host(binding) {
      const { hostWithin = memoryHost, runId } = binding
      const within: CreateHost = (inner) => tracedHost(hostWithin(inner), { invocations, runId: inner.runId })
      return tracedHost(host({ ...binding, hostWithin: within }), { invocations, runId })
    },
    observe(event) {
      ignoreErrors(api, () => follow(event))
      options.observe?.(event)
    },
  }

  function follow(event: RunEvent): void {
    const isOutermost = event.parentCallId === undefined
    if (isOutermost && event.type === 'run-start') begin(event)
    const invocation = invocations.ofEvent(event)
    if (!invocation) return
    if (isOutermost && event.type === 'run-end') invocations.close(invocation, event.stopReason, event.usage)
    else recordEvent(event, invocation)
  }

  function begin({ agent, runId }: RunEvent & { readonly type: 'run-start' }): void {
    const telemetry = toTelemetryContext(options, api)
    if (telemetry) invocations.add(new Invocation({ agent, runId }, api.context.active(), telemetry))
  }
}

/**
 * Records run events as span events, with codes, names and counts. If content is enabled, also adds a call's arguments
 * to its span.
 */
function recordEvent(event: RunEvent, invocation: Invocation): void {
  const { span, telemetry } = invocation
  switch (event.type) {
    case 'tool-start':
      if (telemetry.content.has('arguments'))
        invocation
          .spanOf(event.callId)
          .setContent(() => ({ [attributeNames.callArguments]: event.arguments }))
      break
    case 'repair-applied':
      invocation
        .spanOf(event.callId)
        .addEvent(eventNames.repair, { [attributeNames.callId]: event.callId, count: event.repairs.length })
      break
    case 'call-pending':
      span.addEvent(eventNames.pending, pendingFacts(event))
      break
    case 'limit-reached':
      span.addEvent(eventNames.limit, { limit: event.limit })
      break
    case 'stuck-detected':
      span.addEvent(eventNames.stuck, { stage: event.stage, tools: [...event.names] })
      break
    case 'tools-revealed':
      span.addEvent(eventNames.toolsRevealed, { tools: [...event.names] })
      break
    case 'run-tainted':
      span.addEvent(eventNames.tainted, { [attributeNames.tool]: event.by })
      break
    case 'final-answer-failed':
      span.addEvent(eventNames.finalAnswerFailed, { [attributeNames.error]: event.code })
      break
    case 'message-delivered':
      span.addEvent(eventNames.delivered)
      break
    case 'context-trimmed':
      span.addEvent(eventNames.trimmed, { by: event.by, before: event.before, after: event.after })
      break
    case 'context-over':
      span.addEvent(eventNames.contextOver, { tokens: event.tokens, maxTokens: event.maxTokens })
      break
    case 'effects-left-behind':
      span.addEvent(eventNames.effectsLeftBehind, { calls: event.calls.map(({ name }) => name) })
      break
    case 'prefix-broken':
      span.addEvent(eventNames.prefixBroken, { at: event.at, because: event.because })
      break
    case 'context-lost':
      span.addEvent(eventNames.contextLost, lossOf(event))
      break
    case 'middleware':
      addMiddlewareEvent(event, invocation)
      break
    case 'handed-off':
      invocation.handOver(event.to)
      break
    default:
  }
}

function pendingFacts({
  callId,
  name,
  kind,
}: EventOf<'call-pending'>): Readonly<Record<string, string | number>> {
  return { [attributeNames.callId]: callId, [attributeNames.tool]: name, kind }
}

/** The name of the middleware for programs (`@capstan/code`). Its event contains a saved program's source. */
const programRuns = 'program-runs'

function addMiddlewareEvent(event: EventOf<'middleware'>, { span, telemetry }: Invocation): void {
  if (event.name !== programRuns) span.addEvent(eventNames.middleware, middlewareFacts(event))
  // A program is not an agent, so the invocation's span is the call's span.
  else if (telemetry.content.has('arguments'))
    span.setContent(() => ({ [attributeNames.programSource]: Object(event.data).source }))
}

function middlewareFacts({ name, action, callId }: EventOf<'middleware'>): Readonly<Record<string, string>> {
  const ofCall = callId === undefined ? {} : { [attributeNames.callId]: callId }
  return { [attributeNames.middleware]: name, action, ...ofCall }
}

function lossOf({
  sent,
  reported,
  window,
}: EventOf<'context-lost'>): Readonly<Record<string, string | number>> {
  return { sent, reported, window }
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>
