import type { RunEvent } from '@capstan/core'

/** A part of a streamed call. The type `void` means that the final reply does not contain the call. */
export interface CallPart {
  readonly type: 'start' | 'delta' | 'void'
  readonly callId: string
  readonly name: string
  /** In a `delta`, the next piece of the arguments; `''` otherwise. */
  readonly text: string
}

/**
 * Converts a run's events to parts of calls while the model is still writing the calls. If a reply is retried, its
 * calls have new ids.
 */
export class CallParts {
  /** The names of calls that were started but are not yet in a reply, by id. */
  readonly #open = new Map<string, string>()
  /**
   * Ids of calls that are not in the final reply. They are kept because a process that takes over the run may use the
   * same ids again.
   */
  readonly #void = new Set<string>()

  /** Whether a call has started but not ended. */
  has(callId: string): boolean {
    return this.#open.has(callId)
  }

  /** Returns the parts that an event adds. Pass only the run's own events, not those of nested agents. */
  event(event: RunEvent): readonly CallPart[] {
    switch (event.type) {
      case 'call-delta': {
        const { callId, name, arguments: text } = event
        if (this.#void.has(callId)) return []
        const isNew = !this.#open.has(callId)
        this.#open.set(callId, name)
        return [
          ...(isNew ? [{ type: 'start', callId, name, text: '' } as const] : []),
          ...(text === '' ? [] : [{ type: 'delta', callId, name, text } as const]),
        ]
      }
      case 'message-added': {
        const { message } = event
        if (message.role !== 'assistant') return []
        return this.#end(new Set(message.tool_calls?.map(({ id }) => id)))
      }
      case 'run-start':
      case 'run-recovered':
      case 'step-end':
        return this.end()
      default:
        return []
    }
  }

  /** Ends a call that is in the reply, so that it does not become `void`. */
  close(callId: string): void {
    this.#open.delete(callId)
  }

  /** Ends the calls that are not in a reply. Returns their `void` parts. */
  end(): readonly CallPart[] {
    return this.#end(new Set())
  }

  #end(kept: ReadonlySet<string>): readonly CallPart[] {
    const left = [...this.#open].filter(([callId]) => !kept.has(callId))
    for (const [callId] of left) {
      this.#open.delete(callId)
      this.#void.add(callId)
    }
    return left.map(([callId, name]) => ({ type: 'void', callId, name, text: '' }))
  }
}

/** Text for the model: the result of a call that was started but is not in the reply. */
export const voidCall = 'This call did not run: its reply was cut off or replaced by another.'
