import { Redactor } from '@capstan/core/internal'
import { withoutRunId } from './run-ids.js'

/** Values as a recording of their run would hold them. */
export class AsRecorded {
  readonly #redactor = new Redactor()
  readonly #known = new WeakMap<object, { readonly runId: string; readonly value: unknown }>()

  value<T>(value: T, runId: string): T {
    return withoutRunId(this.#redactor.value(value), runId)
  }

  /** The same, looked through once: a request repeats what those before it said. Gives the same object each time. */
  once<T extends object>(value: T, runId: string): T {
    const known = this.#known.get(value)
    if (known?.runId === runId) return known.value as T
    const made = this.value(value, runId)
    this.#known.set(value, { runId, value: made })
    return made
  }
}
