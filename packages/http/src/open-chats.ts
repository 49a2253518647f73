import type { Encoder } from './encoder.js'
import type { LiveRun } from './live-run.js'
import { ownedKey } from './owned-key.js'

/** The answer that a chat waits for. */
export interface OpenChat {
  readonly run: LiveRun
  /** Tells the run from its first event on. */
  encode(): Encoder
}

/** Chats whose answers nobody has to their end, so that a page that was left can read on. */
export class OpenChats {
  readonly #chats = new Map<string, OpenChat>()

  /** Keeps an answer until somebody has it whole, or its run is forgotten; one that was stopped is nobody's to wait for. */
  add(id: string, chat: OpenChat): void {
    this.#chats.set(ownedKey(chat.run.owner, id), chat)
    const close = () => this.close(id, chat)
    chat.run.forgotten.then(close).catch(() => {})
    chat.run.result.then(({ stopReason }) => stopReason === 'aborted' && close()).catch(() => {})
  }

  find(owner: string, id: string): OpenChat | undefined {
    return this.#chats.get(ownedKey(owner, id))
  }

  /** Unless the chat has another answer by now. */
  close(id: string, chat: OpenChat): void {
    const key = ownedKey(chat.run.owner, id)
    if (this.#chats.get(key) === chat) this.#chats.delete(key)
  }
}
