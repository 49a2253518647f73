import type { RunEvent } from '@capstan/core'

/** Tells where in a run its events are: at the call that they are about, or at the step. */
export class EventPlaces {
  /** Places of calls, by their ids and those of the calls around them. */
  readonly #calls = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** `open` are calls of an earlier run that are gone on with, made by the answer at `step`. */
  constructor(open: readonly { readonly id: string }[] = [], step = 0) {
    for (const { id } of open) this.#take(id, `t${step}`)
  }

  placeOf(event: RunEvent): string {
    const { parentCallId: parent, step } = event
    const around = parent === undefined ? '' : `${this.#childOf(parent)}/`
    const turn = `${around}t${step}`
    if ('callId' in event) {
      const path =
        parent === undefined || event.callId.startsWith(`${parent}/`)
          ? event.callId
          : `${parent}/${event.callId}`
      if (event.type === 'call-ready' || event.type === 'repair-applied') this.#take(path, turn)
      return this.#calls.get(path) ?? `${turn}/end`
    }
    if (event.type === 'landing-failed') return `${turn}/landing`
    return event.type === 'context-trimmed' || event.type === 'message-delivered'
      ? `${turn}/model`
      : `${turn}/end`
  }

  /** Calls are told of in their order, what was repaired in one before itself. */
  #take(path: string, turn: string): void {
    if (this.#calls.has(path)) return
    const count = this.#counts.get(turn) ?? 0
    this.#counts.set(turn, count + 1)
    this.#calls.set(path, `${turn}/tool${count}`)
  }

  #childOf(path: string): string {
    return (this.#calls.get(path) ?? path).replace(/tool(\d+)$/, 'child$1')
  }
}
