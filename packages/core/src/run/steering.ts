// Messages that a caller sends to a run in progress. The run takes them before its next request.

import type { QueuedMessages, RunContext, RunSettings } from './run-context.js'

/** Messages from the caller to the next step of a run. */
export class MessageQueue implements QueuedMessages {
  #waiting: string[] = []

  put(text: string): void {
    this.#waiting.push(text)
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  take(): readonly string[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }
}

/** Takes queued messages as one host step, so that a replay takes the same. */
export function fromInbox(
  { state }: RunContext,
  { host, inbox }: RunSettings,
): readonly string[] | Promise<readonly string[]> {
  if (!inbox || (inbox.isEmpty && host.retries === 'core')) return []
  return host.step({
    key: `t${state.turn}/inbox`,
    options: { kind: 'message', name: 'inbox' },
    run: async () => inbox.take(),
  })
}
