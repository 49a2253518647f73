import { type CreateHost, type ModelOverride, memoryHost, type RunEvent } from '@capstan/core'
import { eventNames, names } from './attributes.js'
import { quietly } from './errors.js'
import { opentelemetry } from './opentelemetry.js'
import { type TelemetryOptions, toScope } from './options.js'
import { Invocation, Invocations } from './spans.js'
import { tracedHost } from './traced-host.js'
import { tracedModel } from './traced-model.js'

/** Options of a run that is traced: `agent.run(input, telemetry())`, or with further ones `{ signal, ...telemetry() }`. */
export interface TracedRun {
  readonly model: ModelOverride
  readonly host: CreateHost
  observe(event: RunEvent): void
}

/**
 * Runs as OpenTelemetry spans and metrics, by the conventions for generative AI: a span for each agent at work, each
 * answer of a model and each call of a tool, the active one while its work goes on. What is measured goes to the
 * providers that are registered when a run begins; where there are none, or the API is not installed, nothing
 * happens. One may serve any number of runs.
 */
export function telemetry(options: TelemetryOptions = {}): TracedRun {
  const { host = memoryHost, model } = options
  const modelOf: ModelOverride = typeof model === 'function' ? model : (own) => model ?? own
  if (!opentelemetry) return { model: modelOf, host, observe: (event) => options.observe?.(event) }
  const api = opentelemetry
  const invocations = new Invocations()
  return {
    model: (own, agent) => tracedModel(modelOf(own, agent), invocations),
    host(binding) {
      const { hostWithin = memoryHost, runId } = binding
      const within: CreateHost = (inner) => tracedHost(hostWithin(inner), { invocations, runId: inner.runId })
      return tracedHost(host({ ...binding, hostWithin: within }), { invocations, runId })
    },
    observe(event) {
      quietly(api, () => follow(event))
      options.observe?.(event)
    },
  }

  function follow(event: RunEvent): void {
    const isOutermost = event.parentCallId === undefined
    if (isOutermost && event.type === 'run-start') begin(event)
    const invocation = invocations.ofEvent(event)
    if (!invocation) return
    if (isOutermost && event.type === 'run-end') invocations.close(invocation, event.stopReason)
    else tellEvent(event, invocation)
  }

  function begin({ agent, runId }: RunEvent & { readonly type: 'run-start' }): void {
    const scope = toScope(options, api)
    if (scope) invocations.add(new Invocation({ agent, runId }, api.context.active(), scope))
  }
}

/** What happens in a run, as events of the span that it happens to: codes, names and counts, never words. */
function tellEvent(event: RunEvent, invocation: Invocation): void {
  const { operation, scope } = invocation
  switch (event.type) {
    case 'tool-start':
      if (scope.content.has('arguments'))
        invocation.operationOf(event.callId).say(() => ({ [names.callArguments]: event.arguments }))
      break
    case 'repair-applied':
      invocation
        .operationOf(event.callId)
        .tell(eventNames.repair, { [names.callId]: event.callId, count: event.repairs.length })
      break
    case 'call-pending':
      operation.tell(eventNames.pending, {
        [names.callId]: event.callId,
        [names.tool]: event.name,
        kind: event.kind,
      })
      break
    case 'limit-reached':
      operation.tell(eventNames.limit, { limit: event.limit })
      break
    case 'stuck-detected':
      operation.tell(eventNames.stuck, { stage: event.stage, tools: [...event.names] })
      break
    case 'run-tainted':
      operation.tell(eventNames.tainted, { [names.tool]: event.by })
      break
    case 'landing-failed':
      operation.tell(eventNames.landingFailed, { [names.error]: event.code })
      break
    case 'message-delivered':
      operation.tell(eventNames.delivered)
      break
    case 'context-trimmed':
      operation.tell(eventNames.trimmed, { before: event.before, after: event.after })
      break
    case 'handed-off':
      invocation.handOver(event.to)
      break
    default:
  }
}
