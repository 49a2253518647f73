import type { RunEvent } from '@capstan/core'
import type { Invocation } from './invocation.js'

/** The invocations that go on, by what is known where they are asked for. */
export class Invocations {
  readonly #byRun = new Map<string, Invocation>()
  readonly #byCall = new Map<string, Invocation>()

  /** One that goes on under the same id is over: nobody could tell the two apart. */
  add(invocation: Invocation): void {
    const before = this.#byRun.get(invocation.runId)
    if (before) this.close(before, 'aborted')
    this.#byRun.set(invocation.runId, invocation)
    this.#byCall.set(placeOf(invocation.topRunId, invocation.path), invocation)
  }

  /** Takes it out, ended. */
  close(invocation: Invocation, stopReason: string): void {
    invocation.close(stopReason)
    if (this.#byRun.get(invocation.runId) !== invocation) return
    this.#byRun.delete(invocation.runId)
    this.#byCall.delete(placeOf(invocation.topRunId, invocation.path))
  }

  ofRun(runId: string): Invocation | undefined {
    return this.#byRun.get(runId)
  }

  ofEvent({ runId, parentCallId = '' }: RunEvent): Invocation | undefined {
    return this.#byCall.size === 0 ? undefined : this.#byCall.get(placeOf(runId, parentCallId))
  }

  /** That which a request is made for: its key begins with the id of the run. */
  ofRequest(idempotencyKey: string): Invocation | undefined {
    for (let end = idempotencyKey.lastIndexOf('/'); end > 0; end = idempotencyKey.lastIndexOf('/', end - 1)) {
      const found = this.#byRun.get(idempotencyKey.slice(0, end))
      if (found) return found
    }
    return undefined
  }
}

function placeOf(topRunId: string, path: string): string {
  return `${topRunId}\n${path}`
}
