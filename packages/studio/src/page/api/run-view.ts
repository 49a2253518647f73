import { signal } from '@preact/signals'
import type { Entry, Exchange } from '../../types.js'
import { RunTree } from '../model/run-tree.js'
import { api, messageOf } from './client.js'

/** A run on the page: its tree, and signals for when to render the tree again. */
export class RunView {
  readonly tree = new RunTree()
  /** Increased whenever the tree changes. */
  readonly revision = signal(0)
  readonly state = signal<'empty' | 'loading' | 'ready' | 'failed'>('empty')
  readonly error = signal('')
  readonly exchanges = signal<readonly Exchange[] | undefined>(undefined)
  #loading: Promise<void> | undefined

  constructor(readonly id: string) {}

  /** Loads the entries from the server. Later calls load only new entries. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Adds entries from the live stream. If entries before them are missing, loads the missing ones from the server. */
  add(entries: readonly Entry[]): void {
    const [first] = entries
    if (first && first.seq > this.tree.lastSeq + 1) {
      // The response to a load in progress may be from before the missing entries existed.
      void Promise.resolve(this.#loading).then(() => this.load())
      return
    }
    this.#add(entries)
  }

  /** Loads the run's requests and responses, without their bytes. */
  async loadExchanges(): Promise<void> {
    const exchanges = await api.exchanges(this.id)
    this.tree.placeExchanges(exchanges)
    this.exchanges.value = exchanges
    this.revision.value += 1
  }

  async #load(): Promise<void> {
    if (this.state.value !== 'ready') this.state.value = 'loading'
    try {
      const page = 5000
      for (;;) {
        const entries = await api.entries(this.id, { after: this.tree.lastSeq, limit: page })
        this.#add(entries)
        if (entries.length < page) break
      }
      this.state.value = 'ready'
    } catch (error) {
      this.error.value = messageOf(error)
      this.state.value = 'failed'
    }
  }

  #add(entries: readonly Entry[]): void {
    for (const entry of entries) this.tree.add(entry)
    this.revision.value += 1
  }
}
