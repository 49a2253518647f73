import type { Encoder } from './encoder.js'
import type { LiveRun } from './live-run.js'
import { ownedKey } from './owned-key.js'

/** The answer that a chat waits for. */
export interface OpenChat {
  readonly run: LiveRun
  /** Tells the run from its first event on. */
  encode(): Encoder
}

/** Chats whose answers are on their way, so that a page that was left can read on. */
export class OpenChats {
  readonly #chats = new Map<string, OpenChat>()

  /** Keeps an answer until it is there. */
  add(id: string, chat: OpenChat): void {
    const key = ownedKey(chat.run.owner, id)
    this.#chats.set(key, chat)
    const over = () => {
      if (this.#chats.get(key) === chat) this.#chats.delete(key)
    }
    chat.run.result.then(over, over)
  }

  find(owner: string, id: string): OpenChat | undefined {
    return this.#chats.get(ownedKey(owner, id))
  }
}
