import { type BindHost, type ModelOf, memoryHost, type RunEvent } from '@capstan/core'
import { Invocation } from './invocation.js'
import { Invocations } from './invocations.js'
import { opentelemetry } from './opentelemetry.js'
import { quietly } from './quietly.js'
import { toScope } from './scope.js'
import type { TelemetryOptions } from './telemetry-options.js'
import { tellEvent } from './tell-event.js'
import { tracedHost } from './traced-host.js'
import { tracedModel } from './traced-model.js'

/** Options of a run that is traced: `agent.run(input, telemetry())`, or with further ones `{ signal, ...telemetry() }`. */
export interface TracedRun {
  readonly model: ModelOf
  readonly host: BindHost
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
  const modelOf: ModelOf = typeof model === 'function' ? model : (own) => model ?? own
  if (!opentelemetry) return { model: modelOf, host, observe: (event) => options.observe?.(event) }
  const api = opentelemetry
  const invocations = new Invocations()
  return {
    model: (own, agent) => tracedModel(modelOf(own, agent), invocations),
    host(binding) {
      const { hostWithin = memoryHost, runId } = binding
      const within: BindHost = (inner) => tracedHost(hostWithin(inner), { invocations, runId: inner.runId })
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
