import { CapstanError } from '../words/error.js'
import type { Decision, PendingCall } from '../words/state.js'

/** Refuses a decision that cannot be carried out. */
export type CheckDecision = (call: PendingCall, decision: Decision) => Promise<void>

/** Where a run waits for the decisions on its calls, in whatever order they are given. */
export class WaitingRoom {
  readonly #guests = new Map<string, Guest>()

  /** A call that can be decided on from now on. */
  expect(call: PendingCall): void {
    let resolve: Guest['decide'] = () => {}
    const decided = new Promise<Decision | undefined>((done) => {
      resolve = done
    })
    this.#guests.set(call.callId, { call, decided, decide: resolve, isDecided: false })
  }

  /** Waits for the decision on a call, or for the signal: then there is none. */
  async wait({ callId }: PendingCall, signal: AbortSignal): Promise<Decision | undefined> {
    const guest = this.#guests.get(callId)
    const leave = () => guest?.decide(undefined)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    const decision = await guest?.decided
    signal.removeEventListener('abort', leave)
    this.#guests.delete(callId)
    return decision
  }

  /** Gives a decision. @throws CapstanError when it cannot be carried out, `invalid_request` when none is waited for */
  async decide(callId: string, decision: Decision, check: CheckDecision): Promise<void> {
    const guest = this.#guests.get(callId)
    if (!guest) throw this.#unexpected(callId)
    await check(guest.call, decision)
    if (guest.isDecided) throw this.#unexpected(callId)
    guest.isDecided = true
    guest.decide(decision)
  }

  #unexpected(callId: string): CapstanError {
    const waiting = [...this.#guests.values()].filter(({ isDecided }) => !isDecided)
    const ids = waiting.map(({ call }) => call.callId).join(', ') || 'none'
    const message = `No call "${callId}" waits for a decision; waiting: ${ids}. Decide after its call-pending event, in a run started with { wait: true }.`
    return new CapstanError('invalid_request', message, { evidence: { callId } })
  }
}

interface Guest {
  readonly call: PendingCall
  readonly decided: Promise<Decision | undefined>
  decide(decision: Decision | undefined): void
  /** A second decision would be lost: the call has the first. */
  isDecided: boolean
}
