import type { Answer } from '@capstan/core'
import type * as Api from '@opentelemetry/api'
import { eventNames, names, operations } from './names.js'
import { Operation } from './operation.js'
import type { Scope } from './scope.js'

/** What a call came to, as far as it is told. */
export type Came = Answer | { readonly status: 'pending' | 'delegated' | 'paused' }

export interface InvocationStart {
  readonly agent: string
  /** Of this agent's run. */
  readonly runId: string
  /** The calls that it answers, of the outermost run first. Default: it is the outermost. */
  readonly path?: string
  /** The invocation that it is in. */
  readonly within?: Invocation
}

/** One agent, or several that hand over to each other, at work on one run: its span, and those within it. */
export class Invocation {
  readonly runId: string
  readonly path: string
  /** The outermost run. */
  readonly topRunId: string
  readonly scope: Scope
  readonly #within: Invocation | undefined
  readonly #first: Acting
  readonly #open = new Set<Operation>()
  readonly #calls = new Map<string, OpenCall>()
  #acting: Acting
  #failure: string | undefined

  constructor({ agent, runId, path = '', within }: InvocationStart, parent: Api.Context, scope: Scope) {
    this.scope = scope
    this.#within = within
    this.runId = runId
    this.path = path
    this.topRunId = within?.topRunId ?? runId
    this.#first = this.#act(agent, parent)
    this.#acting = this.#first
  }

  /** The span of the agent that acts now. */
  get operation(): Operation {
    return this.#acting.operation
  }

  /** The span of an open call; else that of the agent. */
  operationOf(callId: string): Operation {
    return this.#calls.get(callId)?.operation ?? this.operation
  }

  /** Another agent goes on with the conversation. */
  handOver(to: string): void {
    this.operation.tell(eventNames.handedOff, { [names.agent]: to })
    if (this.#acting !== this.#first) this.#leave(this.#acting)
    this.#acting = this.#act(to, this.#first.operation.context)
  }

  /** A span within that of the agent, ended with it at the latest. */
  begin(name: string, kind: Api.SpanKind, attributes: Api.Attributes): Operation {
    const operation = new Operation({ name, kind, attributes }, this.operation.context, this.scope)
    this.#open.add(operation)
    return operation
  }

  end(operation: Operation, failure?: string): number | undefined {
    this.#open.delete(operation)
    return operation.end(failure)
  }

  beginCall(callId: string, name: string): Operation {
    const operation = this.begin(`${operations.tool} ${name}`, this.scope.api.SpanKind.INTERNAL, {
      [names.operation]: operations.tool,
      [names.tool]: name,
      [names.toolType]: 'function',
      [names.callId]: callId,
    })
    this.#calls.set(callId, { operation, name })
    return operation
  }

  endCall(callId: string, came: Came): void {
    const call = this.#calls.get(callId)
    // One that goes on as another agent's run is over with that.
    if (!call || came.status === 'delegated') return
    this.#calls.delete(callId)
    const { operation, name } = call
    operation.set({ [names.callStatus]: came.status })
    if ('content' in came) this.#tellAnswer(operation, came)
    const failure = came.status === 'error' || came.status === 'rejected' ? came.status : undefined
    const seconds = this.end(operation, failure)
    if (seconds === undefined || !hasRun(came)) return
    this.scope.instruments?.toolDuration.record(seconds, {
      [names.operation]: operations.tool,
      [names.tool]: name,
      [names.toolType]: 'function',
      ...(failure ? { [names.error]: failure } : {}),
    })
  }

  /** What a call failed of that should not have. */
  failCall(callId: string, code: string): void {
    const call = this.#calls.get(callId)
    this.#calls.delete(callId)
    if (call) this.end(call.operation, code)
  }

  /** What the run will end of, if it does. */
  noteFailure(code: string): void {
    this.#failure = code
  }

  /** What a request took counts for all that it was made for. */
  count(input: number, output: number): void {
    for (const acting of new Set([this.#acting, this.#first])) {
      acting.input += input
      acting.output += output
    }
    this.#within?.count(input, output)
  }

  /** Ends all that is open. */
  close(stopReason: string): void {
    for (const operation of this.#open) {
      operation.set({ [names.aborted]: true })
      operation.end()
    }
    this.#open.clear()
    this.#calls.clear()
    if (this.#acting !== this.#first) this.#leave(this.#acting, stopReason)
    this.#leave(this.#first, stopReason)
  }

  #act(agent: string, parent: Api.Context): Acting {
    const attributes = {
      [names.operation]: operations.agent,
      [names.provider]: this.scope.provider,
      [names.agent]: agent,
      [names.runId]: this.runId,
    }
    const kind = this.scope.api.SpanKind.INTERNAL
    const start = { name: `${operations.agent} ${agent}`, kind, attributes }
    return { agent, operation: new Operation(start, parent, this.scope), input: 0, output: 0 }
  }

  #leave({ agent, operation, input, output }: Acting, stopReason?: string): void {
    const failure = stopReason === 'error' ? (this.#failure ?? '_OTHER') : undefined
    if (stopReason) operation.set({ [names.stopReason]: stopReason })
    if (input + output > 0) operation.set({ [names.inputTokens]: input, [names.outputTokens]: output })
    const seconds = operation.end(failure)
    if (seconds === undefined) return
    this.scope.instruments?.agentDuration.record(seconds, {
      [names.operation]: operations.agent,
      [names.provider]: this.scope.provider,
      [names.agent]: agent,
      ...(failure ? { [names.error]: failure } : {}),
    })
  }

  #tellAnswer(operation: Operation, { artifacts = [], content, result }: Answer): void {
    for (const { id, mediaType, bytes } of artifacts)
      operation.tell(eventNames.artifact, { id, mime_type: mediaType, bytes })
    if (this.scope.content.has('results')) operation.say(() => ({ [names.callResult]: result ?? content }))
  }
}

interface Acting {
  readonly agent: string
  readonly operation: Operation
  input: number
  output: number
}

interface OpenCall {
  readonly operation: Operation
  readonly name: string
}

function hasRun({ status }: Came): boolean {
  return status === 'ok' || status === 'error' || status === 'cut_off'
}
